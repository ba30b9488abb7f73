// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_memory.h"

#include <algorithm>
#include <utility>

#include "estimate/mixed_links.h"
#include "estimate/run.h"
#include "estimate/stage_contents.h"

namespace orrery {
namespace {

// Lines whose every byte is sharded over the replicas.
template <Number R>
void share_out(const Run& run, double share, StageStates<R>& s) {
  const Partition& p = run.strategy.partition;
  const R factor = lift<R>(share, {"shard of this kind over an equal one"});
  if (p.weights > 1) s.weights = s.weights * factor;
  if (p.gradients > 1) s.gradients = s.gradients * factor;
  if (p.optimizer > 1) s.optimizer = s.optimizer * factor;
}

// Bytes that the host of a node holds and has, with this much for each of its ranks.
Bytes host_bytes(const Run& run, Bytes of_rank) {
  const std::int64_t used = std::min(run.cluster.devices_per_node, world_size(run.strategy));
  return of_rank * static_cast<double>(used);
}

bool host_overflows(const Run& run, Bytes needed) {
  const Bytes capacity = run.cluster.host.memory_capacity;
  return offloads_to(run.strategy.offload, &OffloadPlace::host_memory) && capacity > Bytes() &&
         needed > capacity;
}

}  // namespace

template <Number R>
StageMemory<R> memory_on_kind(const MixedRun& run, std::int64_t stage, std::size_t kind,
                              WorkspaceOf<R>& w) {
  const RecordedPart part(part_of_kind(kind));
  const Run& r = run.kinds[kind];
  const StageContents<R>& contents = contents_of_stage<R>(r, w, stage);
  StageStates<R> states = states_of_stage<R>(r, contents);
  if (!run.state_share.empty()) share_out<R>(r, run.state_share[kind], states);
  return memory_of_stage<R>(r, contents, states);
}

template <Number R>
void FullestSeat<R>::offer(const MixedRun& run, std::int64_t stage, std::size_t kind,
                           StageSeatOf<R> seat) {
  const Run& r = run.kinds[kind];
  AnswerOf<R>& a = out.answer;
  const Bytes capacity = r.cluster.device.memory_capacity;
  const StageMemory<R>& m = seat.memory;
  seat.plain.capacity = capacity;
  seat.plain.peak = plain(m.peak);
  seat.plain.needed = plain(m.needed);
  seat.plain.in_flight = m.in_flight;
  for (const MemoryLine l : kAllOf<MemoryLine>) seat.plain.lines[l] = plain(m[l]);
  out.seats.push_back(seat.plain);
  const Bytes host = host_bytes(r, plain(m.host));
  if (host > a.host_needed) {
    a.host_needed = host;
    a.host_capacity = r.cluster.host.memory_capacity;
  }
  host_full = host_full || host_overflows(r, host);
  // Cached blocks fill several devices to the same peak: then the one that needs most.
  const std::pair<double, double> share{plain(m.peak) / capacity, plain(m.needed) / capacity};
  if (share <= most) return;
  most = share;
  a.memory_stage = stage;
  a.memory = m;
  a.needed = m.needed;
  a.capacity = capacity;
  out.memory_kind = kind;
}

template <Number R>
void FullestSeat<R>::judge(const MixedRun& /*run*/) {
  AnswerOf<R>& a = out.answer;
  a.memory.peak = named(a.memory.peak, {"peak memory"});
  a.reason = Reason::fits;
  if (plain(a.memory.peak) > a.capacity) {
    a.reason = Reason::device_memory;
  } else if (host_full) {
    a.reason = Reason::host_memory;
  }
}

bool fits_at_risk(const MixedRun& run, const MixedAnswer& a) {
  const auto fits = [&run](const StageSeat& s) {
    return s.needed <= s.capacity * run.kinds[s.kind].memory_risk.share;
  };
  return a.answer.reason == Reason::fits && std::all_of(a.seats.begin(), a.seats.end(), fits);
}

template StageMemory<double> memory_on_kind(const MixedRun&, std::int64_t, std::size_t,
                                            WorkspaceOf<double>&);
template StageMemory<Traced> memory_on_kind(const MixedRun&, std::int64_t, std::size_t,
                                            WorkspaceOf<Traced>&);
template struct FullestSeat<double>;
template struct FullestSeat<Traced>;

}  // namespace orrery
