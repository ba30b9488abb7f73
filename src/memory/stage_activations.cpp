// SPDX-License-Identifier: Apache-2.0
#include "memory/stage_activations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "memory/peak_moment.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

using HeldChunks = std::array<HeldChunk, kMaxStages>;

// Tensors of a moment, all chunks together.
struct Held {
  double kept = 0;
  double stays = 0;
  double logits = 0;
};

template <Number R>
Held held_of(std::span<const ChunkActivations<R>> chunks, const HeldChunk* held) {
  Held sum;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto whole = static_cast<double>(held[c].whole);
    sum.kept += whole * plain(chunks[c].kept).si() +
                static_cast<double>(held[c].for_weights) * plain(chunks[c].for_weights).si();
    sum.stays += whole * plain(chunks[c].stays).si();
    sum.logits += whole * plain(chunks[c].logits).si();
  }
  return sum;
}

template <Number R>
double most_moved(std::span<const ChunkActivations<R>> chunks) {
  double most = 0;
  for (const ChunkActivations<R>& c : chunks) most = std::max(most, plain(c.moved).si());
  return most;
}

// Among the chunks with a micro batch that may go backward, the one whose pass adds the most;
// nothing if none adds anything. `held` null: of all chunks, at whatever moment each goes backward.
template <Number R>
std::optional<std::size_t> chunk_at_work(std::span<const ChunkActivations<R>> chunks,
                                         const HeldChunk* held) {
  std::optional<std::size_t> most;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (held != nullptr && held[c].whole == 0) continue;
    if (beyond_its_logits(chunks[c]) <= 0) continue;
    if (!most || beyond_its_logits(chunks[c]) > beyond_its_logits(chunks[*most])) most = c;
  }
  return most;
}

// Among moments that are equal on the device, the one that offloads the most.
template <Number R>
void find_among(std::span<const HeldChunk> moments, std::span<const ChunkActivations<R>> chunks,
                OffloadTarget target, HeldChunks& held) {
  const double moved = most_moved<R>(chunks);
  double most = -1;
  double most_kept = -1;
  for (std::size_t i = 0; i < moments.size(); i += chunks.size()) {
    const auto at_work = chunk_at_work<R>(chunks, &moments[i]);
    const Held now = held_of<R>(chunks, &moments[i]);
    StageActivations<double> a;
    a.kept = Bytes(now.kept);
    a.stays = Bytes(now.stays);
    a.moved = Bytes(moved);
    const double stays = kept_on_device(a, target).si();
    const double sum = stays + now.logits + (at_work ? beyond_its_logits(chunks[*at_work]) : 0);
    if (sum < most || (sum == most && now.kept <= most_kept)) continue;
    most = sum;
    most_kept = now.kept;
    for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = moments[i + c];
  }
}

// A part of the offloaded tensors, enough to separate moments with the same logits.
constexpr double kAway = 1e-6;

template <Number R>
void find_in_rounds(ScheduleId schedule, const PipelineShape& shape, std::int64_t stage,
                    std::span<const ChunkActivations<R>> chunks, OffloadTarget target,
                    HeldChunks& held) {
  std::array<double, kMaxStages> weight;
  std::array<std::int64_t, kMaxStages> whole;
  const double kept = target == OffloadTarget::none ? 1 : kAway;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const double stays = target == OffloadTarget::none ? 0 : plain(chunks[c].stays).si();
    weight[c] = stays + kept * (plain(chunks[c].kept).si() - stays) + plain(chunks[c].logits).si();
  }
  schedule_of(schedule).fullest(one_run(shape), stage, {weight.data(), chunks.size()},
                                {whole.data(), chunks.size()});
  for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = {whole[c], 0};
}

}  // namespace

template <Number R>
StageActivations<R> stage_activations(ScheduleId schedule, const PipelineShape& shape,
                                      std::int64_t stage, std::span<const HeldChunk> moments,
                                      std::span<const ChunkActivations<R>> chunks,
                                      OffloadTarget target) {
  HeldChunks held;
  if (moments.empty()) {
    find_in_rounds<R>(schedule, shape, stage, chunks, target, held);
  } else {
    find_among<R>(moments, chunks, target, held);
  }
  StageActivations<R> a;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    a.in_flight += held[c].whole + held[c].for_weights;
    const R n = count<R>(held[c].whole, {"micro batches in flight", "", static_cast<int>(c)});
    a.kept += n * chunks[c].kept;
    if (plain(chunks[c].stays) > Bytes()) a.stays += n * chunks[c].stays;
    if (held[c].for_weights > 0) {
      a.kept += count<R>(held[c].for_weights, {"micro batches whose weight gradients are to come",
                                               "", static_cast<int>(c)}) *
                chunks[c].for_weights;
    }
    a.logits += n * chunks[c].logits;
    a.largest = larger(a.largest, chunks[c].largest);
    a.moved = larger(a.moved, chunks[c].moved);
  }
  // In rounds only what is kept decides the moment: the largest pass may be of a chunk that holds
  // nothing then, so the sum is of the fullest moment and the largest pass.
  const HeldChunk* const may_go = moments.empty() ? nullptr : held.data();
  if (const auto at_work = chunk_at_work<R>(chunks, may_go)) add_backward(a, chunks[*at_work]);
  return a;
}

template StageActivations<double> stage_activations(ScheduleId, const PipelineShape&, std::int64_t,
                                                    std::span<const HeldChunk>,
                                                    std::span<const ChunkActivations<double>>,
                                                    OffloadTarget);
template StageActivations<Traced> stage_activations(ScheduleId, const PipelineShape&, std::int64_t,
                                                    std::span<const HeldChunk>,
                                                    std::span<const ChunkActivations<Traced>>,
                                                    OffloadTarget);

}  // namespace orrery
