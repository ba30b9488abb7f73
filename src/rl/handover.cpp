// SPDX-License-Identifier: Apache-2.0
#include "rl/handover.h"

namespace orrery {
namespace {

bool yields(const RlRun& rl) {
  return rl.generates && rl.placement.kind == PlacementKind::colocated;
}

// Level 1 keeps the weights of the engine on the host; level 2 drops them, and the hand-over
// brings the new ones.
Bytes kept_by_engine(const RlRun& rl) {
  return rl.placement.sleep_level == 1 ? weights_of_gpu(rl.generator) : Bytes();
}

}  // namespace

WeightPath weight_path(const RlRun& rl) {
  const Generator& g = rl.generator;
  const EngineHandover& h = g.engine.handover;
  if (rl.placement.kind == PlacementKind::colocated) {
    return {"colocated", false, weights_of_gpu(g), h.colocated};
  }
  switch (rl.placement.transfer) {
    case WeightTransfer::broadcast:
      return {"broadcast", true, weights_of_model(g), h.broadcast};
    case WeightTransfer::p2p:
      return {"p2p", false, weights_of_gpu(g), h.p2p};
  }
  return {};
}

Seconds handover_time(const RlRun& rl) {
  if (!rl.generates) return {};
  const WeightPath path = weight_path(rl);
  return rl.generator.engine.handover.start + path.bytes / path.rate;
}

Bytes yielded_by_learner(const RlRun& rl, const StageMemory<double>& learner) {
  Bytes out{};
  if (!yields(rl)) return out;
  if (rl.placement.offload_weights) {
    out += learner[MemoryLine::weights] + learner[MemoryLine::gradients];
  }
  if (rl.placement.offload_optimizer) out += learner[MemoryLine::optimizer];
  return out;
}

// Gradients are freed and made anew, not copied (volcengine/verl verl/utils/megatron_utils.py,
// offload_megatron_model_to_cpu).
Seconds sleep_time(const RlRun& rl, const StageMemory<double>& learner) {
  if (!yields(rl)) return {};
  Bytes of_learner = yielded_by_learner(rl, learner);
  if (rl.placement.offload_weights) of_learner -= learner[MemoryLine::gradients];
  const Bytes bytes = kept_by_engine(rl) + of_learner * models_that_learn(rl);
  return bytes / rl.generator.engine.handover.host;
}

}  // namespace orrery
