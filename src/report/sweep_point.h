// SPDX-License-Identifier: Apache-2.0
//
// The answer at one point of a sweep: of an estimate, a memory, a search or a played step.
//
// A run that breaks a rule has the status "illegal" and its reason. Errors: InputError, of any
// other wrong input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/json_fwd.h"
#include "estimate/answer.h"
#include "estimate/forward.h"
#include "estimate/run.h"
#include "explore/sweep.h"

namespace orrery {

struct ConfigLookup;  // estimate/config_lookup.h

struct RlStep;
struct RlRun;

struct PointAnswer {
  std::string status;
  std::string reason;
  std::int64_t candidates = 0;  // of a search
  std::int64_t ties = 0;
  bool is_searched = false;
  bool has_numbers = false;
  Run run;
  Answer answer;
  std::shared_ptr<const RlRun> rl;     // of a run with training.rl, which then has
  std::shared_ptr<const RlStep> step;  // these numbers alone
};

PointAnswer point_answer(SweepAnswer wanted, const Json& run, const std::string& file,
                         const ConfigLookup& lookup, Workspace& workspace);

}  // namespace orrery
