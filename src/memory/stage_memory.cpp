// SPDX-License-Identifier: Apache-2.0
#include "memory/stage_memory.h"

#include <algorithm>

namespace orrery {
namespace {

using HeldChunks = std::array<HeldChunk, kMaxStages>;

template <Number R>
double weight_of(const ChunkActivations<R>& chunk, const HeldChunk& held) {
  const double whole = plain(chunk.kept + chunk.logits).si();
  return static_cast<double>(held.whole) * whole +
         static_cast<double>(held.for_weights) * plain(chunk.for_weights).si();
}

template <Number R>
void find_among(std::span<const HeldChunk> moments, std::span<const ChunkActivations<R>> chunks,
                HeldChunks& held) {
  double most = -1;
  for (std::size_t i = 0; i < moments.size(); i += chunks.size()) {
    double sum = 0;
    for (std::size_t c = 0; c < chunks.size(); ++c) sum += weight_of<R>(chunks[c], moments[i + c]);
    if (sum <= most) continue;
    most = sum;
    for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = moments[i + c];
  }
}

template <Number R>
void find_in_rounds(const Strategy& s, const PipelineShape& shape, std::int64_t stage,
                    std::span<const ChunkActivations<R>> chunks, HeldChunks& held) {
  std::array<double, kMaxStages> weight;
  std::array<std::int64_t, kMaxStages> whole;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    weight[c] = plain(chunks[c].kept + chunks[c].logits).si();
  }
  schedule_of(s.schedule)
      .fullest(shape, stage, {weight.data(), chunks.size()}, {whole.data(), chunks.size()});
  for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = {whole[c], 0};
}

// Micro batches held of each chunk when all of them together weigh most.
template <Number R>
std::int64_t find_fullest(const Strategy& s, const PipelineShape& shape, const StageHoldings& h,
                          std::span<const ChunkActivations<R>> chunks, HeldChunks& held) {
  if (h.moments.empty()) {
    find_in_rounds<R>(s, shape, h.stage, chunks, held);
  } else {
    find_among<R>(h.moments, chunks, held);
  }
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) sum += held[c].whole + held[c].for_weights;
  return sum;
}

// What leaves the device fills the host's memory, or its drives.
template <Number R>
void send_away(StageMemory<R>& m, OffloadTarget target, BytesOf<R> bytes) {
  if (target == OffloadTarget::host) m.host += bytes;
}

template <Number R>
void add_activations(StageMemory<R>& m, const Strategy& s, const PipelineShape& shape,
                     const StageHoldings& holdings, std::span<const ChunkActivations<R>> chunks) {
  HeldChunks held;
  m.in_flight = find_fullest<R>(s, shape, holdings, chunks, held);
  BytesOf<R> kept{};
  BytesOf<R> working{};
  BytesOf<R> largest{};
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const R n = count<R>(held[c].whole, {"micro batches in flight", "", static_cast<int>(c)});
    kept += n * chunks[c].kept;
    if (held[c].for_weights > 0) {
      kept += count<R>(held[c].for_weights, {"micro batches whose weight gradients are to come", "",
                                             static_cast<int>(c)}) *
              chunks[c].for_weights;
    }
    m[MemoryLine::logits] += n * chunks[c].logits;
    working = larger(working, chunks[c].working);
    largest = larger(largest, chunks[c].largest);
    m[MemoryLine::transient] = larger(m[MemoryLine::transient], chunks[c].transient);
  }
  // Activations on the host: those of the layer at work stay, another layer's are on their way.
  if (s.offload.activations != OffloadTarget::none) {
    const BytesOf<R> resident = smaller(kept, R(2.0) * largest);
    send_away<R>(m, s.offload.activations, kept - resident);
    kept = resident;
  }
  m[MemoryLine::activations] = kept;
  m[MemoryLine::recompute_working] = working;
}

// DeepSpeed's bf16 optimizer adds the 16-bit gradients to their fp32 sum when a backward is done.
StateRecipe held_recipe(const StateRecipe& recipe, const Framework& f) {
  StateRecipe held = recipe;
  const bool summed_wider = recipe.gradients > recipe.weights;
  if (f.keeps_16_bit_gradients && summed_wider) held.gradients += recipe.weights;
  return held;
}

template <Number R>
void add_states(StageMemory<R>& m, const Strategy& s, const StateRecipe& recipe,
                const ParametersHeld& parameters) {
  StateBytes<R> b = state_bytes<R>(recipe, parameters, s);
  if (s.offload.optimizer != OffloadTarget::none) {
    const BytesOf<R> away = b.optimizer * lift<R>(s.offload.optimizer_fraction,
                                                  {"parallel.offload.optimizer_fraction"});
    send_away<R>(m, s.offload.optimizer, away);
    b.optimizer = b.optimizer - away;
  }
  if (s.offload.parameters != OffloadTarget::none) {
    send_away<R>(m, s.offload.parameters, b.weights);
    b.weights = BytesOf<R>{};
  }
  m[MemoryLine::weights] = b.weights;
  m[MemoryLine::secondary_weights] = b.secondary;
  m[MemoryLine::gradients] = b.gradients;
  m[MemoryLine::optimizer] = b.optimizer;
  const auto held = static_cast<double>(parameters.dense + parameters.expert);
  const BytesOf<R> states = b.weights + b.gradients + b.optimizer + b.secondary;
  if (held > 0)
    m.bytes_per_parameter =
        states.si() / count<R>(parameters.dense + parameters.expert, {"parameters of this rank"});
}

