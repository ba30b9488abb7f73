// SPDX-License-Identifier: Apache-2.0
//
// Why a measured step is not the predicted one: single changes of the run that would explain the
// difference, and how likely each is beside the others.
//
// Each change has a prior, a judgement of how often files and machines differ so from what was run.
// Its likelihood is that of the measured step (and of the allocated memory, where the log has it)
// under a normal error of ln(measured/predicted) as wide as the estimate's own 80 % intervals,
// times its probability of fitting. A change that brings neither nearer is none. Recompute that the
// run leaves open is settled anew for each change. Beside the changes stand links that are slower
// than the run takes them, between nodes and inside one, at the rate that would explain the step;
// or, where NCCL's lines name a slow one (`nccl`), the likelier of all; the estimate's own error;
// time that no run file says (data loading, checkpoints, another job), and none of these: a small
// prior over all steps within a factor of a hundred, which wins where no other explains the log;
// not where the step lies within the estimate's interval. Where nobody gave a layout and the one
// that is assumed cannot fit, the log is of another layout. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/messages/nccl_setup.h"
#include "insight/settings.h"
#include "orrery/quantity.h"

namespace orrery {

struct RunReport;

struct StepCause {
  std::string what;
  std::string change;  // as a command line takes it; "": no key says it
  std::string term;    // of the breakdown, that it changes most; "": none
  std::string check;   // what would decide; "": nothing at hand
  Seconds step_time{};
  double probability = 0;
  std::vector<Setting> settings = {};  // of `change`
};

// The likeliest first; those below two in a hundred are left out.
std::vector<StepCause> causes_of(const RunReport& r, Seconds measured,
                                 std::optional<Bytes> allocated,
                                 const std::optional<NcclSetup>& nccl = {});

// The step lies within the estimate's own 80 % interval.
bool is_as_predicted(const RunReport& r, Seconds measured);

// Nobody gave a layout, and the one that is assumed then cannot fit: a log is of another.
bool assumes_what_cannot_fit(const RunReport& r);

}  // namespace orrery
