// SPDX-License-Identifier: Apache-2.0
//
// Self-attention: norm, projections, scores, output, residual.
// Saved tensors: Korthikanti et al. (arXiv:2205.05198) section 4.1, 11sbh + 5as²b for the GPT form.
#include <algorithm>

#include "model/layers/build.h"

namespace orrery {
namespace {

constexpr ModuleMask kCore = mask_of(Module::core_attn);
constexpr unsigned kKeysDropped = mask_of(Module::alternate_products);
constexpr double kStatisticBytes = 4;  // FlashAttention keeps one fp32 log-sum-exp a row and head

Extent query_heads(const BuildContext& c, std::int64_t width) {
  return {c.arch.heads, width, Axis::tensor};
}

Extent key_heads(const BuildContext& c, std::int64_t width) {
  return {c.arch.kv_heads, width, Axis::tensor};
}

// Pairs that a causal mask keeps of s queries × s keys: s(s+1)/2.
double causal_fraction(std::int64_t s) {
  const auto n = static_cast<double>(s);
  return (n + 1) / (2 * n);
}

// Pairs if a query sees at most the last w keys: w(w+1)/2 + (s−w)w.
double window_fraction(std::int64_t s, std::int64_t window) {
  const auto n = static_cast<double>(s);
  const double w = static_cast<double>(std::min(window, s));
  return (w * (w + 1) / 2 + (n - w) * w) / (n * n);
}

// Pairs if a query sees only the keys of its own chunk (the last chunk may be short).
double chunk_fraction(std::int64_t s, std::int64_t chunk) {
  const auto n = static_cast<double>(s);
  const auto c = static_cast<double>(std::min(chunk, s));
  const double whole = static_cast<double>(s / std::min(chunk, s));
  const double rest = n - whole * c;
  return (whole * c * (c + 1) / 2 + rest * (rest + 1) / 2) / (n * n);
}

double masked_fraction(const BuildContext& c, bool local) {
  if (!local) return causal_fraction(c.s());
  if (c.arch.sliding_window > 0) return window_fraction(c.s(), c.arch.sliding_window);
  return chunk_fraction(c.s(), c.arch.attention_chunk_size);
}

// Sizes shared by the kernels of the attention core.
void set_core(Operator& op, const BuildContext& c, bool local) {
  op.groups = {c.arch.heads, c.b(), Axis::tensor};
  op.inner = {c.arch.head_dim, 1, Axis::whole};
  op.cols2 = {value_head_dim(c.arch), 1, Axis::whole};
  op.masked_pairs = masked_fraction(c, local);
  op.megatron_pairs = local ? std::min(1.0, 2 * op.masked_pairs) : 1.0;
  op.recomputed_by = kCore;
}

// Context parallelism sends keys and values, and under all-to-all also queries and the output.
void cross_context(Operator& op, const BuildContext& c) {
  const std::int64_t kv_width = c.arch.head_dim + value_head_dim(c.arch);
  cross(op, BoundaryKind::context_keys, c.tokens(), key_heads(c, kv_width), c.e());
  cross(op, BoundaryKind::context_heads, c.tokens(), query_heads(c, kv_width), c.e());
}

// Keys or values as the kernel reads them: for every head, if they are repeated.
Extent attended_heads(const BuildContext& c, std::int64_t width) {
  return c.unfused(Chain::repeated_keys) ? query_heads(c, width) : key_heads(c, width);
}

// Copies of queries, keys and values in the kernel's layout, made before it and undone after it:
// each is read and written, forward and backward, and keys and values stay as copies.
void append_head_copies(Block& block, const BuildContext& c) {
  if (!c.unfused(Chain::head_copies)) return;
  Operator& op = append(block, OpName::head_copies, OpKind::pointwise, c.tokens(),
                        query_heads(c, c.arch.head_dim));
  op.cols2 = key_heads(c, c.arch.head_dim + value_head_dim(c.arch));
  op.forward_bytes = 4 * c.e();
  op.backward_bytes = 4 * c.e();
  op.kernels = {4, 4};
  save(op, c.tokens(), key_heads(c, c.arch.head_dim + value_head_dim(c.arch)), c.e());
}

void append_fused_core(Block& block, const BuildContext& c, bool local, ModuleMask qkv_dropped) {
  Operator& op = append(block, OpName::attention, OpKind::fused_attention,
                        {c.s(), 1, Axis::context}, {c.s(), 1, Axis::whole});
  set_core(op, c, local);
  op.pairs = op.masked_pairs;
  op.kernels = {2, 3};
  if (c.arch.attention_sinks) {
    op.vectors = 1;
    op.vector_extent = query_heads(c, 1);
  }
  save(op, c.tokens(), query_heads(c, c.arch.head_dim), c.e(), qkv_dropped);
  save(op, c.tokens(), attended_heads(c, c.arch.head_dim), c.e(),
       static_cast<ModuleMask>(qkv_dropped | kKeysDropped));
  save(op, c.tokens(), attended_heads(c, value_head_dim(c.arch)), c.e(), qkv_dropped);
  save(op, c.tokens(), query_heads(c, 1), kStatisticBytes, kCore);
  cross_context(op, c);
}

// Scores of every head: rows (head, sequence of the batch), cols the s × s/cp matrix.
Operator& append_on_scores(Block& block, const BuildContext& c, OpName name) {
  Operator& op = append(block, name, OpKind::pointwise, {c.arch.heads, c.b(), Axis::tensor},
                        {c.s(), c.s(), Axis::context});
  op.recomputed_by = kCore;
  return op;
}

void append_unfused_core(Block& block, const BuildContext& c, bool local, ModuleMask qkv_dropped) {
  const Extent queries{c.s(), 1, Axis::context};
  const Extent keys{c.s(), 1, Axis::whole};
  const Extent score_rows{c.arch.heads, c.b(), Axis::tensor};
  const Extent score_cols{c.s(), c.s(), Axis::context};

  Operator& scores = append(block, OpName::attention_scores, OpKind::scores, queries, keys);
  set_core(scores, c, local);
  if (c.arch.attention_sinks) {
    scores.vectors = 1;
    scores.vector_extent = query_heads(c, 1);
  }
  save(scores, c.tokens(), query_heads(c, c.arch.head_dim), c.e(), qkv_dropped);
  save(scores, c.tokens(), attended_heads(c, c.arch.head_dim), c.e(),
       static_cast<ModuleMask>(qkv_dropped | kKeysDropped));
  cross_context(scores, c);

  // Scale, mask and softmax are one kernel: read and write; backward reads p and dp and writes ds.
  Operator& softmax = append_on_scores(block, c, OpName::attention_softmax);
  softmax.forward_bytes = 2 * c.e();
  softmax.backward_bytes = 3 * c.e();
  save(softmax, score_rows, score_cols, c.e(), kCore);
  if (c.unfused(Chain::softmax)) {
    run_chain(softmax, eager_softmax(c.e()), score_rows, score_cols, kCore);
  }

  if (c.arch.dropout) {
    Operator& dropout = append_on_scores(block, c, OpName::attention_dropout);
    dropout.forward_bytes = 2 * c.e() + 1;
    dropout.backward_bytes = 2 * c.e() + 1;
    save(dropout, score_rows, score_cols, 1, kCore);
    save(dropout, score_rows, score_cols, c.e(), kCore);
  }

  Operator& values = append(block, OpName::attention_values, OpKind::values, queries, keys);
  set_core(values, c, local);
  save(values, c.tokens(), attended_heads(c, value_head_dim(c.arch)), c.e(), qkv_dropped);
}

void append_rope(Block& block, const BuildContext& c) {
  if (c.arch.positions != PositionEmbedding::kRope) return;
  const bool latent = c.arch.attention == AttentionKind::kLatent;
  const std::int64_t width = latent ? c.arch.mla.qk_rope_head_dim : c.arch.head_dim;
  Operator& op = append(block, OpName::rope, OpKind::pointwise, c.tokens(), query_heads(c, width));
  op.cols2 = key_heads(c, width);
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 2 * c.e();
  op.kernels = {2, 2};
  if (c.unfused(Chain::rotary)) run_chain(op, eager_rotary(c.e()), op.rows, op.cols, 0);
  if (latent) op.recomputed_by = mask_of(Module::mla_up_proj);
}

// RMSNorm over each head of queries and keys (Qwen3): one vector of head_dim for each of the two.
void append_qk_norm(Block& block, const BuildContext& c) {
  if (!c.arch.qk_norm) return;
  const std::int64_t d = c.arch.head_dim;
  Operator& op = append(block, OpName::qk_norm, OpKind::pointwise, c.tokens(), query_heads(c, d));
  op.cols2 = key_heads(c, d);
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 3 * c.e();
  op.vectors = 2;
  op.vector_extent = {d, 1, Axis::whole};
  save(op, c.tokens(), query_heads(c, d), c.e());
  save(op, c.tokens(), key_heads(c, d), c.e());
}

void append_projections(Block& block, const BuildContext& c) {
  append_norm(block, c, OpName::input_norm, c.sequence_tokens(), c.hidden(), true);
  Operator& qkv =
      append_linear(block, OpName::qkv, c.tokens(), c.hidden(), query_heads(c, c.arch.head_dim));
  qkv.cols2 = key_heads(c, 2 * c.arch.head_dim);
  qkv.vectors = c.arch.qkv_bias ? 1 : 0;
  save(qkv, c.input_tokens(), c.hidden(), c.w(), kNorms);
  cross(qkv, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  append_qk_norm(block, c);
}

}  // namespace

void append_attention(Block& block, const BuildContext& c, bool local) {
  const bool latent = c.arch.attention == AttentionKind::kLatent;
  if (latent) {
    append_latent_projections(block, c);
  } else {
    append_projections(block, c);
  }
  append_rope(block, c);
  append_head_copies(block, c);

  const ModuleMask qkv_dropped = latent ? mask_of(Module::mla_up_proj) : ModuleMask{0};
  if (c.options.fused_attention) {
    append_fused_core(block, c, local, qkv_dropped);
  } else {
    append_unfused_core(block, c, local, qkv_dropped);
  }

  const Extent context = query_heads(c, value_head_dim(c.arch));
  Operator& out = append_linear(block, OpName::attention_out, c.tokens(), context, c.hidden());
  out.vectors = c.arch.attention_out_bias ? 1 : 0;
  out.recomputed_by = mask_of(Module::alternate_products);
  // Fused attention needs its output in backward; the linear layer shares it, or saves its own
  // copy in 8 bits.
  save(out, c.tokens(), context, c.options.fused_attention ? c.e() : c.w());
  if (c.options.fused_attention && c.w() < c.e()) save(out, c.tokens(), context, c.w());
  // Parallel residual: attention and MLP outputs are summed first and reduced once, by the MLP.
  if (!c.arch.parallel_residual) {
    cross(out, BoundaryKind::leave_tensor, c.tokens(), c.hidden(), c.e());
    append_residual(block, c, OpName::attention_residual);
  }
}

}  // namespace orrery
