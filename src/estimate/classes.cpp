// SPDX-License-Identifier: Apache-2.0
#include "estimate/classes.h"

#include <algorithm>

#include "estimate/offload.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/sharding.h"
#include "memory/peak_moment.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

template <Number R>
std::size_t groups_of(const Prices<R>& prices, const StageClass<R>& c,
                      std::array<BlockGroup<R>, kCountOf<BlockType>>& out) {
  std::size_t n = 0;
  for (const BlockType i : kAllOf<BlockType>) {
    if (c.blocks[i] == 0) continue;
    out[n++] = {&prices.blocks[i].activations, c.blocks[i], c.again.full[i], c.again.selective[i]};
  }
  return n;
}

template <Number R>
SecondsOf<R> uncovered_by(SecondsOf<R> time, SecondsOf<R> cover) {
  return plain(time) == Seconds() ? time : larger(time - cover, SecondsOf<R>{});
}

// Saved activations that leave the device.
template <Number R>
BytesOf<R> moved_of(const ChunkActivations<R>& a) {
  return plain(a.stays) == Bytes() ? a.kept : a.kept - a.stays;
}

// Forward the copies travel in opposite directions at once; backward they share
// the link and what covers it.
template <Number R>
void add_streams(const Run& run, StageClass<R>& c, const FreeSharding* free) {
  PassCopies<R> copies = pass_copies<R>(run, c.parameters, moved_of(c.activations));
  if (free != nullptr) copies.fetch = {};
  const SecondsOf<R> down =
      uncovered_by<R>(larger(copies.down, copies.fetch), c.costs.forward_time);
  const SecondsOf<R> up = uncovered_by<R>(copies.up + copies.fetch, c.costs.backward_time);
  c.costs.forward[Term::offload_exposed] += down;
  c.costs.backward[Term::offload_exposed] += up;
  c.costs.forward_time += down;
  c.costs.backward_time += up;
}

// Whether what the stage sends on stays there until its gradient comes back.
bool keeps_output(const Run& run, const BlockCounts& blocks) {
  return run.framework.pipeline.keeps_outputs && run.strategy.pp > 1 &&
         blocks[BlockType::head] == 0;
}

template <Number R>
StageClass<R> make_class(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                         const RecomputedBlocks& again) {
  StageClass<R> c;
  c.blocks = blocks;
  c.again = again;
  c.parameters = stage_parameters<R>(run, prices, blocks, again.resharded);
  for (const BlockType i : kAllOf<BlockType>) {
    c.runs_backward = c.runs_backward || (blocks[i] > 0 && prices.blocks[i].runs_backward);
  }
  std::array<BlockGroup<R>, kCountOf<BlockType>> groups;
  const std::size_t n = groups_of<R>(prices, c, groups);
  c.activations = chunk_activations<R>(run.strategy, {groups.data(), n});
  if (keeps_output(run, blocks)) {
    c.activations.kept += lift<R>(boundary_bytes(run), {"output of the stage, kept"});
  }
  return c;
}

// Without ranges of layers no block is sharded apart.
bool is_same(const Run& run, const RecomputedBlocks& a, const RecomputedBlocks& b) {
  if (run.strategy.layers.count > 0) return a == b;
  return a.full == b.full && a.selective == b.selective;
}

template <Number R>
std::uint16_t find_class(const Run& run, const BlockCounts& blocks, const RecomputedBlocks& again,
                         WorkspaceOf<R>& w) {
  for (std::size_t i = w.classes.size(); i-- > 0;) {
    const StageClass<R>& c = w.classes[i];
    if (c.blocks == blocks && is_same(run, c.again, again)) return static_cast<std::uint16_t>(i);
  }
  w.classes.push_back(make_class<R>(run, w.prices, blocks, again));
  return static_cast<std::uint16_t>(w.classes.size() - 1);
}

template <Number R>
std::uint16_t find_class(const Run& run, std::int64_t virtual_stage, WorkspaceOf<R>& w) {
  const BlockCounts blocks = blocks_of(run.strategy, run.model, virtual_stage);
  return find_class<R>(run, blocks, recomputed_of(run.strategy, run.model, virtual_stage, blocks),
                       w);
}

// The same kind of layer with the same recompute and sharding, as far as ranges set them.
bool is_alike(const Run& run, std::int64_t one, std::int64_t other) {
  const Architecture& a = run.model;
  if (layer_type(a, one) != layer_type(a, other)) return false;
  const Strategy& s = run.strategy;
  const auto zero = [&](std::int64_t layer) {
    return zero_of_layer(s.layers, layer, has_experts(a, layer), s.zero);
  };
  return s.layers.count == 0 || (recompute_of_layer(s, a, one) == recompute_of_layer(s, a, other) &&
                                 zero(one) == zero(other));
}

// An inner part with the same layers as the previous inner part. Inner parts are all but the first
// and the last.
bool repeats_previous_part(const Run& run, std::int64_t part, std::int64_t parts) {
  if (part < 2 || part + 1 == parts) return false;
  const Architecture& a = run.model;
  const LayerRange before = layers_of(run.strategy, a, part - 1);
  const LayerRange now = layers_of(run.strategy, a, part);
  if (now.end - now.first != before.end - before.first) return false;
  for (std::int64_t i = 0; i < now.end - now.first; ++i) {
    if (!is_alike(run, before.first + i, now.first + i)) return false;
  }
  return true;
}

