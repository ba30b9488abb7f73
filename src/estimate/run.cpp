// SPDX-License-Identifier: Apache-2.0
#include "estimate/run.h"

#include <algorithm>

#include "cost/operator_time.h"
#include "estimate/price.h"
#include "model/operators.h"
#include "parallel/partition.h"
#include "parallel/rules.h"

namespace orrery {

double most_expert_load(const Architecture& model, std::int64_t ep) {
  if (!is_moe(model)) return 1;
  const MixtureOfExperts& moe = model.moe;
  return std::max(1.0, std::min(static_cast<double>(ep),
                                static_cast<double>(moe.experts) / static_cast<double>(moe.top_k)));
}

namespace {

// FlashAttention takes keys that several heads share. SDPA is given repeated ones (transformers,
// integrations: repeat_kv stands in its path and in the eager one alone [from memory]).
bool repeats_keys(const Run& run) {
  if (!run.training.fused_attention) return true;
  const AttentionKernel k = kernel_choice(run).attention;
  return k != AttentionKernel::flash_2 && k != AttentionKernel::flash_3 &&
         k != AttentionKernel::flash_4;
}

}  // namespace

ListOptions list_options(const Run& run) {
  ListOptions o;
  o.sequence = run.training.sequence;
  o.micro_batch = run.strategy.micro_batch;
  o.precision = run.training.precision;
  o.adapter = run.training.adapter;
  o.fused_attention = run.training.fused_attention;
  o.cross_entropy =
      run.strategy.tp > 1 ? run.framework.loss.split_method : run.framework.loss.method;
  o.unfused = run.framework.kernels.unfused;
  if (!repeats_keys(run)) {
    o.unfused &= static_cast<ChainMask>(~mask_of(Chain::repeated_keys));
  }
  o.keeps_gathered_inputs = run.framework.saved.gathered_inputs;
  // Inputs are quantised before tp gathers them.
  o.keeps_wide_inputs = run.framework.saved.wide_inputs && run.strategy.tp == 1;
  o.keeps_context = run.framework.recompute.keeps_context;
  o.gate_bytes = run.framework.saved.gate_bytes;
  o.attention_output_bytes = run.framework.saved.attention_output_bytes;
  o.expert_load = std::min(run.training.expert_load, most_expert_load(run.model, run.strategy.ep));
  o.lengths = run.training.lengths;
  if (o.lengths.count > 0) {
    // Ranks wait for each other at the end of a step, or where they gather weights.
    const Strategy& s = run.strategy;
    const bool gathers = s.partition.weights > 1 || resharded(s).partition.weights > 1;
    const std::int64_t steps = gathers ? 1 : s.micro_batches;
    o.document_load = slowest_rank(o.lengths, o.sequence, s.dp, s.micro_batch * steps);
    if (s.dynamic_cp) o.context_share = context_share(o.lengths, o.sequence, s.cp);
  }
  o.vocabulary_multiple = run.framework.vocabulary.multiple *
                          (run.framework.vocabulary.multiple_per_tp ? run.strategy.tp : 1);
  return o;
}

PipelineShape pipeline_shape(const Strategy& s) {
  return shape_of_pipeline(s.schedule, s.pp, s.vpp, s.micro_batches, s.schedule_runs);
}

PipelineShape pipeline_shape(const Run& run) {
  const Strategy& s = run.strategy;
  return shape_of_pipeline(schedule_of(run), s.pp, s.vpp, s.micro_batches, s.schedule_runs);
}

RunShape shape_of(const Run& run) {
  RunShape shape;
  shape.gpus = run.cluster.gpus;
  shape.sequence = run.training.sequence;
  shape.global_batch = run.training.global_batch;
  shape.has_host_memory =
      run.cluster.host.memory_bandwidth.si() > 0 && run.cluster.device.host_link.bandwidth.si() > 0;
  shape.has_nvme = run.cluster.nvme.read.si() > 0 && run.cluster.nvme.write.si() > 0;
  shape.weight_bits = 8 * gathered_bytes(run);
  for (const CommDimension d : {CommDimension::dp, CommDimension::edp}) {
    using enum Collective;
    shape.compresses_weights |= compresses(run.compression, d, all_gather);
    shape.compresses_gradients |= compresses(run.compression, d, reduce_scatter);
  }
  shape.gradient_bits = 8 * run.training.recipe.reduced;
  return shape;
}

Run resharded(const Run& run) {
  Run other = run;
  other.strategy = resharded(run.strategy);
  return other;
}

bool is_legal(const Run& run) {
  if (run.own_order && pipeline_shape(run) != run.own_order->shape) return false;
  return first_broken(run.strategy, run.model, shape_of(run)) == RuleId::none;
}

}  // namespace orrery
