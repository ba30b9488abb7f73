// SPDX-License-Identifier: Apache-2.0
#include "memory/stage_activations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "memory/peak_moment.h"

namespace orrery {
namespace {

using HeldChunks = std::array<HeldChunk, kMaxStages>;

template <Number R>
double weight_of(const ChunkActivations<R>& chunk, const HeldChunk& held) {
  const double whole = plain(chunk.kept + chunk.logits).si();
  return static_cast<double>(held.whole) * whole +
         static_cast<double>(held.for_weights) * plain(chunk.for_weights).si();
}

// Of the chunks with a micro batch that may go backward, the one whose pass adds most; nothing
// where none adds anything.
template <Number R>
std::optional<std::size_t> chunk_at_work(std::span<const ChunkActivations<R>> chunks,
                                         const HeldChunk* held) {
  std::optional<std::size_t> most;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (held[c].whole == 0 || beyond_its_logits(chunks[c]) <= 0) continue;
    if (!most || beyond_its_logits(chunks[c]) > beyond_its_logits(chunks[*most])) most = c;
  }
  return most;
}

template <Number R>
void find_among(std::span<const HeldChunk> moments, std::span<const ChunkActivations<R>> chunks,
                HeldChunks& held) {
  double most = -1;
  for (std::size_t i = 0; i < moments.size(); i += chunks.size()) {
    const auto at_work = chunk_at_work<R>(chunks, &moments[i]);
    double sum = at_work ? beyond_its_logits(chunks[*at_work]) : 0;
    for (std::size_t c = 0; c < chunks.size(); ++c) sum += weight_of<R>(chunks[c], moments[i + c]);
    if (sum <= most) continue;
    most = sum;
    for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = moments[i + c];
  }
}

template <Number R>
void find_in_rounds(ScheduleId schedule, const PipelineShape& shape, std::int64_t stage,
                    std::span<const ChunkActivations<R>> chunks, HeldChunks& held) {
  std::array<double, kMaxStages> weight;
  std::array<std::int64_t, kMaxStages> whole;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    weight[c] = plain(chunks[c].kept + chunks[c].logits).si();
  }
  schedule_of(schedule).fullest(shape, stage, {weight.data(), chunks.size()},
                                {whole.data(), chunks.size()});
  for (std::size_t c = 0; c < chunks.size(); ++c) held[c] = {whole[c], 0};
}

}  // namespace

template <Number R>
StageActivations<R> stage_activations(ScheduleId schedule, const PipelineShape& shape,
                                      std::int64_t stage, std::span<const HeldChunk> moments,
                                      std::span<const ChunkActivations<R>> chunks) {
  HeldChunks held;
  if (moments.empty()) {
    find_in_rounds<R>(schedule, shape, stage, chunks, held);
  } else {
    find_among<R>(moments, chunks, held);
  }
  StageActivations<R> a;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    a.in_flight += held[c].whole + held[c].for_weights;
    const R n = count<R>(held[c].whole, {"micro batches in flight", "", static_cast<int>(c)});
    a.kept += n * chunks[c].kept;
    if (held[c].for_weights > 0) {
      a.kept += count<R>(held[c].for_weights, {"micro batches whose weight gradients are to come",
                                               "", static_cast<int>(c)}) *
                chunks[c].for_weights;
    }
    a.logits += n * chunks[c].logits;
    a.largest = larger(a.largest, chunks[c].largest);
  }
  if (const auto at_work = chunk_at_work<R>(chunks, held.data())) add_backward(a, chunks[*at_work]);
  return a;
}

template StageActivations<double> stage_activations(ScheduleId, const PipelineShape&, std::int64_t,
                                                    std::span<const HeldChunk>,
                                                    std::span<const ChunkActivations<double>>);
template StageActivations<Traced> stage_activations(ScheduleId, const PipelineShape&, std::int64_t,
                                                    std::span<const HeldChunk>,
                                                    std::span<const ChunkActivations<Traced>>);

}  // namespace orrery
