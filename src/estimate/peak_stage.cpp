// SPDX-License-Identifier: Apache-2.0
#include "estimate/peak_stage.h"

#include <algorithm>

#include "estimate/classes.h"

namespace orrery {
namespace {

// In every closed-form schedule the first of several stages with equal blocks has the most micro
// batches in flight; stages with fewer have more receive buffers if these are separate.
template <Number R>
bool holds_no_more_than_the_one_before(const Run& run, const WorkspaceOf<R>& w, std::int64_t i) {
  return i > 0 && !schedule_of(run).entry().written_out && !run.framework.receives_apart &&
         has_blocks_of_the_one_before(run, w, i);
}

// The hosts of the node whose devices `used` ranks fill.
Bytes host_memory(const Cluster& c, std::int64_t used) {
  if (c.host.devices == 0 || c.host.devices >= c.devices_per_node) return c.host.memory_capacity;
  const std::int64_t reached = (used + c.host.devices - 1) / c.host.devices * c.host.devices;
  return c.host.memory_capacity * (static_cast<double>(std::min(reached, c.devices_per_node)) /
                                   static_cast<double>(c.devices_per_node));
}

}  // namespace

template <Number R>
void fill_memory(const Run& run, WorkspaceOf<R>& w, AnswerOf<R>& a) {
  Bytes most(-1);
  Bytes host{};
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    if (holds_no_more_than_the_one_before(run, w, i)) continue;
    const StageMemory<R> m = memory_of_stage<R>(run, w, i);
    host = larger(host, plain(m.host));
    if (plain(m.peak) > most) {
      most = plain(m.peak);
      a.memory_stage = i;
      a.memory = m;
    }
  }
  a.memory.peak = named(a.memory.peak, {"peak memory"});
  a.capacity = run.cluster.device.memory_capacity;
  const std::int64_t devices = std::min(run.cluster.devices_per_node, world_size(run.strategy));
  a.host_needed = host * static_cast<double>(devices);
  a.host_capacity = host_memory(run.cluster, devices);
  const bool host_is_full = a.host_capacity > Bytes() && a.host_needed > a.host_capacity;
  if (most > a.capacity) {
    a.reason = Reason::device_memory;
  } else if (offloads_to(run.strategy.offload, &OffloadPlace::host_memory) && host_is_full) {
    a.reason = Reason::host_memory;
  }
}

template void fill_memory(const Run&, WorkspaceOf<double>&, AnswerOf<double>&);
template void fill_memory(const Run&, WorkspaceOf<Traced>&, AnswerOf<Traced>&);

}  // namespace orrery
