// SPDX-License-Identifier: Apache-2.0
//
// The kinds of layers of a trunk: one or two streams, cross attention, a Conformer's convolution, a
// level's convolutions.
#include "core/divide.h"
#include "model/layers/trunk_part.h"

namespace orrery {
namespace {

constexpr double kRowStatistic = 4;

// Attention of a layer's tokens to the keys of others, which no context-parallel rank splits.
class Crossing {
 public:
  Crossing(Block& block, Part& part, const TrunkLayer& layer, std::int64_t keys)
      : block_(block), part_(part), c_(part.c()), l_(layer), keys_(keys) {}

  void append() {
    const bool modulated = modulates_three(l_.main);
    if (l_.cross_norm > 0 || modulated) append_norm_of_queries(modulated);
    Operator& query = append_linear(block_, OpName::cross_query, c_.tokens(), c_.hidden(),
                                    part_.heads(l_.head_dim));
    bias_of(query, l_.qkv_biases > 0 ? inner() : 0, Axis::tensor);
    part_.enter(query);
    append_keys(keys_, l_.qkv_biases - 1, false);
    if (l_.cross_extra > 0) append_keys(l_.cross_extra, 2, true);
    append_norms();
    append_attention();
    part_.append_end(OpName::cross_out, OpName::attention_residual, modulated);
  }

 private:
  std::int64_t inner() const { return l_.heads * l_.head_dim; }
  Extent keys(std::int64_t n) const { return {n, c_.b(), Axis::whole}; }
  std::int64_t all_keys() const { return keys_ + l_.cross_extra; }

  void append_norm_of_queries(bool modulated) {
    part_.append_norm_before(OpName::cross_norm, modulated);
    const std::uint8_t at = static_cast<std::uint8_t>(block_.count - (modulated ? 2 : 1));
    block_.operators[at].vectors = l_.cross_norm;
  }

  // Two projections of other tokens.
  void append_keys(std::int64_t tokens, std::int64_t biases, bool of_image) {
    const std::int64_t width = l_.cross_width > 0 ? l_.cross_width : l_.main.width;
    Operator& op = append_linear(block_, OpName::cross_keys, keys(tokens), elements(width),
                                 part_.heads(2 * l_.head_dim));
    if (l_.cross == Seen::text && !trains_ends(c_.options)) op.backward = Backward::none;
    const bool norm = of_image && l_.qk_norm == TrunkNorm::whole;
    bias_of(op, (std::max<std::int64_t>(0, biases) + (norm ? 1 : 0)) * inner(), Axis::tensor);
  }

  void append_norms() {
    if (l_.qk_norm == TrunkNorm::none) return;
    append_qk_norm(block_, c_, Mixer::encoder);
    Operator& op = block_.operators[block_.count - 1];
    op.cols2 = {0, 0, Axis::whole};
    op.saved_count = 1;
    const bool whole = l_.qk_norm == TrunkNorm::whole;
    op.vectors = (l_.qk_norm == TrunkNorm::head_layernorm ? 4 : 2);
    op.vector_extent = whole ? Extent{inner(), 1, Axis::tensor} : elements(l_.head_dim);
    save(op, keys(keys_), part_.heads(l_.head_dim), c_.e());
  }

  void append_attention() {
    if (!c_.options.fused_attention) return append_scores();
    Operator& op = orrery::append(block_, OpName::attention, OpKind::fused_attention,
                                  {c_.s(), 1, Axis::context}, elements(all_keys()));
    set_sizes(op);
    save(op, c_.tokens(), part_.heads(l_.head_dim), c_.e());
    save(op, keys(all_keys()), part_.heads(2 * l_.head_dim), c_.e());
    save(op, c_.tokens(), part_.heads(1), kRowStatistic, mask_of(Module::core_attn));
  }

  void append_scores() {
    const Extent rows{c_.s(), 1, Axis::context};
    Operator& scores = orrery::append(block_, OpName::attention_scores, OpKind::scores, rows,
                                      elements(all_keys()));
    set_sizes(scores);
    save(scores, c_.tokens(), part_.heads(l_.head_dim), c_.e());
    save(scores, keys(all_keys()), part_.heads(2 * l_.head_dim), c_.e());
    Operator& softmax =
        orrery::append(block_, OpName::attention_softmax, OpKind::pointwise,
                       {l_.heads, c_.b(), Axis::tensor}, {c_.s(), all_keys(), Axis::context});
    softmax.forward_bytes = 2 * c_.e();
    softmax.backward_bytes = 3 * c_.e();
    softmax.recomputed_by = mask_of(Module::core_attn);
    save(softmax, softmax.rows, softmax.cols, c_.e(), mask_of(Module::core_attn));
    Operator& values = orrery::append(block_, OpName::attention_values, OpKind::values, rows,
                                      elements(all_keys()));
    set_sizes(values);
  }

  void set_sizes(Operator& op) {
    op.groups = {l_.heads, c_.b(), Axis::tensor};
    op.inner = elements(l_.head_dim);
    op.cols2 = elements(l_.head_dim);
    op.recomputed_by = mask_of(Module::core_attn);
  }

