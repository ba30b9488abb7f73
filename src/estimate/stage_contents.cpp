// SPDX-License-Identifier: Apache-2.0
#include "estimate/stage_contents.h"

#include <algorithm>
#include <vector>

#include "estimate/block_parameters.h"
#include "estimate/counted_parts.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "memory/peak_moment.h"
#include "parallel/schedules/table.h"

namespace orrery {

namespace {

// Without ranges no block is sharded otherwise than the run: the common case of a search.
bool has_ranges(const Run& run) { return run.strategy.layers.count > 0; }

}  // namespace

template <Number R>
StageParameters parameters_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  StageParameters sum;
  std::vector<ParametersHeld> parts;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const StageParameters& of_chunk = class_of<R>(w, part).parameters;
    static_cast<ParametersHeld&>(sum) += of_chunk;
    if (has_ranges(run)) sum.resharded += of_chunk.resharded;
    if constexpr (std::same_as<R, Traced>) parts.push_back(class_of<R>(w, part).parameters);
  });
  if constexpr (std::same_as<R, Traced>) record_parameters(parts);
  return sum;
}

namespace {

// Process groups: one for each dimension with several ranks, and the world's.
std::int64_t communicators(const Strategy& s) {
  const std::int64_t world = s.tp * s.cp * s.pp * s.dp;
  std::int64_t n = 0;
  bool spans_world = world == 1;
  for (const std::int64_t size : {s.tp, s.cp, s.pp, s.ep, s.dp * s.cp}) {
    n += size > 1 ? 1 : 0;
    spans_world = spans_world || size == world;
  }
  return spans_world ? n : n + 1;
}

// NCCL's channels over those of an A100: one for each 12.5 GB/s of a GPU's links, 12 on a V100, 24
// on an A100, at most 32 (where they have buffers of their own: NVIDIA/nccl issue 1685).
double channels_over_a100(const Cluster& c) {
  return std::clamp(c.tiers.front().bandwidth.si() / 12.5e9, 2.0, 32.0) / 24;
}

template <Number R>
ParametersHeld largest_layer(const Prices<R>& prices, const BlockCounts& blocks) {
  ParametersHeld most;
  for (const BlockType i : kAllOf<BlockType>) {
    if (blocks[i] == 0 || !kBlockFacts[i].is_layer) continue;
    most = larger_of(most, prices.blocks[i].parameters);
  }
  return most;
}

template <Number R>
StageActivations<R> activations_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage) {
  const PipelineShape shape = pipeline_shape(run);
  std::span<const HeldChunk> moments;
  if (schedule_of(run).entry().written_out) {
    const SweepGraph& graph = w.pipeline.graphs.of(schedule_of(run), shape);
    moments = graph.held[static_cast<std::size_t>(stage)];
  }
  w.chunks.clear();
  for_each_chunk(run, stage,
                 [&](std::int64_t part) { w.chunks.push_back(class_of<R>(w, part).activations); });
  return stage_activations<R>(run.strategy.schedule, shape, stage, moments,
                              std::span<const ChunkActivations<R>>(w.chunks),
                              run.strategy.offload.activations);
}

// One buffer for what each micro batch receives, forward and back; an input that is kept lies in
// its own.
template <Number R>
Bytes receive_buffers(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage,
                      std::int64_t in_flight) {
  if (!run.framework.pipeline.receives_apart || run.strategy.pp == 1) return {};
  const std::int64_t of_one_run = run.strategy.micro_batches / run.strategy.schedule_runs;
  std::int64_t buffers = 0;
  bool receives_inputs = false;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    if (part > 0) buffers += of_one_run;
    if (class_of<R>(w, part).blocks[BlockType::head] == 0) buffers += of_one_run;
    receives_inputs = receives_inputs || part > 0;
  });
  const std::int64_t beside =
      receives_inputs ? std::max<std::int64_t>(0, buffers - in_flight) : buffers;
  return boundary_bytes(run) * static_cast<double>(beside);
}

template <Number R>
void add_largest(const Prices<R>& prices, const BlockCounts& blocks, ShardedHoldings& h) {
  h.largest_layer = larger_of(h.largest_layer, largest_layer<R>(prices, blocks));
  for (const BlockType i : kAllOf<BlockType>) {
    if (blocks[i] == 0) continue;
    h.largest_module = larger_of(h.largest_module, prices.blocks[i].largest_module);
  }
}

