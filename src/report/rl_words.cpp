// SPDX-License-Identifier: Apache-2.0
#include "report/rl_words.h"

#include "document/words.h"
#include "rl/step_cost.h"

namespace orrery {

std::string placement_words(const RlRun& rl) {
  const RlPlacement& p = rl.placement;
  if (!rl.generates) return "nothing is generated";
  if (p.kind == PlacementKind::colocated) {
    return "colocated on " + counted(rl.all_gpus, "GPU") + ", sleep level " +
           grouped(p.sleep_level);
  }
  std::string text = std::string(name_of(p.kind)) + ": " + counted(p.rollout_gpus, "GPU") +
                     " generate, " + grouped(learner_gpus(rl)) + " learn";
  if (p.kind == PlacementKind::async) text += ", staleness " + grouped(p.staleness);
  if (p.partial) text += ", partial answers";
  return text;
}

std::string generator_words(const RlRun& rl) {
  return counted(rl.work.engines, "engine") + " of " + rl.engine_name + ", " +
         layout_words(rl.generator.layout) + ", weights in " +
         std::string(name_of(rl.generator.weights)) +
         (rl.generator.graphs ? "" : ", without graphs");
}

std::string layout_words(const EngineLayout& l) {
  std::string text = "tp " + grouped(l.tp);
  if (l.pp > 1) text += " pp " + grouped(l.pp);
  if (l.dp > 1) text += " dp " + grouped(l.dp);
  if (l.ep > 1) text += " ep " + grouped(l.ep);
  return text;
}

std::string learner_words(const Strategy& s) {
  std::string text = "tp " + grouped(s.tp);
  if (s.cp > 1) text += " cp " + grouped(s.cp);
  if (s.pp > 1) text += " pp " + grouped(s.pp);
  if (s.ep > 1) text += " ep " + grouped(s.ep);
  return text + " dp " + grouped(s.dp) + ", batch " + grouped(s.micro_batch) + ", recompute " +
         std::string(name_of(s.recompute));
}

}  // namespace orrery
