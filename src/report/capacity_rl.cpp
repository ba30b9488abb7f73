// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "estimate/risk.h"
#include "report/capacity_outcome.h"
#include "report/frame_json.h"
#include "rl/step.h"
#include "rl/step_cost.h"

namespace orrery {

Json memory_json(const OptionAnswer& o) {
  Bytes peak = o.answer.memory.peak;
  Bytes capacity = o.answer.capacity;
  if (o.rl) {
    const MomentMemory& fullest = o.rl->memory[fullest_moment(o.rl->memory)];
    peak = fullest.all();
    capacity = fullest.capacity;
  }
  const double probability = fit_probability(o);
  return {{"peak_gib", gib(peak)},
          {"capacity_gib", gib(capacity)},
          {"fit_probability", probability},
          {"fit", fit_words(probability)}};
}

Json rl_training_json(const OptionAnswer& o) {
  const RlRun& rl = *o.run->rl;
  Json phases = Json::object();
  for (const RlPhase p : kAllOf<RlPhase>) {
    phases[std::string(name_of(p))] = o.rl->phases[p].value.si();
  }
  const auto generators = [](const HeldBeside& h) -> Json {
    return {{"gpus", h.cluster.gpus},
            {"node", h.cluster.node.view()},
            {"device", h.cluster.device.name.view()}};
  };
  return {{"steps", rl.steps},
          {"step_time_s", o.rl->step.value.si()},
          {"placement", name_of(rl.placement.kind)},
          {"phases_s", phases},
          {"learner_gpus", learner_gpus(rl)},
          {"generators", json_or_null(o.inputs.beside, generators)},
          {"run", *o.document}};
}

}  // namespace orrery