// Gathered and streamed: the layer at work and the one fetched ahead, the gradient of one before it
// is reduced, and the ends, which are one piece that stays gathered. Module by module: as many as
// may live, and the gradient of one. Gathered once a step: all of it. Kept from forward to
// backward: all weights.
template <Number R>
BytesOf<R> gathered_of(const StateRecipe& recipe, const StageHoldings& h, ShardedStates which,
                       bool streamed, bool kept, std::int64_t live) {
  const R element = lift<R>(h.gathered_bytes, {"bytes of a gathered weight"});
  const R gradient = lift<R>(recipe.reduced, {"bytes of a gradient before it is reduced"});
  if (!streamed) {
    const R all = count<R>(held(h.parameters, which), {"parameters of this rank"});
    return BytesOf<R>(all * (element + gradient));
  }
  if (live > 0) {
    const std::int64_t most = std::min(held(h.parameters, which), live);
    const R at_once =
        count<R>(std::max(most, held(h.largest_module, which)), {"parameters gathered at once"});
    const R module = count<R>(held(h.largest_module, which), {"parameters of the largest module"});
    return BytesOf<R>(at_once * element + module * gradient);
  }
  const R layer = count<R>(held(h.largest_layer, which), {"parameters of the largest layer"});
  const R ends = count<R>(held(h.ends, which), {"parameters of embedding and head"});
  if (kept) {
    const R all = count<R>(held(h.parameters, which), {"parameters of this rank"});
    return BytesOf<R>(all * element + layer * gradient);
  }
  return BytesOf<R>((R(2.0) * layer + ends) * element + layer * gradient);
}

template <Number R>
BytesOf<R> gathered(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                    const StageHoldings& h) {
  BytesOf<R> sum{};
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const bool offloaded = s.offload.parameters != OffloadTarget::none;
    if (held(h.parameters, which) == 0) continue;
    if (partition_of(s, which).weights <= 1 && !offloaded) continue;
    sum += gathered_of<R>(recipe, h, which, offloaded || gathers_every_micro_batch(s, f),
                          f.keeps_gathered_weights && !offloaded, f.max_live_parameters);
  }
  return sum;
}

template <Number R>
void add_overhead(StageMemory<R>& m, const Framework& f, std::int64_t groups) {
  const auto sum = [&m](std::initializer_list<MemoryLine> lines) {
    BytesOf<R> bytes{};
    for (const MemoryLine l : lines) bytes += m[l];
    return bytes;
  };
  using enum MemoryLine;
  const BytesOf<R> states = sum({weights, secondary_weights, gradients, optimizer});
  const BytesOf<R> at_work =
      sum({activations, recompute_working, logits, transient, gathered_weights, buckets});
  m.allocated = named(states + at_work, {"allocated"});
  m[fragmentation] = states * lift<R>(f.state_overhead, {"framework.state_overhead"}) +
                     at_work * lift<R>(f.activation_overhead, {"framework.activation_overhead"});
  m.reserved = named(m.allocated + m[fragmentation], {"reserved"});
  m[context] = lift<R>(f.context, {"framework.context"});
  m[communicators] = lift<R>(f.group_buffers, {"framework.group_buffers"}) *
                     count<R>(groups, {"process groups with more than one rank"});
}

}  // namespace

template <Number R>
StageMemory<R> stage_memory(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const PipelineShape& shape, const StageHoldings& holdings,
                            std::span<const ChunkActivations<R>> chunks) {
  StageMemory<R> m;
  add_states<R>(m, s, held_recipe(recipe, f), holdings.parameters);
  add_activations<R>(m, s, shape, holdings, chunks);
  m[MemoryLine::gathered_weights] = gathered<R>(s, f, recipe, holdings);
  if (replicas(s, ShardedStates::dense) > 1) {
    m[MemoryLine::buckets] = lift<R>(f.bucket, {"framework.bucket"});
  }
  add_overhead<R>(m, f, holdings.groups);
  for (std::size_t i = 0; i < kMemoryLines; ++i) {
    m.lines[i] = named(m.lines[i], {kMemoryLineNames[i].data()});
    m.peak += m.lines[i];
  }
  return m;
}

template StageMemory<double> stage_memory(const Strategy&, const Framework&, const StateRecipe&,
                                          const PipelineShape&, const StageHoldings&,
                                          std::span<const ChunkActivations<double>>);
template StageMemory<Traced> stage_memory(const Strategy&, const Framework&, const StateRecipe&,
                                          const PipelineShape&, const StageHoldings&,
                                          std::span<const ChunkActivations<Traced>>);

}  // namespace orrery
