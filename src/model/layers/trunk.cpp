// SPDX-License-Identifier: Apache-2.0
//
// A model that is no text decoder (Trunk): its ends, and its kinds of layers one by one. Keys and
// values of the text that a layer attends to besides run on every rank alike.
#include <algorithm>

#include "core/divide.h"
#include "model/layers/trunk_part.h"

namespace orrery {

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

std::int64_t tokens_of_layer(const BuildContext& c, const TrunkLayer& l) {
  return divided_up(tokens_seen(c, l.seen), l.shrink);
}

bool trains_ends(const ListOptions& o) {
  return !o.adapter || trains(*o.adapter, TrainedPart::embedding);
}
bool trains_modulation(const ListOptions& o) {
  return trains_ends(o) || adapts(*o.adapter, mask_of(AdapterTarget::modulation));
}
bool trains_scales(const ListOptions& o) {
  return !o.adapter || trains(*o.adapter, TrainedPart::norms);
}
namespace {

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
  // The ends of a U-Net are convolutions of 3×3 too, which keep what they read once.
  const std::int64_t taps = p.seen == Seen::main && has_levels(c.arch.trunk) ? kTaps : 1;
  const Extent in{p.in / taps, taps, Axis::whole};
  Operator& op = append_linear(block, name, rows, in, elements(p.out));
  op.taps = static_cast<std::uint8_t>(taps);
  op.role = PrecisionRole::wide;
  op.vectors = p.bias ? 1 : 0;
  op.tied = p.tied;
  save(op, rows, elements(p.in / taps), c.e());
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
  op.forward_bytes = c.e() + 2 * kWideBytes;
  op.backward_bytes = 3 * kWideBytes;
  save(op, rows, elements(width), 2 * kWideBytes);
}

// Cross entropy in fp32 over logits of `e` bytes: they are cast, then log-softmax; backward the
// gradient of the target's, of log-softmax and of the cast.
constexpr double kLossForward = 12;
constexpr double kLossBackward = 20;

// Features of this rank's samples against those of all, images to texts and back, in fp32
// (open_clip, loss.py): those of the other ranks are gathered, and their gradients go back to them.
// SigLIP's loss reads one product both ways and passes the texts' features round, as many bytes as
// a gather of them (SigLipLoss). Logits keep 4 bytes a direction: log-softmax; SigLIP's signs and
// products.
class Pairs {
 public:
  Pairs(Block& block, const BuildContext& c, std::int64_t width)
      : block_(block), c_(c), t_(c.arch.trunk), width_(width) {}

  void append() {
    const bool two = t_.loss == TrunkLoss::pairs && !t_.repeats_pairs;
    append_product(two ? 1 : 2);
    if (two) append_product(1);
  }

 private:
  Extent all() const { return elements(t_.batch); }
  Extent mine() const {
    const bool whole = t_.loss == TrunkLoss::pairs && t_.repeats_pairs;
    const std::int64_t own = std::max(c_.b(), c_.options.pair_samples);
    return {1, whole ? t_.batch : own, Axis::whole};
  }

  void append_product(int directions) {
    Operator& op = orrery::append(block_, OpName::pairs, OpKind::product, mine(), all());
    op.inner = elements(width_);
    const bool back = t_.loss == TrunkLoss::sigmoid_pairs || t_.pair_gradients;
    const int gathered = t_.loss == TrunkLoss::sigmoid_pairs ? 1 : directions;
    for (int i = 0; i < gathered; ++i) {
      cross(op, back ? BoundaryKind::gather_samples : BoundaryKind::gather_samples_alone,
            {1, t_.batch, Axis::whole}, elements(width_), kWideBytes);
    }
    Operator& loss = orrery::append(block_, OpName::loss, OpKind::pointwise, mine(), all());
    loss.forward_bytes = (c_.e() + kLossForward) * directions;
    loss.backward_bytes = (c_.e() + kLossBackward) * directions;
    for (int i = 0; i < directions; ++i) save(loss, mine(), all(), kWideBytes);
  }

  Block& block_;
  const BuildContext& c_;
  const Trunk& t_;
  std::int64_t width_;
};

void append_loss_of(Block& block, const BuildContext& c, const TrunkProduct* last) {
  if (last == nullptr) return;
  const bool of_sample = last->seen == Seen::sample;
  const Extent rows{tokens_seen(c, last->seen), c.b(), of_sample ? Axis::whole : Axis::sequence};
  switch (c.arch.trunk.loss) {
    case TrunkLoss::mse:
    case TrunkLoss::labels:
      return append_difference(block, c, rows, last->out);
    case TrunkLoss::pairs:
    case TrunkLoss::sigmoid_pairs:
      return Pairs(block, c, last->out).append();
    case TrunkLoss::vocabulary:
    case TrunkLoss::none:
      return;
  }
}

// SiLU before the last convolution of a U-Net.
void append_final_activation(Block& block, const BuildContext& c) {
  Operator& op =
      append(block, OpName::level_activation, OpKind::pointwise, c.sequence_tokens(), c.hidden());
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 3 * c.e();
  save(op, c.sequence_tokens(), c.hidden(), c.e());
}

void append_final_norm(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  if (!t.final_norm) return;
  Architecture a;
  a.hidden = t.final_width > 0 ? t.final_width : c.arch.hidden;
  a.norm = norm_of(t.final_vectors);
  const ListOptions options = options_of(c, tokens_seen(c, Seen::main));
  const BuildContext own{a, options};
  append_norm(block, own, OpName::final_norm, own.sequence_tokens(), own.hidden(), true);
  if (t.final_width > 0) append_final_activation(block, own);
  if (t.final_modulation == 0) return;
  Operator& op =
      append(block, OpName::modulate, OpKind::pointwise, own.sequence_tokens(), own.hidden());
  const bool trained = trains_modulation(c.options);
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = (trained ? 3 : 2) * c.e();
  if (trained) save(op, own.sequence_tokens(), own.hidden(), c.e());
}

void append_after(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  block.kind = BlockKind::head;
  block.input = SavedTensor{c.sequence_tokens(), c.hidden(), c.e(), 0};
  append_final_norm(block, c);
  if (t.distillation.global_crops > 0) return append_student_heads(block, c);
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

static void append_before(Block& block, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  for (std::uint8_t i = 0; i < t.before_count; ++i) {
    append_product(block, c, t.before[i], kBeforeNames);
  }
}

// The forward pass of a moving average of the model over the large crops.
static void append_teacher(ModelOperators& model, const BuildContext& student) {
  const Trunk& t = student.arch.trunk;
  const ListOptions options = options_of(student, t.distillation.teacher_tokens());
  const BuildContext c{student.arch, options};
  append_averaged(model.embedding, [&] { append_before(model.embedding, c); });
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    append_averaged(model.layers[i], [&] { append_trunk_layer(model.layers[i], c, t.layers[i]); });
  }
  append_averaged(model.head, [&] {
    append_final_norm(model.head, c);
    append_teacher_heads(model.head, c);
  });
}

void append_trunk(ModelOperators& model, const BuildContext& c) {
  const Trunk& t = c.arch.trunk;
  if (t.distillation.global_crops > 0) append_teacher(model, c);
  append_frozen(model.embedding, c);
  model.embedding.kind = BlockKind::embedding;
  model.embedding.input = SavedTensor{c.sequence_tokens(), {0, 0, Axis::whole}, 0, 0};
  append_before(model.embedding, c);
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    append_trunk_layer(model.layers[i], c, t.layers[i]);
  }
  append_after(model.head, c);
}

}  // namespace orrery