  Block& block_;
  Part& part_;
  const BuildContext& c_;
  const TrunkLayer& l_;
  std::int64_t keys_;
};

// Two sets of tokens with weights of their own that attend together.
void append_joint(Block& block, const BuildContext& c, const TrunkLayer& l, Part& main) {
  Part beside(block, c, l, l.beside, tokens_seen(c, Seen::text), kBesideNames);
  beside.append_modulation();
  beside.append_norm_before(kBesideNames.norm, is_modulated(l.beside));
  beside.append_qkv(kBesideNames.qkv);
  const Part both(block, c, l, l.main, c.s(), kMainNames);
  append_rope(block, both.c());
  append_core(block, both.c(), both.mixer(), 0);
  main.append_end(kMainNames.out, kMainNames.residual, is_modulated(l.main));
  if (!l.beside.keys_only) {
    beside.append_end(kBesideNames.out, kBesideNames.residual, is_modulated(l.beside));
    beside.append_mlp_part();
  }
}

// A second attention of main's tokens alone, from the same normalised input.
void append_second(Block& block, const TrunkLayer& l, Part& main) {
  if (l.attentions < 2) return;
  if (modulates_three(l.main)) main.append_modulate(false);
  main.append_qkv(OpName::own_qkv);
  append_core(block, main.c(), main.mixer(), 0);
  main.append_end(OpName::own_out, OpName::attention_residual, modulates_three(l.main));
}

// The module of a Conformer (arXiv:2005.08100, section 2.2): norm, product to twice the width, a
// gate, a depthwise convolution, batch norm, SiLU, product.
class Convolving {
 public:
  Convolving(Block& block, Part& part, const TrunkLayer& layer)
      : block_(block), part_(part), c_(part.c()), l_(layer) {}

  void append() {
    part_.append_norm_before(OpName::convolution_norm, false);
    Operator& in = append_linear(block_, OpName::convolution_in, c_.tokens(), c_.hidden(),
                                 elements(2 * l_.main.width));
    in.vectors = bias();
    save(in, c_.sequence_tokens(), c_.hidden(), c_.w());
    pointwise(OpName::convolution_gate, 3, 5, elements(2 * l_.main.width));
    append_depthwise();
    // Batch norm, then SiLU: the input of each is kept.
    pointwise(OpName::convolution_norm, 2, 3, c_.hidden()).vectors = 2;
    pointwise(OpName::convolution_activation, 2, 3, c_.hidden());
    Operator& out =
        append_linear(block_, OpName::convolution_out, c_.tokens(), c_.hidden(), c_.hidden());
    out.vectors = bias();
    save(out, c_.sequence_tokens(), c_.hidden(), c_.w());
    part_.append_sum(OpName::convolution_residual, false, c_.e());
  }

 private:
  std::int64_t bias() const { return l_.mlp_bias ? 1 : 0; }

  Operator& pointwise(OpName name, double forward, double backward, Extent kept) {
    Operator& op =
        orrery::append(block_, name, OpKind::pointwise, c_.sequence_tokens(), c_.hidden());
    op.forward_bytes = forward * c_.e();
    op.backward_bytes = backward * c_.e();
    save(op, c_.sequence_tokens(), kept, c_.e());
    return op;
  }

  // Each channel by itself: bound by what it reads and writes.
  void append_depthwise() {
    Operator& op = pointwise(OpName::depthwise_convolution, 2, 5, c_.hidden());
    op.vectors = l_.kernel + bias();
  }

  Block& block_;
  Part& part_;
  const BuildContext& c_;
  const TrunkLayer& l_;
};

// Scores of 2s − 1 relative positions beside those of the keys, by a product of their own and two
// learned vectors a head (arXiv:1901.02860, section 3.3).
void append_relative(Block& block, const Part& part, const TrunkLayer& l) {
  const BuildContext& c = part.c();
  const Extent positions{2 * c.s() - 1, 1, Axis::whole};
  Operator& op = append_linear(block, OpName::relative_positions, positions, c.hidden(),
                               part.heads(l.head_dim));
  save(op, positions, c.hidden(), c.w());
  append_numbers(block, 2 * l.heads * l.head_dim);
  Operator& scores = append(block, OpName::relative_scores, OpKind::scores,
                            {c.s(), 1, Axis::context}, elements(2 * c.s() - 1));
  scores.groups = {l.heads, c.b(), Axis::tensor};
  scores.inner = elements(l.head_dim);
  scores.cols2 = elements(l.head_dim);
  scores.recomputed_by = mask_of(Module::core_attn);
  save(scores, c.tokens(), part.heads(l.head_dim), c.e());
}

// The MLP before attention, whose output is halved.
void append_first_mlp(Block& block, const BuildContext& c, const TrunkLayer& l) {
  Part(block, c, l, l.main, tokens_of_layer(c, l), kBesideNames).append_mlp_part();
}

}  // namespace

void append_trunk_layer(Block& block, const BuildContext& c, const TrunkLayer& l) {
  block.pieces = 1;
  if (l.residuals.count > 0) return append_level(block, c, l);
  const bool joint = l.beside.width > 0;
  Part main(block, c, l, l.main, tokens_of_layer(c, l), kMainNames);
  const Extent rows{joint ? c.s() : main.c().s(), c.b(), Axis::sequence};
  block.input = SavedTensor{rows, elements(l.main.width), main.residual_bytes(), 0};
  main.append_modulation();
  if (l.parallel) return main.append_parallel();
  if (l.kernel > 0) append_first_mlp(block, c, l);
  main.append_norm_before(kMainNames.norm, is_modulated(l.main));
  main.append_qkv(kMainNames.qkv);
  if (joint) {
    append_joint(block, c, l, main);
  } else {
    append_rope(block, main.c());
    if (l.kernel > 0) append_relative(block, main, l);
    append_core(block, main.c(), main.mixer(), 0);
    main.append_end(kMainNames.out, kMainNames.residual, is_modulated(l.main));
  }
  append_second(block, l, main);
  if (l.kernel > 0) Convolving(block, main, l).append();
  if (l.cross != Seen::once) Crossing(block, main, l, tokens_seen(c, l.cross)).append();
  main.append_mlp_part();
  if (l.kernel > 0) main.append_norm_before(OpName::layer_norm, false);
}

}  // namespace orrery
