// SPDX-License-Identifier: Apache-2.0
#include "capacity/checkpoint.h"

#include <algorithm>

#include "model/operators.h"

namespace orrery {
namespace {

// 0 where a rate is not known.
Seconds over(Bytes b, BytesPerSecond rate) { return rate.si() > 0 ? b / rate : Seconds(); }

// The system and the clients work side by side: the slower one counts.
Seconds transfer(Bytes size, Bytes per_node, BytesPerSecond system, BytesPerSecond client) {
  return std::max(over(size, system), over(per_node, client));
}

}  // namespace

Bytes checkpoint_bytes(const Run& run, double bytes_per_parameter) {
  const StateRecipe& r = run.training.recipe;
  const double per_parameter =
      bytes_per_parameter > 0 ? bytes_per_parameter : r.weights + r.optimizer;
  const ParameterCount n = parameter_count(run.model, run.training.sequence);
  return Bytes(per_parameter * static_cast<double>(n.total + n.mtp));
}

CheckpointCost checkpoint_cost(Bytes size, const Storage& storage, CheckpointMode mode,
                               const Cluster& cluster) {
  CheckpointCost c;
  c.size = size;
  c.per_node = size / static_cast<double>(node_count(cluster));
  c.storage_known = storage.write.si() > 0 || storage.client.si() > 0;
  const Seconds write = transfer(size, c.per_node, storage.write, storage.client);
  const Seconds copy =
      over(size / static_cast<double>(cluster.gpus), cluster.device.host_link.bandwidth);
  c.read = transfer(size, c.per_node, storage.read.si() > 0 ? storage.read : storage.write,
                    storage.client);
  if (!c.storage_known) return c;
  c.write = write;
  c.copy = copy;
  switch (mode) {
    case CheckpointMode::synchronous:
      c.stall = std::max(write, copy);
      break;
    case CheckpointMode::two_phase:
      c.stall = copy;
      c.durable = write;
      break;
    case CheckpointMode::asynchronous:
      c.durable = copy + write;
      break;
  }
  return c;
}

}  // namespace orrery
