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

// Splits, copies of the key that heads share, concatenations and rotary embedding: of 69 launches
// forward and 101 backward in DeepSeek's public trace of a layer (deepseek-ai/profile-data
// @4496024), those that are no product, cast, norm, router or attention.
constexpr Kernels kLatentKernels = {30, 50};

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
  const std::int64_t width = std::max<std::int64_t>(1, std::min(chunk, s));
  const auto c = static_cast<double>(width);
  const double whole = static_cast<double>(s / width);
  const double rest = n - whole * c;
  return (whole * c * (c + 1) / 2 + rest * (rest + 1) / 2) / (n * n);
}

// Pairs if a query sees half a window of keys on either side of its own (ModernBERT,
// arXiv:2412.13663: 64 of 128).
double centred_fraction(std::int64_t s, std::int64_t window) {
  const auto n = static_cast<double>(s);
  const auto half = static_cast<double>(std::min(window / 2, s - 1));
  return (n * (2 * half + 1) - half * (half + 1)) / (n * n);
}

// The indexer leaves fewer keys than there are.
bool is_sparse(const BuildContext& c, Mixer mixer) {
  const Indexer& x = c.arch.indexer;
  return x.heads > 0 && x.top_k < c.s() && mixer != Mixer::all_keys;
}

// No mask hides what follows: an encoder's attention, and a decoder's to its encoder.
bool sees_all(Mixer mixer) {
  return mixer == Mixer::encoder || mixer == Mixer::local_encoder || mixer == Mixer::cross;
}

// Pairs that the mask keeps of one document of n tokens.
double document_fraction(const BuildContext& c, Mixer mixer, std::int64_t n) {
  if (mixer == Mixer::local_encoder) return centred_fraction(n, c.arch.sliding_window);
  if (sees_all(mixer)) return 1.0;
  if (is_sparse(c, mixer)) return window_fraction(n, c.arch.indexer.top_k);
  if (mixer != Mixer::local_attention) return causal_fraction(n);
  if (c.arch.sliding_window > 0) return window_fraction(n, c.arch.sliding_window);
  return chunk_fraction(n, c.arch.attention_chunk_size);
}

// The share of a sequence's pairs, of which a document of n tokens keeps kept(n) of its own.
template <class Kept>
double within_documents(const BuildContext& c, const Kept& kept) {
  const SequenceLengths& documents = c.options.lengths;
  return documents.count == 0 ? kept(c.s()) : packed_pairs(documents, c.s(), kept);
}

double masked_fraction(const BuildContext& c, Mixer mixer) {
  return within_documents(c, [&](std::int64_t n) { return document_fraction(c, mixer, n); });
}

// Sizes shared by the kernels of the attention core. Sparse latent attention runs on the compressed
// keys and values, which all heads share (DeepSeek-V3.2, section 2).
void set_core(Operator& op, const BuildContext& c, Mixer mixer) {
  const bool compressed = is_sparse(c, mixer) && c.arch.attention == AttentionKind::kLatent;
  const LatentAttention& m = c.arch.mla;
  const bool packed = c.options.lengths.count > 0;
  const bool limited = mixer == Mixer::local_attention || is_sparse(c, mixer) || packed;
  op.groups = {c.arch.heads, c.b(), Axis::tensor};
  op.inner = {compressed ? m.kv_lora_rank + m.qk_rope_head_dim : c.arch.head_dim, 1, Axis::whole};
  op.cols2 = {compressed ? m.kv_lora_rank : value_head_dim(c.arch), 1, Axis::whole};
  op.masked_pairs = masked_fraction(c, mixer);
  op.megatron_pairs = limited ? std::min(1.0, 2 * op.masked_pairs) : 1.0;
  if (sees_all(mixer)) op.megatron_pairs = op.masked_pairs;
  op.recomputed_by = kCore;
}