// Products sum over either dimension of a weight. Blackwell's 8-bit ones read one copy both ways
// (NVIDIA/TransformerEngine, fp8_delayed_scaling.rst); scales of blocks go along one dimension.
double narrow_copy_bytes(const Run& run) {
  const Precision linear = run.training.precision;
  if (!run.framework.saved.narrow_weights || !is_low_precision(linear)) return 0;
  const bool either_way =
      linear == Precision::fp8 && run.cluster.device.generation == Generation::blackwell;
  return element_bytes(linear) * (either_way ? 1 : 2);
}

template <Number R>
StageHoldings holdings_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  StageHoldings h;
  const StageParameters parameters = parameters_of_stage<R>(run, w, stage);
  h.parameters = static_cast<const ParametersHeld&>(parameters);
  h.resharded.parameters = parameters.resharded;
  h.gathered_bytes = gathered_bytes(run);
  h.narrow_bytes = narrow_copy_bytes(run);
  h.narrow_fixed = !run.training.adapter || !is_packed(run.training.adapter->base);
  h.updated_one_by_one = is_by_shape(run.training.optimizer);
  h.groups = static_cast<double>(communicators(run.strategy)) * channels_over_a100(run.cluster);
  const StageClass<R>* before = nullptr;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const StageClass<R>& c = class_of<R>(w, part);
    const BlockCounts& apart = c.again.resharded;
    if (&c != before && !has_ranges(run)) add_largest(w.prices, c.blocks, h);
    if (&c != before && has_ranges(run)) {
      add_largest(w.prices, without(c.blocks, apart), h);
      add_largest(w.prices, apart, h.resharded);
    }
    before = &c;
    for (const BlockType end : kAllOf<BlockType>) {
      if (c.blocks[end] == 0 || kBlockFacts[end].is_layer) continue;
      (apart[end] > 0 ? h.resharded : h).ends += block_parameters(run, w.prices, end);
    }
  });
  return h;
}

// The cached blocks of one micro batch's loss, which remain at all times.
template <Number R>
BytesOf<R> cached_of_loss(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  BytesOf<R> logits{};
  for_each_chunk(run, stage, [&](std::int64_t part) {
    logits = larger(logits, class_of<R>(w, part).activations.logits);
  });
  return logits * lift<R>(run.framework.loss.logits_overhead, {"framework.loss.logits_overhead"});
}

// The activation that a stage passes on, not split over tp.
Bytes whole_boundary(const Run& run) {
  const Strategy& s = run.strategy;
  return boundary_bytes(run) * static_cast<double>(s.sequence_parallel ? s.tp : 1);
}

bool holds_ahead(const Run& run) {
  return run.framework.allocator.records_streams && run.strategy.tp > 1;
}

// A stream takes so many launches before the host waits [from memory: CUDA's launch queue].
constexpr double kLaunchQueue = 1024;
// Outputs that a layer reduces: attention's and the MLP's.
constexpr double kReducedOutputs = 2;

// Outputs that tensor parallelism reduces on another stream. PyTorch's allocator does not use their
// blocks again before that stream has passed (record_stream), and the host asks for the next ones
// as many layers ahead as the launch queue holds.
template <Number R>
BytesOf<R> held_ahead(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  double layers = 0;
  double launches = 0;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const BlockCounts& blocks = class_of<R>(w, part).blocks;
    for (const BlockType i : kAllOf<BlockType>) {
      if (!kBlockFacts[i].in_decoder) continue;
      const double n = static_cast<double>(blocks[i]);
      layers += n;
      launches += n * w.prices.blocks[i].launches[Phase::forward];
    }
  });
  if (launches > kLaunchQueue) layers *= kLaunchQueue / launches;
  return lift<R>(whole_boundary(run) * kReducedOutputs * layers,
                 {"outputs that wait for their reduction"});
}

// The largest tensor of a layer: its input, whole, or what the MLP's first product computes, of all
// experts of a token.
Bytes largest_tensor(const Run& run) {
  const Strategy& s = run.strategy;
  const Architecture& a = run.model;
  const double dense = static_cast<double>(a.intermediate) / static_cast<double>(s.tp);
  const double expert =
      static_cast<double>(a.moe.top_k * a.moe.expert_intermediate) / static_cast<double>(s.etp);
  const double width = std::max(dense, expert) * (a.gated ? 2 : 1);
  return whole_boundary(run) * std::max(1.0, width / static_cast<double>(a.hidden));
}

