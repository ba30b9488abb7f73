// SPDX-License-Identifier: Apache-2.0
//
// A model that is no text decoder (Trunk): its ends and its kinds of layers.
//
// A layer's part is one set of tokens with the weights that it meets. Saved tensors are counted as
// eager PyTorch keeps them: the input of a norm, the normalised value where a scale multiplies it,
// the input of a product, the output that a gate multiplies. Products of the vector of a sample run
// on every tensor- and context-parallel rank alike, as do keys and values of the text that a layer
// attends to besides.
#include <algorithm>

#include "core/divide.h"
#include "model/layers/build.h"
#include "model/layers/mlp.h"

namespace orrery {
namespace {

constexpr double kWide = 4;  // fp32
constexpr double kRowStatistic = 4;

// Operators of one set of tokens in a layer.
struct PartNames {
  OpName norm, qkv, qk_norm, out, residual, mlp_norm, up, activation, down, mlp_residual;
};
constexpr PartNames kMainNames = {
    OpName::input_norm,         OpName::qkv,         OpName::qk_norm, OpName::attention_out,
    OpName::attention_residual, OpName::mlp_norm,    OpName::mlp_up,  OpName::mlp_activation,
    OpName::mlp_down,           OpName::mlp_residual};
constexpr PartNames kBesideNames = {OpName::beside_norm,     OpName::beside_qkv,
                                    OpName::beside_qk_norm,  OpName::beside_out,
                                    OpName::beside_residual, OpName::beside_mlp_norm,
                                    OpName::beside_mlp_up,   OpName::beside_mlp_activation,
                                    OpName::beside_mlp_down, OpName::beside_mlp_residual};

Extent elements(std::int64_t n) { return {n, 1, Axis::whole}; }

std::int64_t tokens_seen(const BuildContext& c, Seen seen) {
  const Trunk& t = c.arch.trunk;
  switch (seen) {
    case Seen::main:
      return std::max<std::int64_t>(1, c.s() - (joins_text(t) ? t.text : 0));
    case Seen::text:
      return std::max<std::int64_t>(1, t.text);
    case Seen::all:
      return c.s();
    case Seen::sample:
    case Seen::once:
      return 1;
  }
  return 1;
}

Norm norm_of(std::int64_t vectors) {
  return vectors == 0 ? Norm::kLayerNormBare : vectors == 1 ? Norm::kRmsNorm : Norm::kLayerNorm;
}

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

ListOptions options_of(const BuildContext& c, std::int64_t tokens) {
  ListOptions o = c.options;
  o.sequence = tokens;
  o.lengths = {};
  o.document_load = o.context_share = 1;
  return o;
}

bool is_modulated(const TrunkStream& s) {
  return s.modulation_vectors > 0 || s.modulation_table > 0;
}

// Shift, scale and gate of a third part: cross attention (Cosmos) or a second attention (SD 3.5).
bool modulates_three(const TrunkStream& s) { return s.modulation_vectors >= 9; }

void append_numbers(Block& block, std::int64_t n) {
  if (n == 0) return;
  Operator& op =
      append(block, OpName::learned_numbers, OpKind::pointwise, elements(1), elements(1));
  op.vectors = n;
  op.vector_extent = elements(1);
}

// Biases of so many columns of a product.
void bias_of(Operator& op, std::int64_t columns, Axis axis) {
  op.vectors = columns > 0 ? 1 : 0;
  op.vector_extent = {columns, 1, axis};
}

// One set of tokens and the weights it meets.
class Part {
 public:
  Part(Block& block, const BuildContext& model, const TrunkLayer& layer, const TrunkStream& stream,
       std::int64_t tokens, const PartNames& names)
      : block_(block),
        l_(layer),
        stream_(stream),
        names_(names),
        arch_(arch_of(layer, stream, model.arch.trunk.rotary)),
        options_(options_of(model, tokens)),
        c_{arch_, options_} {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() = default;

  const BuildContext& c() const { return c_; }

  // One vector a sample to shifts, scales and gates, through a narrow product where there is one.
  void append_modulation() {
    append_numbers(block_, stream_.modulation_table * stream_.width);
    std::int64_t in = stream_.modulation_in;
    if (in == 0) return;
    if (const std::int64_t rank = stream_.modulation_rank; rank > 0) {
      append_of_sample(in, rank * stream_.modulation_products, rank * stream_.modulation_products);
      in = rank;
    }
    append_of_sample(in, stream_.modulation_vectors * stream_.width, in);
  }

  // Norm of the residual stream, shifted and scaled where the layer modulates.
  void append_norm_before(OpName name, bool modulated) {
    append_norm(block_, c_, name, c_.sequence_tokens(), c_.hidden(), false);
    save(block_.operators[block_.count - 1], c_.sequence_tokens(), c_.hidden(), residual_bytes());
    if (modulated) append_modulate(true);
  }

  // `keeps`: the normalised value, unless another scale of it has kept it.
  void append_modulate(bool keeps) {
    Operator& op =
        append(block_, OpName::modulate, OpKind::pointwise, c_.sequence_tokens(), c_.hidden());
    const bool apart = c_.unfused(Chain::modulation);
    op.forward_bytes = (apart ? 4 : 2) * c_.e();
    op.backward_bytes = (apart ? 5 : 3) * c_.e();
    if (apart) op.kernels = {2, 4};
    op.recomputed_by = kNorms;
    if (keeps) save(op, c_.sequence_tokens(), c_.hidden(), residual_bytes(), kNorms);
  }

  void append_qkv(OpName name) {
    Operator& qkv = append_linear(block_, name, c_.tokens(), c_.hidden(), heads(l_.head_dim));
    qkv.cols2 = heads(2 * l_.head_dim);
    bias_of(qkv, l_.qkv_biases * l_.heads * l_.head_dim, Axis::tensor);
    enter(qkv);
    rename_last([&] { append_qk_norm(block_, c_, Mixer::encoder); }, names_.qk_norm);
  }

  // The product of all heads' outputs, and its sum with the residual stream.
  void append_end(OpName out, OpName residual, bool gated) {
    Operator& op = append_linear(block_, out, c_.tokens(), heads(l_.head_dim), c_.hidden());
    op.vectors = l_.out_bias ? 1 : 0;
    const double element = c_.options.fused_attention ? c_.e() : c_.w();
    save(op, c_.tokens(), heads(l_.head_dim), element, c_.context_dropped());
    if (c_.w() < element) save(op, c_.tokens(), heads(l_.head_dim), c_.w(), c_.context_dropped());
    leave(op);
    append_sum(residual, gated, c_.e());
  }

  void append_mlp_part() {
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

  // Attention and MLP side by side: one product before both, one after (FLUX's single blocks).
  void append_parallel() {
    const std::int64_t inner = l_.heads * l_.head_dim;
    const std::int64_t halves = l_.gated ? 2 : 1;
    const Extent wide{stream_.mlp, halves, Axis::tensor};
    append_norm_before(names_.norm, is_modulated(stream_));
    Operator& in = append_linear(block_, OpName::parallel_in, c_.tokens(), c_.hidden(),
                                 heads(3 * l_.head_dim));
    in.cols2 = wide;
    bias_of(in, l_.qkv_biases * inner + (l_.mlp_bias ? halves * stream_.mlp : 0), Axis::tensor);
    enter(in);
    append_qk_norm(block_, c_, Mixer::encoder);
    append_rope(block_, c_);
    append_core(block_, c_, mixer(), 0);
    append_parallel_end(halves);
  }

  Mixer mixer() const { return l_.causal ? Mixer::attention : Mixer::encoder; }
  Extent heads(std::int64_t width) const { return {l_.heads, width, Axis::tensor}; }
  double residual_bytes() const { return l_.wide_norms ? kWide : c_.e(); }

  void enter(Operator& op) {
    save(op, c_.input_tokens(), c_.hidden(), c_.w(), kNorms);
    cross(op, BoundaryKind::enter_tensor, c_.tokens(), c_.hidden(), c_.e());
  }
  void leave(Operator& op) {
    cross(op, BoundaryKind::leave_tensor, c_.tokens(), c_.hidden(), c_.e());
  }

  // The residual stream plus what a part gives, times a gate or a learned scale.
  void append_sum(OpName name, bool gated, double kept) {
    Operator& op = append(block_, name, OpKind::pointwise, c_.sequence_tokens(), c_.hidden());
    const bool scaled = gated || l_.scale_vectors > 0;
    const double apart = c_.unfused(Chain::modulation) ? 2 : 0;
    // Scaled: the gradient of the factor reads the gradient and what the part gave once more.
    op.forward_bytes = (3 + (scaled ? apart : 0)) * c_.e();
    op.backward_bytes = (3 + (scaled ? 2 + apart : 0)) * c_.e();
    op.vectors = l_.scale_vectors > 0 ? 1 : 0;
    if (scaled) save(op, c_.sequence_tokens(), c_.hidden(), kept);
  }

 private:
  void append_of_sample(std::int64_t in, std::int64_t out, std::int64_t kept) {
    const Extent samples{1, c_.b(), Axis::whole};
    Operator& op = append_linear(block_, OpName::modulation, samples, elements(in), elements(out));
    op.role = PrecisionRole::wide;
    op.vectors = has_bias() ? 1 : 0;
    save(op, samples, elements(kept), c_.e());
  }

  // Cosmos and FLUX.2 have no biases at all.
  bool has_bias() const { return l_.out_bias || l_.mlp_bias || l_.qkv_biases > 0; }

  void append_parallel_end(std::int64_t halves) {
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
    Operator& out = append_linear(block_, OpName::parallel_out, c_.tokens(),
                                  {inner, 1, Axis::tensor}, c_.hidden());
    out.vectors = l_.out_bias ? 1 : 0;
    save(out, c_.tokens(), heads(l_.head_dim), c_.w());
    save(out, c_.tokens(), narrow, c_.w());
    leave(out);
    append_sum(names_.residual, is_modulated(stream_), c_.e());
  }

  template <class Append>
  void rename_last(const Append& append_one, OpName name) {
    const std::uint8_t before = block_.count;
    append_one();
    if (block_.count > before) block_.operators[block_.count - 1].name = name;
  }

  Block& block_;
  const TrunkLayer& l_;
  const TrunkStream& stream_;
  const PartNames& names_;
  Architecture arch_;
  ListOptions options_;
  BuildContext c_;
};

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

void append_trunk_layer(Block& block, const BuildContext& c, const TrunkLayer& l) {
  const bool joint = l.beside.width > 0;
  Part main(block, c, l, l.main, tokens_seen(c, l.seen), kMainNames);
  const Extent rows{joint ? c.s() : main.c().s(), c.b(), Axis::sequence};
  block.input = SavedTensor{rows, elements(l.main.width), main.residual_bytes(), 0};
  main.append_modulation();
  if (l.parallel) return main.append_parallel();
  main.append_norm_before(kMainNames.norm, is_modulated(l.main));
  main.append_qkv(kMainNames.qkv);
  if (joint) {
    append_joint(block, c, l, main);
  } else {
    append_rope(block, main.c());
    append_core(block, main.c(), main.mixer(), 0);
    main.append_end(kMainNames.out, kMainNames.residual, is_modulated(l.main));
  }
  append_second(block, l, main);
  if (l.cross != Seen::once) Crossing(block, main, l, tokens_seen(c, l.cross)).append();
  main.append_mlp_part();
}

struct EndNames {
  OpName sample, main, text;
};
constexpr EndNames kBeforeNames = {OpName::sample_embedding, OpName::patch_embedding,
                                   OpName::text_embedding};
constexpr EndNames kAfterNames = {OpName::sample_output, OpName::token_output, OpName::text_output};

void append_product(Block& block, const BuildContext& c, const TrunkProduct& p,
                    const EndNames& names) {
  if (p.seen == Seen::once) return append_numbers(block, p.in);
  const bool idle = p.seen == Seen::text && c.arch.trunk.text == 0;
  if (idle) return append_numbers(block, p.in * p.out + (p.bias ? p.out : 0));
  const bool of_sample = p.seen == Seen::sample;
  const std::int64_t n = tokens_seen(c, p.seen) * p.times;
  const Extent rows{n, c.b(), of_sample ? Axis::whole : Axis::sequence};
  const OpName name = of_sample ? names.sample : p.seen == Seen::text ? names.text : names.main;
  Operator& op = append_linear(block, name, rows, elements(p.in), elements(p.out));
  op.role = PrecisionRole::wide;
  op.vectors = p.bias ? 1 : 0;
  op.tied = p.tied;
  save(op, rows, elements(p.in), c.e());
}

// The logits of a vocabulary over the text's tokens, and their loss.
void append_logits(Block& block, const BuildContext& c, const TrunkProduct& p) {
  Architecture a;
  a.hidden = p.in;
  a.vocab = p.out;
  a.no_final_norm = true;
  a.head_bias = p.bias;
  const ListOptions options = options_of(c, tokens_seen(c, Seen::text));
  append_head(block, {a, options}, p.tied);
}

// A difference in fp32: reads what the model gave and the target, and keeps both.
void append_difference(Block& block, const BuildContext& c, Extent rows, std::int64_t width) {
  Operator& op = append(block, OpName::loss, OpKind::pointwise, rows, elements(width));
  op.forward_bytes = c.e() + 2 * kWide;
  op.backward_bytes = 3 * kWide;
  save(op, rows, elements(width), 2 * kWide);
}

// Features of this rank's samples against those of all, images to texts and back, in fp32
// (open_clip, loss.py, local_loss). Leaves out the exchange of the features.
void append_pairs(Block& block, const BuildContext& c, std::int64_t width) {
  const Extent mine{1, c.b(), Axis::whole};
  const Extent all = elements(c.arch.trunk.batch);
  for (int side = 0; side < 2; ++side) {
    Operator& op = append(block, OpName::pairs, OpKind::product, mine, all);
    op.inner = elements(width);
    save(op, mine, all, kWide);
  }
}

void append_loss_of(Block& block, const BuildContext& c, const TrunkProduct* last) {
  if (last == nullptr) return;
  const bool of_sample = last->seen == Seen::sample;
  const Extent rows{tokens_seen(c, last->seen), c.b(), of_sample ? Axis::whole : Axis::sequence};
  switch (c.arch.trunk.loss) {
    case TrunkLoss::mse:
    case TrunkLoss::labels:
      return append_difference(block, c, rows, last->out);
    case TrunkLoss::pairs:
      return append_pairs(block, c, last->out);
    case TrunkLoss::vocabulary:
    case TrunkLoss::none:
      return;
  }
}

void append_final_norm(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  if (!t.final_norm) return;
  Architecture a;
  a.hidden = c.arch.hidden;
  a.norm = norm_of(t.final_vectors);
  const ListOptions options = options_of(c, tokens_seen(c, Seen::main));
  const BuildContext own{a, options};
  append_norm(block, own, OpName::final_norm, own.sequence_tokens(), own.hidden(), true);
  if (t.final_modulation == 0) return;
  Operator& op =
      append(block, OpName::modulate, OpKind::pointwise, own.sequence_tokens(), own.hidden());
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 3 * c.e();
  save(op, own.sequence_tokens(), own.hidden(), c.e());
}

void append_after(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  block.kind = BlockKind::head;
  block.input = SavedTensor{c.sequence_tokens(), c.hidden(), c.e(), 0};
  append_final_norm(block, c);
  const TrunkProduct* last = nullptr;
  for (std::uint8_t i = 0; i < t.after_count; ++i) {
    const TrunkProduct& p = t.after[i];
    if (p.seen == Seen::text && t.loss == TrunkLoss::vocabulary) {
      append_logits(block, c, p);
      continue;
    }
    append_product(block, c, p, kAfterNames);
    if (p.seen != Seen::once) last = &p;
  }
  append_loss_of(block, c, last);
}

}  // namespace

// Text encoders and an autoencoder that run in every step: 16-bit weights, no gradient.
static void append_frozen(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  if (t.frozen_parameters == 0) return;
  constexpr std::int64_t kInner = 1024;  // any width: the work is that of all parameters
  Operator& op =
      append_linear(block, OpName::frozen_encoders, {t.frozen_rows, c.b(), Axis::context},
                    elements(kInner), elements(divided_up(t.frozen_parameters, kInner)));
  op.role = PrecisionRole::wide;
  op.weight = WeightUse::frozen;
  op.backward = Backward::never;
}

void append_trunk(ModelOperators& model, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  append_frozen(model.embedding, c);
  model.embedding.kind = BlockKind::embedding;
  model.embedding.input = SavedTensor{c.sequence_tokens(), {0, 0, Axis::whole}, 0, 0};
  for (std::uint8_t i = 0; i < t.before_count; ++i) {
    append_product(model.embedding, c, t.before[i], kBeforeNames);
  }
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    append_trunk_layer(model.layers[i], c, t.layers[i]);
  }
  append_after(model.head, c);
}

}  // namespace orrery