// Context parallelism sends keys and values, and under all-to-all also queries and the output.
void cross_context(Operator& op, const BuildContext& c) {
  const std::int64_t kv_width = c.arch.head_dim + value_head_dim(c.arch);
  const double bytes = c.e() * c.options.context_share;
  cross(op, BoundaryKind::context_keys, c.tokens(), key_heads(c, kv_width), bytes);
  cross(op, BoundaryKind::context_heads, c.tokens(), query_heads(c, kv_width), bytes);
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

void append_fused_core(Block& block, const BuildContext& c, Mixer mixer, ModuleMask qkv_dropped) {
  Operator& op = append(block, OpName::attention, OpKind::fused_attention,
                        {c.s(), 1, Axis::context}, {c.s(), 1, Axis::whole});
  set_core(op, c, mixer);
  op.pairs = std::min(1.0, op.masked_pairs * c.options.document_load);
  if (c.arch.attention_sinks) {
    op.vectors = 1;
    op.vector_extent = query_heads(c, 1);
  }
  save(op, c.tokens(), query_heads(c, c.arch.head_dim), c.e(), qkv_dropped);
  if (mixer != Mixer::reused_keys) {
    save(op, c.tokens(), attended_heads(c, c.arch.head_dim), c.e(),
         static_cast<ModuleMask>(qkv_dropped | kKeysDropped));
    save(op, c.tokens(), attended_heads(c, value_head_dim(c.arch)), c.e(), qkv_dropped);
  }
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

void append_unfused_core(Block& block, const BuildContext& c, Mixer mixer, ModuleMask qkv_dropped) {
  const Extent queries{c.s(), 1, Axis::context};
  const Extent keys{c.s(), 1, Axis::whole};
  const Extent score_rows{c.arch.heads, c.b(), Axis::tensor};
  const Extent score_cols{c.s(), c.s(), Axis::context};

  Operator& scores = append(block, OpName::attention_scores, OpKind::scores, queries, keys);
  set_core(scores, c, mixer);
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
  set_core(values, c, mixer);
  save(values, c.tokens(), attended_heads(c, value_head_dim(c.arch)), c.e(), qkv_dropped);
}

}  // namespace

void append_rope(Block& block, const BuildContext& c) {
  if (c.arch.positions != PositionEmbedding::kRope) return;
  const bool latent = c.arch.attention == AttentionKind::kLatent;
  const std::int64_t width = latent ? c.arch.mla.qk_rope_head_dim : c.arch.head_dim;
  Operator& op = append(block, OpName::rope, OpKind::pointwise, c.tokens(), query_heads(c, width));
  op.cols2 = key_heads(c, width);
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 2 * c.e();
  if (c.unfused(Chain::rotary)) run_chain(op, eager_rotary(c.e()), op.rows, op.cols, 0);
  op.recomputed_by |= mask_of(Module::qkv_proj);
  if (latent) {
    op.recomputed_by = mask_of(Module::mla_up_proj);
    op.kernels = kLatentKernels;
  }
}

// RMSNorm over each head of queries and keys (Qwen3): one vector of head_dim for each of the two.
// Over the whole width (OLMo 2): vectors as wide as queries and as keys.
void append_qk_norm(Block& block, const BuildContext& c, Mixer mixer) {
  if (!c.arch.qk_norm && !c.arch.qk_norm_whole) return;
  const std::int64_t d = c.arch.head_dim;
  const bool own_keys = mixer != Mixer::reused_keys;
  Operator& op = append(block, OpName::qk_norm, OpKind::pointwise, c.tokens(), query_heads(c, d));
  if (own_keys) op.cols2 = key_heads(c, d);
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 3 * c.e();
  op.vectors = (c.arch.qk_norm_whole || !own_keys ? 1 : 2) * (c.arch.qk_norm_bias ? 2 : 1);
  if (!c.arch.qk_norm_whole) op.vector_extent = {d, 1, Axis::whole};
  save(op, c.tokens(), query_heads(c, d), c.e());
  if (own_keys) save(op, c.tokens(), key_heads(c, d), c.e());
  op.recomputed_by |= mask_of(Module::qkv_proj);
  for (std::uint8_t i = 0; i < op.saved_count; ++i)
    op.saved[i].dropped_by |= mask_of(Module::qkv_proj);
}

namespace {

// Queries through a narrow projection (Step 3); keys and values from one, normalised (DeepSeek-V4).
void append_narrow_projections(Block& block, const BuildContext& c) {
  const Extent rank{c.arch.mla.q_lora_rank, 1, Axis::whole};
  append_input_norm(block, c, OpName::input_norm, true);
  Operator& down = append_linear(block, OpName::q_down, c.sequence_tokens(), c.hidden(), rank);
  save(down, c.sequence_tokens(), c.hidden(), c.w(), c.input_dropped());
  append_norm(block, c, OpName::q_norm_latent, c.sequence_tokens(), rank, true);
  Operator& up = append_linear(block, OpName::q_up, c.tokens(), rank,
                               query_heads(c, c.arch.head_dim + c.arch.attention_gate_dim));
  save(up, c.input_tokens(), rank, c.w(), kNorms);
  cross(up, BoundaryKind::enter_tensor, c.tokens(), rank, c.e());
  const Extent keys = key_heads(c, (c.arch.keys_are_values ? 1 : 2) * c.arch.head_dim);
  append_linear(block, OpName::kv_down, c.tokens(), c.hidden(), keys);
  if (!c.arch.keys_are_values) return;
  append_norm(block, c, OpName::kv_norm_latent, c.tokens(), keys, true);
}

void append_projections(Block& block, const BuildContext& c, Mixer mixer) {
  if (c.arch.mla.q_lora_rank > 0) return append_narrow_projections(block, c);
  append_input_norm(block, c, OpName::input_norm, true);
  Operator& qkv = append_linear(block, OpName::qkv, c.tokens(), c.hidden(),
                                query_heads(c, c.arch.head_dim + c.arch.attention_gate_dim));
  if (mixer != Mixer::reused_keys) qkv.cols2 = key_heads(c, 2 * c.arch.head_dim);
  qkv.vectors = c.arch.qkv_bias ? 1 : 0;
  qkv.recomputed_by |= mask_of(Module::qkv_proj);
  save(qkv, c.input_tokens(), c.hidden(), c.w(), c.input_dropped());
  cross(qkv, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  append_qk_norm(block, c, mixer);
}

// A sigmoid of the gate times the output of each head.
void append_gate(Block& block, const BuildContext& c) {
  if (c.arch.attention_gate_dim == 0) return;
  const Extent output = query_heads(c, value_head_dim(c.arch));
  Operator& op = append(block, OpName::attention_gate, OpKind::pointwise, c.tokens(), output);
  op.forward_bytes = 3 * c.e();
  op.backward_bytes = 5 * c.e();
  save(op, c.tokens(), query_heads(c, c.arch.attention_gate_dim), c.e());
  if (c.options.fused_attention) save(op, c.tokens(), output, c.e(), c.context_dropped());
}

}  // namespace

void append_core(Block& block, const BuildContext& c, Mixer mixer, ModuleMask qkv_dropped) {
  if (c.options.fused_attention) {
    append_fused_core(block, c, mixer, qkv_dropped);
  } else {
    append_unfused_core(block, c, mixer, qkv_dropped);
  }
}

namespace {

// Groups of heads are compressed apart, then projected together.
Extent append_compressed_output(Block& block, const BuildContext& c, Extent context) {
  const std::int64_t groups = c.arch.output_groups;
  if (groups == 0) return context;
  Operator& down = append_linear(block, OpName::latent_down, c.tokens(),
                                 {c.arch.heads / groups * value_head_dim(c.arch), 1, Axis::whole},
                                 {groups, c.arch.output_rank, Axis::tensor});
  save(down, c.tokens(), context, c.w(), c.context_dropped());
  return {groups, c.arch.output_rank, Axis::tensor};
}

void append_out(Block& block, const BuildContext& c) {
  const Extent context = append_compressed_output(block, c, query_heads(c, value_head_dim(c.arch)));
  if (c.arch.inner_norms) {
    append_norm(block, c, OpName::attention_post_norm, c.tokens(), context, true);
  }
  Operator& out = append_linear(block, OpName::attention_out, c.tokens(), context, c.hidden());
  out.vectors = c.arch.attention_out_bias ? 1 : 0;
  out.recomputed_by = mask_of(Module::alternate_products, Module::attn_proj);
  // Fused attention needs its output in backward; the linear layer shares it, or saves its own
  // copy in 8 bits. Both may read one of fewer bits.
  if (c.options.fused_attention && c.options.attention_output_bytes > 0) {
    save(out, c.tokens(), context, c.options.attention_output_bytes, c.context_dropped());
    return;
  }
  const double element = c.options.fused_attention ? c.e() : c.w();
  save(out, c.tokens(), context, element, c.context_dropped());
  if (c.w() < element) save(out, c.tokens(), context, c.w(), c.context_dropped());
}

void end_attention(Block& block, const BuildContext& c) {
  cross(block.operators[block.count - 1], BoundaryKind::leave_tensor, c.tokens(), c.hidden(),
        c.e());
  append_branch_end(block, c, OpName::attention_post_norm, OpName::attention_residual);
  block.operators[block.count - 1].recomputed_by |= mask_of(Module::attn_proj);
}

// A decoder's attention to its encoder's output, which is as long as its own input.
void append_cross(Block& block, const BuildContext& c) {
  append_input_norm(block, c, OpName::cross_norm, true);
  Operator& query = append_linear(block, OpName::cross_query, c.tokens(), c.hidden(),
                                  query_heads(c, c.arch.head_dim));
  query.vectors = c.arch.qkv_bias ? 1 : 0;
  save(query, c.input_tokens(), c.hidden(), c.w(), c.input_dropped());
  cross(query, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  Operator& keys = append_linear(block, OpName::cross_keys, c.tokens(), c.hidden(),
                                 key_heads(c, 2 * c.arch.head_dim));
  keys.vectors = c.arch.qkv_bias ? 1 : 0;
  cross(keys, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  append_core(block, c, Mixer::cross, 0);
  append_out(block, c);
  end_attention(block, c);
}

// Low-rank matrices beside a product of `in`, as wide as `out`.
void append_low_rank(Block& block, const BuildContext& c, Extent in, Extent ranks, Extent out) {
  append_linear(block, OpName::narrow_down, c.tokens(), in, ranks);
  const Extent rank{c.arch.shared_rank, 1, Axis::whole};
  Operator& up = append_linear(block, OpName::narrow_up, c.tokens(), rank, out);
  save(up, c.tokens(), ranks, c.w());
}

// Each use of a shared block has matrices of its own, and a projection of the block's output.
void append_own_matrices(Block& block, const BuildContext& c, const BuildContext& wide) {
  const std::int64_t rank = c.arch.shared_rank;
  if (rank > 0) {
    if (c.arch.shared_rank_of_attention) {
      append_low_rank(block, c, wide.hidden(), {rank, 3, Axis::whole},
                      query_heads(c, 3 * c.arch.head_dim));
    }
    append_low_rank(block, c, c.hidden(), {rank, 1, Axis::whole},
                    {c.arch.intermediate, c.arch.gated ? 2 : 1, Axis::tensor});
  }
  Operator& out =
      append_linear(block, OpName::projector, c.sequence_tokens(), c.hidden(), c.hidden());
  save(out, c.sequence_tokens(), c.hidden(), c.w());
}

}  // namespace

// Attention over the layer's input beside the embedding, and an MLP (Zamba 2,
// huggingface/transformers, modeling_zamba2.py).
void append_shared_block(Block& block, const BuildContext& c, bool again) {
  Architecture both = c.arch;
  both.hidden *= 2;
  const BuildContext wide{both, c.options};
  append_projections(block, wide, Mixer::attention);
  append_rope(block, c);
  append_head_copies(block, c);
  append_core(block, c, Mixer::attention, 0);
  append_out(block, c);
  cross(block.operators[block.count - 1], BoundaryKind::leave_tensor, c.tokens(), c.hidden(),
        c.e());
  append_mlp(block, c);
  if (again) share_weights(block);
  append_own_matrices(block, c, wide);
}

double causal_pairs(const BuildContext& c) { return within_documents(c, causal_fraction); }

void append_attention(Block& block, const BuildContext& c, Mixer mixer) {
  const bool latent = c.arch.attention == AttentionKind::kLatent;
  if (latent) {
    append_latent_projections(block, c);
  } else {
    append_projections(block, c, mixer);
  }
  append_indexer(block, c, mixer);
  append_rope(block, c);
  append_head_copies(block, c);
  const ModuleMask qkv_dropped = mask_of(latent ? Module::mla_up_proj : Module::qkv_proj);
  append_core(block, c, mixer == Mixer::cross ? Mixer::attention : mixer, qkv_dropped);
  append_gate(block, c);
  append_out(block, c);
  // Parallel residual: attention and MLP outputs are summed first and reduced once, by the MLP.
  // Beside a recurrence: by that.
  if (c.arch.parallel_residual || mixer == Mixer::beside) return;
  end_attention(block, c);
  if (mixer == Mixer::cross) append_cross(block, c);
}

}  // namespace orrery