// Autograd computes an embedding's gradient dense, a block of its weights' size, in every micro
// batch anew (PyTorch, aten/src/ATen/native/cuda/Embedding.cu: embedding_dense_backward [from
// memory]). Where the logits are on another stage and no other tensor is as large, the allocator
// has no block for it, though most of the micro batch's are free by then.
template <Number R>
BytesOf<R> embedding_gradient(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  bool embeds = false;
  bool has_logits = false;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const BlockCounts& blocks = class_of<R>(w, part).blocks;
    embeds = embeds || blocks[BlockType::embedding] > 0;
    has_logits = has_logits || blocks[BlockType::head] > 0;
  });
  if (!embeds || has_logits) return {};
  const std::int64_t n = block_parameters(run, w.prices, BlockType::embedding).dense;
  const Bytes block(static_cast<double>(n) *
                    std::max(element_bytes(Precision::bf16), run.training.recipe.gathered));
  if (block <= largest_tensor(run)) return {};
  return lift<R>(block, {"gradient of the embedding, dense"});
}

// Parts of a stage's memory that do not depend on where its activations are stored.
template <Number R>
StageContents<R> contents_anywhere(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  StageContents<R> c;
  c.known = true;
  c.holdings = holdings_of_stage(run, w, stage);
  if (run.framework.loss.logits_overhead > 0) c.cached_of_loss = cached_of_loss<R>(run, w, stage);
  if (holds_ahead(run)) c.held_ahead = held_ahead<R>(run, w, stage);
  if (run.strategy.pp > 1) c.embedding_gradient = embedding_gradient<R>(run, w, stage);
  return c;
}

}  // namespace

template <Number R>
const StageContents<R>& contents_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage) {
  const bool away = run.strategy.offload.activations != OffloadTarget::none;
  StageContents<R>& c = w.contents[away ? 1 : 0][static_cast<std::size_t>(stage)];
  if (c.known) return c;
  const StageContents<R>& other = w.contents[away ? 0 : 1][static_cast<std::size_t>(stage)];
  c = other.known ? other : contents_anywhere(run, w, stage);
  c.activations = activations_of_stage(run, w, stage);
  c.holdings.receive_buffers = receive_buffers<R>(run, w, stage, c.activations.in_flight);
  return c;
}

template <Number R>
StageStates<R> states_of_stage(const Run& run, const StageContents<R>& contents) {
  return stage_states<R>(run.strategy, run.framework, run.training.recipe, contents.holdings);
}

template <Number R>
StageMemory<R> memory_of_stage(const Run& run, const StageContents<R>& contents,
                               const StageStates<R>& states) {
  StageMemory<R> m = unsettled_memory<R>(run.strategy, run.framework, states, contents.holdings,
                                         contents.activations);
  if (run.framework.loss.logits_overhead > 0) m.outsized += contents.cached_of_loss;
  if (holds_ahead(run)) m.outsized += contents.held_ahead;
  m.outsized += contents.embedding_gradient;
  settle<R>(m, run.framework, run.cluster.device.memory_capacity);
  return m;
}

template <Number R>
StageMemory<R> memory_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage) {
  const StageContents<R>& c = contents_of_stage<R>(run, w, stage);
  return memory_of_stage<R>(run, c, states_of_stage<R>(run, c));
}

template StageParameters parameters_of_stage(const Run&, const WorkspaceOf<double>&, std::int64_t);
template StageParameters parameters_of_stage(const Run&, const WorkspaceOf<Traced>&, std::int64_t);
template const StageContents<double>& contents_of_stage(const Run&, WorkspaceOf<double>&,
                                                        std::int64_t);
template StageStates<double> states_of_stage(const Run&, const StageContents<double>&);
template StageMemory<double> memory_of_stage(const Run&, const StageContents<double>&,
                                             const StageStates<double>&);
template StageMemory<double> memory_of_stage(const Run&, WorkspaceOf<double>&, std::int64_t);
template StageMemory<Traced> memory_of_stage(const Run&, WorkspaceOf<Traced>&, std::int64_t);
template const StageContents<Traced>& contents_of_stage(const Run&, WorkspaceOf<Traced>&,
                                                        std::int64_t);
template StageStates<Traced> states_of_stage(const Run&, const StageContents<Traced>&);
template StageMemory<Traced> memory_of_stage(const Run&, const StageContents<Traced>&,
                                             const StageStates<Traced>&);

}  // namespace orrery
