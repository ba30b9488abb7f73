// SPDX-License-Identifier: Apache-2.0
#include "model/layers/trunk_part.h"

#include "model/layers/mlp.h"

namespace orrery {
namespace {

// A stream of a layer as an architecture whose parts the builders know.
Architecture arch_of(const TrunkLayer& l, const TrunkStream& stream, bool rotary) {
  Architecture a;
  a.hidden = stream.width;
  a.heads = a.kv_heads = l.heads;
  a.head_dim = l.head_dim;
  a.intermediate = stream.mlp;
  a.gated = l.gated;
  a.activation = l.gated ? Activation::kSilu : Activation::kGelu;
  a.norm = norm_of(l.norm_vectors);
  a.positions = rotary ? PositionEmbedding::kRope : PositionEmbedding::kNone;
  a.mlp_bias = l.mlp_bias;
  a.attention_out_bias = l.out_bias;
  a.qk_norm = l.qk_norm == TrunkNorm::head || l.qk_norm == TrunkNorm::head_layernorm;
  a.qk_norm_bias = l.qk_norm == TrunkNorm::head_layernorm;
  a.qk_norm_whole = l.qk_norm == TrunkNorm::whole;
  return a;
}

}  // namespace

Norm norm_of(std::int64_t vectors) {
  return vectors == 0 ? Norm::kLayerNormBare : vectors == 1 ? Norm::kRmsNorm : Norm::kLayerNorm;
}

// Tokens attend within their crop.
static SequenceLengths crops_of(const Distillation& d, std::int64_t tokens) {
  SequenceLengths all;
  if (d.global_crops == 0) return all;
  all.bins[all.count++] = {d.global_tokens, static_cast<double>(d.global_crops)};
  if (tokens == d.teacher_tokens() || d.local_crops == 0) return all;
  all.bins[all.count++] = {d.local_tokens, static_cast<double>(d.local_crops)};
  return all;
}

ListOptions options_of(const BuildContext& c, std::int64_t tokens) {
  ListOptions o = c.options;
  o.sequence = tokens;
  o.lengths = crops_of(c.arch.trunk.distillation, tokens);
  o.document_load = o.context_share = 1;
  return o;
}

bool is_modulated(const TrunkStream& s) {
  return s.modulation_vectors > 0 || s.modulation_table > 0;
}

bool modulates_three(const TrunkStream& s) { return s.modulation_vectors >= 9; }

void append_numbers(Block& block, std::int64_t n) {
  if (n == 0) return;
  Operator& op =
      append(block, OpName::learned_numbers, OpKind::pointwise, elements(1), elements(1));
  op.vectors = n;
  op.vector_extent = elements(1);
}

void bias_of(Operator& op, std::int64_t columns, Axis axis) {
  op.vectors = columns > 0 ? 1 : 0;
  op.vector_extent = {columns, 1, axis};
}

Part::Part(Block& block, const BuildContext& model, const TrunkLayer& layer,
           const TrunkStream& stream, std::int64_t tokens, const PartNames& names)
    : block_(block),
      l_(layer),
      stream_(stream),
      names_(names),
      arch_(arch_of(layer, stream, model.arch.trunk.rotary)),
      options_(options_of(model, tokens)),
      c_{arch_, options_} {}

void Part::append_modulation() {
  append_numbers(block_, stream_.modulation_table * stream_.width);
  std::int64_t in = stream_.modulation_in;
  if (in == 0) return;
  if (const std::int64_t rank = stream_.modulation_rank; rank > 0) {
    append_of_sample(in, rank * stream_.modulation_products, rank * stream_.modulation_products);
    in = rank;
  }
  append_of_sample(in, stream_.modulation_vectors * stream_.width, in);
}

void Part::append_norm_before(OpName name, bool modulated) {
  append_norm(block_, c_, name, c_.sequence_tokens(), c_.hidden(), false);
  save(block_.operators[block_.count - 1], c_.sequence_tokens(), c_.hidden(), residual_bytes());
  if (modulated) append_modulate(true);
}

void Part::append_modulate(bool keeps) {
  Operator& op =
      append(block_, OpName::modulate, OpKind::pointwise, c_.sequence_tokens(), c_.hidden());
  const bool apart = c_.unfused(Chain::modulation);
  const bool trained = trains_modulation(c_.options);
  op.forward_bytes = (apart ? 4 : 2) * c_.e();
  op.backward_bytes = (trained ? (apart ? 5 : 3) : 2) * c_.e();
  if (apart) op.kernels = trained ? Kernels{2, 4} : Kernels{2, 1};
  op.recomputed_by = kNorms;
  if (keeps && trained) save(op, c_.sequence_tokens(), c_.hidden(), residual_bytes(), kNorms);
}

void Part::append_qkv(OpName name) {
  Operator& qkv = append_linear(block_, name, c_.tokens(), c_.hidden(), heads(l_.head_dim));
  qkv.cols2 = heads(2 * l_.head_dim);
  bias_of(qkv, l_.qkv_biases * l_.heads * l_.head_dim, Axis::tensor);
  enter(qkv);
  append_norm_of_heads();
}

void Part::append_end(OpName out, OpName residual, bool gated) {
  Operator& op = append_linear(block_, out, c_.tokens(), heads(l_.head_dim), c_.hidden());
  op.vectors = l_.out_bias ? 1 : 0;
  const double element = c_.options.fused_attention ? c_.e() : c_.w();
  save(op, c_.tokens(), heads(l_.head_dim), element, c_.context_dropped());
  if (c_.w() < element) save(op, c_.tokens(), heads(l_.head_dim), c_.w(), c_.context_dropped());
  leave(op);
  append_sum(residual, gated, c_.e());
}

void Part::append_mlp_part() {
  if (stream_.mlp == 0) return;
  append_norm_before(names_.mlp_norm, is_modulated(stream_));
  MlpPart part;
  part.up = names_.up;
  part.activation = names_.activation;
  part.down = names_.down;
  part.intermediate = stream_.mlp;
  part.rows = c_.tokens();
  part.recomputed_by = mask_of(Module::mlp);
  part.activation_recomputed_by = mask_of(Module::mlp_act);
  const std::uint8_t first = block_.count;
  append_gated_mlp(block_, c_, part);
  enter(block_.operators[first]);
  leave(block_.operators[block_.count - 1]);
  append_sum(names_.mlp_residual, is_modulated(stream_), residual_bytes());
}

void Part::append_parallel() {
  const std::int64_t inner = l_.heads * l_.head_dim;
  const std::int64_t halves = l_.gated ? 2 : 1;
  const Extent wide{stream_.mlp, halves, Axis::tensor};
  append_norm_before(names_.norm, is_modulated(stream_));
  Operator& in =
      append_linear(block_, OpName::parallel_in, c_.tokens(), c_.hidden(), heads(3 * l_.head_dim));
  in.cols2 = wide;
  bias_of(in, l_.qkv_biases * inner + (l_.mlp_bias ? halves * stream_.mlp : 0), Axis::tensor);
  enter(in);
  append_qk_norm(block_, c_, Mixer::encoder);
  append_rope(block_, c_);
  append_core(block_, c_, mixer(), 0);
  append_parallel_end(halves);
}

void Part::enter(Operator& op) {
  save(op, c_.input_tokens(), c_.hidden(), c_.w(), kNorms);
  cross(op, BoundaryKind::enter_tensor, c_.tokens(), c_.hidden(), c_.e());
}

void Part::leave(Operator& op) {
  cross(op, BoundaryKind::leave_tensor, c_.tokens(), c_.hidden(), c_.e());
}

void Part::append_sum(OpName name, bool gated, double kept) {
  Operator& op = append(block_, name, OpKind::pointwise, c_.sequence_tokens(), c_.hidden());
  const bool learned = l_.scale_vectors > 0;
  const bool scaled = gated || learned;
  const bool trained =
      (gated && trains_modulation(c_.options)) || (learned && trains_scales(c_.options));
  const double apart = c_.unfused(Chain::modulation) ? 2 : 0;
  // Scaled: the gradient of the factor reads the gradient and what the part gave once more.
  op.forward_bytes = (3 + (scaled ? apart : 0)) * c_.e();
  op.backward_bytes = (3 + (scaled ? apart : 0) + (trained ? 2 : 0)) * c_.e();
  op.vectors = learned ? 1 : 0;
  if (trained) save(op, c_.sequence_tokens(), c_.hidden(), kept);
}

void Part::append_of_sample(std::int64_t in, std::int64_t out, std::int64_t kept) {
  const Extent samples{1, c_.b(), Axis::whole};
  Operator& op = append_linear(block_, OpName::modulation, samples, elements(in), elements(out));
  op.role = PrecisionRole::wide;
  op.vectors = has_bias() ? 1 : 0;
  if (!trains_ends(c_.options)) op.backward = Backward::none;
  save(op, samples, elements(kept), c_.e());
}

void Part::append_parallel_end(std::int64_t halves) {
  const Extent narrow{stream_.mlp, 1, Axis::tensor};
  Operator& act = append(block_, names_.activation, OpKind::pointwise, c_.tokens(), narrow);
  const auto n = static_cast<double>(halves);
  act.forward_bytes = (n + 1) * c_.e();
  act.backward_bytes = (2 * n + 1) * c_.e();
  act.recomputed_by = mask_of(Module::mlp_act);
  save(act, c_.tokens(), {stream_.mlp, halves, Axis::tensor}, c_.gate());
  Operator& join =
      append(block_, OpName::parallel_join, OpKind::pointwise, c_.tokens(), heads(l_.head_dim));
  join.cols2 = narrow;
  join.forward_bytes = join.backward_bytes = 2 * c_.e();
  save(join, c_.tokens(), heads(l_.head_dim), c_.e(), c_.context_dropped());
  const std::int64_t inner = l_.heads * l_.head_dim + stream_.mlp;
  Operator& out = append_linear(block_, OpName::parallel_out, c_.tokens(), {inner, 1, Axis::tensor},
                                c_.hidden());
  out.vectors = l_.out_bias ? 1 : 0;
  save(out, c_.tokens(), heads(l_.head_dim), c_.w());
  save(out, c_.tokens(), narrow, c_.w());
  leave(out);
  append_sum(names_.residual, is_modulated(stream_), c_.e());
}

void Part::append_norm_of_heads() {
  const std::uint8_t before = block_.count;
  append_qk_norm(block_, c_, Mixer::encoder);
  if (block_.count > before) block_.operators[block_.count - 1].name = names_.qk_norm;
}

}  // namespace orrery
