// SPDX-License-Identifier: Apache-2.0
#include "rl/handover.h"

#include <algorithm>

#include "estimate/run.h"

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

BytesPerSecond link_of(const Tier& t) { return t.bandwidth * t.efficiency; }

// The tier that joins nodes; that within the only one.
const Tier& network_of(const Cluster& c) { return c.tiers[tier_of(c, devices_of_node(c) + 1)]; }

BytesPerSecond node_link(const Cluster& c) { return link_of(network_of(c)); }

// Learner and generator share the GPUs of one node.
bool is_one_node(const Cluster& learner, const RlRun& rl) {
  return learner.node == rl.generator.cluster.node && rl.all_gpus <= devices_of_node(learner);
}

// Between the first n GPUs of a node.
BytesPerSecond link_within(const Cluster& c, std::int64_t n) {
  return link_of(c.tiers[tier_of(c, std::min(n, devices_of_node(c)))]);
}

double as_number(std::int64_t n) { return static_cast<double>(n); }

void limit(WeightPath& path, BytesPerSecond rate, WeightLimit by) {
  if (!(rate < path.rate)) return;
  path.rate = rate;
  path.limit = by;
}

// One stream leaves one node and enters another.
WeightPath broadcast_path(const Run& learner, const RlRun& rl) {
  const Generator& g = rl.generator;
  WeightPath path{"broadcast", WeightLimit::engine, true, weights_of_model(g),
                  g.engine.handover.broadcast};
  if (is_one_node(learner.cluster, rl)) {
    limit(path, link_within(learner.cluster, rl.all_gpus), WeightLimit::node);
    return path;
  }
  limit(path, std::min(node_link(learner.cluster), node_link(g.cluster)), WeightLimit::network);
  return path;
}

WeightPath p2p_path(const Run& learner, const RlRun& rl) {
  const Generator& g = rl.generator;
  WeightPath path{"p2p", WeightLimit::engine, false, weights_of_gpu(g), g.engine.handover.p2p};
  if (is_one_node(learner.cluster, rl)) {
    limit(path, link_within(learner.cluster, rl.all_gpus), WeightLimit::node);
    return path;
  }
  const std::int64_t targets = g.cluster.gpus;
  const std::int64_t on_node = std::min(targets, devices_of_node(g.cluster));
  const BytesPerSecond into = node_link(g.cluster) / as_number(on_node);
  const BytesPerSecond out_of =
      node_link(learner.cluster) * (as_number(node_count(learner.cluster)) / as_number(targets));
  limit(path, std::min(into, out_of), WeightLimit::network);
  return path;
}

// Stages and fully sharded weights stand on all nodes; experts and slices on those of their group.
bool spans_nodes(const Run& learner) {
  const Strategy& s = learner.strategy;
  const std::int64_t node = devices_of_node(learner.cluster);
  if (learner.cluster.gpus <= node) return false;
  return s.zero == 3 || s.pp > 1 || s.tp > node || s.ep * s.etp > node;
}

WeightPath colocated_path(const Run& learner, const RlRun& rl) {
  const Generator& g = rl.generator;
  WeightPath path{"colocated", WeightLimit::engine, false, weights_of_gpu(g),
                  g.engine.handover.colocated};
  if (rl.all_gpus == 1) return path;
  limit(path, link_within(learner.cluster, rl.all_gpus), WeightLimit::node);
  if (!spans_nodes(learner)) return path;
  const double share = path.bytes / weights_of_model(g);
  limit(path, node_link(learner.cluster) * share, WeightLimit::network);
  return path;
}

}  // namespace

WeightPath weight_path(const Run& learner, const RlRun& rl) {
  if (rl.placement.kind == PlacementKind::colocated) return colocated_path(learner, rl);
  switch (rl.placement.transfer) {
    case WeightTransfer::broadcast:
      return broadcast_path(learner, rl);
    case WeightTransfer::p2p:
      return p2p_path(learner, rl);
  }
  return {};
}

Seconds handover_time(const Run& learner, const RlRun& rl) {
  if (!rl.generates) return {};
  const WeightPath path = weight_path(learner, rl);
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
YieldedBytes yielded_to_host(const RlRun& rl, const StageMemory<double>& learner) {
  YieldedBytes out;
  if (!yields(rl)) return out;
  Bytes of_learner = yielded_by_learner(rl, learner);
  if (rl.placement.offload_weights) of_learner -= learner[MemoryLine::gradients];
  out.of_learner = of_learner * models_that_learn(rl);
  out.of_engine = kept_by_engine(rl);
  const Generator& g = rl.generator;
  out.engine_rate = g.cluster.device.host_link.bandwidth;
  out.learner_rate = out.engine_rate * g.engine.handover.host;
  return out;
}

Seconds sleep_time(const RlRun& rl, const StageMemory<double>& learner) {
  const YieldedBytes y = yielded_to_host(rl, learner);
  Seconds out{};
  if (y.of_learner > Bytes()) out += y.of_learner / y.learner_rate;
  if (y.of_engine > Bytes()) out += y.of_engine / y.engine_rate;
  return out;
}

}  // namespace orrery
