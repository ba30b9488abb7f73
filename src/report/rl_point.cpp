// SPDX-License-Identifier: Apache-2.0
#include "report/rl_point.h"

#include "estimate/resolve.h"
#include "estimate/rl_run.h"
#include "report/sweep_point.h"
#include "rl/resolve_learner.h"
#include "rl/step.h"

namespace orrery {

void play_point(const Json& run, const std::string& file, const ConfigLookup& lookup,
                PointAnswer& out) {
  const ResolvedRun learner = resolve_learner(run, file, lookup);
  out.rl = learner.rl;
  out.step = std::make_shared<const RlStep>(rl_step_alone(learner));
  out.status = out.step->fits ? "fits" : "does not fit";
  out.has_numbers = !out.rl->generates || out.step->rollout.fits;
}

}  // namespace orrery
