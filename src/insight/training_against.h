// SPDX-License-Identifier: Apache-2.0
//
// A training log beside the estimate of its run: where the step differs, term by term.
//
// Step time, FLOP/s and memory as the log has them; and of Megatron's timers those that measure
// what a term of the breakdown predicts: forward- and backward-compute with what is exposed in
// them, the optimizer, the gradients' synchronisation, the pipeline's sends. A timer covers what
// its rank waited as well. error = predicted/measured − 1. Leaves out timers that no term predicts:
// they are named. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "exchange/logs/training_log.h"
#include "insight/run_report.h"

namespace orrery {

struct AgainstLine {
  std::string name;
  std::string unit;  // "s", "FLOP/s", "B"
  double predicted = 0;
  double measured = 0;
};

struct TrainingAgainst {
  std::vector<AgainstLine> lines;
  std::vector<std::string> unused_timers;
};

TrainingAgainst against(const RunReport& r, const TrainingLog& log);

}  // namespace orrery