// A forward of part j beside the backward of the other part of its stage: the expert exchanges of
// each run under the compute of the other, as long as it takes (DeepSeek-V3, arXiv:2412.19437,
// section 3.2.1).
template <Number R>
SecondsOf<R> hidden_in_pair(StageCosts<R> forward, StageCosts<R> backward) {
  const SecondsOf<R> exchanges =
      forward.forward[Term::ep_exposed] + backward.backward[Term::ep_exposed];
  if (plain(exchanges) == Seconds()) return {};
  return smaller(exchanges, forward.forward_time + backward.backward_time - exchanges);
}

template <Number R>
void fill_split_steps(const Run& run, WorkspaceOf<R>& w) {
  const std::size_t n = w.class_of.size();
  w.input_gradient.resize(n);
  w.weight_gradient.resize(n);
  w.pair.resize(n);
  w.hidden.resize(n);
  const bool pairs = schedule_of(run).entry().pairs;
  for (std::size_t j = 0; j < n; ++j) {
    const StageCosts<R>& c = w.classes[w.class_of[j]].costs;
    w.weight_gradient[j] = c.weight_time;
    w.input_gradient[j] = w.backward[j] - c.weight_time;
    if (!pairs) continue;
    const std::size_t other = n - 1 - j;
    w.hidden[j] = hidden_in_pair<R>(c, w.classes[w.class_of[other]].costs);
    w.pair[j] = w.forward[j] + w.backward[other] - w.hidden[j];
  }
}

// True where stage i ≥ 1 has chunk for chunk the blocks of stage i − 1.
template <Number R>
bool has_blocks_of_the_one_before(const Run& run, const WorkspaceOf<R>& w, std::int64_t i) {
  const PipelineShape shape = pipeline_shape(run);
  const ChunkLayout layout = schedule_of(run).layout();
  const auto class_at = [&](std::int64_t stage, std::int64_t chunk) {
    return w.class_of[static_cast<std::size_t>(part_of(layout, shape, stage, chunk))];
  };
  for (std::int64_t c = 0; c < shape.chunks; ++c) {
    if (class_at(i, c) != class_at(i - 1, c)) return false;
  }
  return true;
}

}  // namespace

template <Number R>
void fill_classes(const Run& run, WorkspaceOf<R>& w) {
  price<R>(run, w.scratch, w.prices);
  w.end_traffics.clear();
  fill_parts<R>(run, w);
  fill_costs<R>(run, w);
}

template <Number R>
void fill_parts(const Run& run, WorkspaceOf<R>& w) {
  const auto n = static_cast<std::size_t>(parts(schedule_of(run).layout(), pipeline_shape(run)));
  w.classes.clear();
  w.class_of.resize(n);
  for (auto& contents : w.contents) {
    contents.resize(static_cast<std::size_t>(run.strategy.pp));
    for (StageContents<R>& c : contents) c.known = false;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const auto part = static_cast<std::int64_t>(j);
    const bool again = repeats_previous_part(run, part, static_cast<std::int64_t>(n));
    w.class_of[j] = again ? w.class_of[j - 1] : find_class<R>(run, part, w);
  }
  w.distinct.clear();
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    if (i == 0 || !has_blocks_of_the_one_before(run, w, i)) w.distinct.push_back(i);
  }
}

namespace {

// `free`: in place of the run's own sharding and of the place of its weights.
template <Number R>
void fill_costs(const Run& run, WorkspaceOf<R>& w, const FreeSharding* free) {
  for (StageClass<R>& c : w.classes) {
    c.costs = stage_costs<R>(run, w.prices, c.blocks, c.again, free);
    add_streams<R>(run, c, free);
  }
  const std::size_t n = w.class_of.size();
  w.swept = {};
  w.forward.resize(n);
  w.backward.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const StageCosts<R>& costs = w.classes[w.class_of[j]].costs;
    w.forward[j] = costs.forward_time;
    w.backward[j] = costs.backward_time;
  }
  if (schedule_of(run).entry().written_out) fill_split_steps<R>(run, w);
}

}  // namespace

template <Number R>
void fill_costs(const Run& run, WorkspaceOf<R>& w) {
  fill_costs<R>(run, w, nullptr);
}

void fill_least_costs(const Run& run, Workspace& w, const FreeSharding& free) {
  fill_costs<double>(run, w, &free);
}

void set_part(const Run& run, std::int64_t part, const BlockCounts& blocks,
              const RecomputedBlocks& again, Workspace& w) {
  const std::size_t known = w.classes.size();
  const std::uint16_t i = find_class<double>(run, blocks, again, w);
  StageClass<double>& c = w.classes[i];
  if (w.classes.size() > known) {
    c.costs = stage_costs<double>(run, w.prices, c.blocks, c.again, nullptr);
    add_streams<double>(run, c, nullptr);
  }
  const auto j = static_cast<std::size_t>(part);
  w.class_of[j] = i;
  w.forward[j] = c.costs.forward_time;
  w.backward[j] = c.costs.backward_time;
  const std::int64_t stage = seat_of(schedule_of(run).layout(), pipeline_shape(run), part, 0).stage;
  for (auto& contents : w.contents) contents[static_cast<std::size_t>(stage)].known = false;
}

template void fill_classes(const Run&, WorkspaceOf<double>&);
template void fill_classes(const Run&, WorkspaceOf<Traced>&);
template void fill_parts(const Run&, WorkspaceOf<double>&);
template void fill_parts(const Run&, WorkspaceOf<Traced>&);
template void fill_costs(const Run&, WorkspaceOf<double>&);
template void fill_costs(const Run&, WorkspaceOf<Traced>&);

}  // namespace orrery
