// SPDX-License-Identifier: Apache-2.0
#include "capacity/checkpoint.h"

#include <algorithm>

#include "estimate/run.h"
#include "estimate/updates.h"
#include "hardware/cluster_links.h"
#include "model/operators.h"

namespace orrery {
namespace {

// 0: not known.
BytesPerSecond smaller_known(BytesPerSecond a, BytesPerSecond b) {
  if (a.si() <= 0) return b;
  return b.si() <= 0 ? a : std::min(a, b);
}

// The storage and the clients work at the same time: the slower one counts.
Seconds transfer(Bytes size, BytesPerSecond system, Bytes per_node, BytesPerSecond client) {
  const Seconds time = size / system;
  return client.si() > 0 ? std::max(time, per_node / client) : time;
}

// With an adapter those that train: the frozen model is saved already.
std::int64_t saved_parameters(const Run& run) {
  const std::int64_t sequence = run.training.sequence;
  if (const auto& adapter = run.training.adapter) {
    return trained_parameters(run.model, sequence, *adapter);
  }
  const ParameterCount n = parameter_count(run.model, sequence);
  return n.total + n.mtp + n.tower;
}

}  // namespace

Bytes checkpoint_bytes(const Run& run, double bytes_per_parameter) {
  const auto parameters = static_cast<double>(saved_parameters(run));
  if (bytes_per_parameter > 0) return Bytes(bytes_per_parameter * parameters);
  const StateRecipe& r = run.training.recipe;
  return Bytes((r.weights + r.optimizer - r.unsaved) * parameters) + matrix_states(run);
}

BytesPerSecond client_rate(const Storage& storage, const Cluster& cluster) {
  if (storage.client.si() > 0) return storage.client;
  const auto gpus = static_cast<double>(cluster.devices_per_node);
  return smaller_known(network_rate(cluster), cluster.device.host_link.bandwidth * gpus);
}

CheckpointCost checkpoint_cost(Bytes size, const Storage& storage, CheckpointMode mode,
                               const Cluster& cluster) {
  CheckpointCost c;
  c.size = size;
  c.per_node = size / static_cast<double>(node_count(cluster));
  c.storage_known = storage.write.si() > 0;
  if (!c.storage_known) return c;
  const BytesPerSecond client = client_rate(storage, cluster);
  const BytesPerSecond link = cluster.device.host_link.bandwidth;
  c.write = transfer(size, storage.write, c.per_node, client);
  c.read = transfer(size, storage.read.si() > 0 ? storage.read : storage.write, c.per_node, client);
  c.nodes_bound_it = c.write > size / storage.write;
  if (link.si() > 0) c.copy = size / static_cast<double>(cluster.gpus) / link;
  switch (mode) {
    case CheckpointMode::synchronous:
      c.stall = std::max(c.write, c.copy);
      break;
    case CheckpointMode::two_phase:
      c.stall = c.copy;
      c.durable = c.write;
      break;
    case CheckpointMode::asynchronous:
      c.durable = c.copy + c.write;
      break;
  }
  return c;
}

}  // namespace orrery
