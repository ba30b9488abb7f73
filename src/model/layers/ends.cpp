// SPDX-License-Identifier: Apache-2.0
//
// The blocks before and after the layers: embedding, head and loss, multi-token prediction.
#include "model/layers/build.h"

namespace orrery {
namespace {

// Traffic over the logits and their memory, in bytes a logit. Unfused: cast to fp32,
// maximum, subtraction, target, exponential, sum, division; backward scales and casts back. Fused:
// one pass for the statistics, one for the gradient. Kept besides the 16-bit logits and their
// gradient: an fp32 copy and the fp32 softmax; only the softmax; nothing; the fp32 logarithm of the
// softmax and in backward two gradients and its exponential; fp32 logits, which become their
// gradient; the fp32 softmax without the 16-bit logits; neither.
struct LossBytes {
  double forward;
  double backward;
  double kept;
  Kernels kernels{};
  bool whole = true;  // 16-bit logits of all tokens exist at once
};
constexpr EnumArray<CrossEntropy, LossBytes> kLoss = {
    LossBytes{24, 14, 8, {12, 6}},         // unfused
    LossBytes{8, 6, 4, {3, 2}},            // fused
    LossBytes{2, 4, 0, {2, 1}},            // recomputed
    LossBytes{28, 22, 12, {16, 10}},       // loss-parallel
    LossBytes{10, 14, 4, {3, 2}},          // in-place
    LossBytes{24, 14, 4, {12, 6}, false},  // chunked
    LossBytes{2, 4, 0, {2, 1}, false},     // linear-fused
};
constexpr double kLossReductions = 3;  // maximum, sum of exponentials, target's logit
constexpr double kLossBytes = 4;

Extent vocabulary(const BuildContext& c) {
  return {padded_vocabulary(c.arch, c.options.vocabulary_multiple), 1, Axis::tensor};
}

// Recomputation of layer norms does not affect these: their outputs are saved.
void append_end_norm(Block& block, const BuildContext& c, OpName name) {
  Operator& norm = append_norm(block, c, name, c.sequence_tokens(), c.hidden(), true);
  norm.recomputed_by = 0;
  for (std::uint8_t i = 0; i < norm.saved_count; ++i) norm.saved[i].dropped_by = 0;
}

}  // namespace

void append_loss(Block& block, const BuildContext& c) {
  const LossBytes& bytes = kLoss[c.options.cross_entropy];
  Operator& loss = append(block, OpName::loss, OpKind::pointwise, c.tokens(), vocabulary(c));
  loss.forward_bytes = bytes.forward;
  loss.backward_bytes = bytes.backward;
  loss.kernels = bytes.kernels;
  const double logit_and_gradient = bytes.whole ? 2 * c.e() : 0;
  const double kept = logit_and_gradient + bytes.kept;
  if (kept > 0) save(loss, c.tokens(), vocabulary(c), kept);
  cross(loss, BoundaryKind::loss_reduce, c.tokens(), {1, 1, Axis::whole},
        kLossReductions * kLossBytes);
}

namespace {

// Stacks of an encoder and a decoder: each may have a norm after its embedding, and the encoder one
// at its end, here with the embedding, though its place in a pipeline is later.
bool has_encoder_before(const Architecture& a) {
  for (const LayerKind& kind : a.pattern.kinds) {
    if (a.pattern.length > 0 && kind.mixer == Mixer::cross) return true;
  }
  return false;
}

// BERT's segments are looked up; T5 adds a number for each head and distance to the scores, from
// one table a stack.
void append_small_tables(Block& block, const BuildContext& c) {
  if (c.arch.token_types > 0) {
    Operator& types =
        append(block, OpName::token_types, OpKind::lookup, c.sequence_tokens(), c.hidden());
    types.inner = {c.arch.token_types, 1, Axis::whole};
    types.has_weight = true;
    types.forward_bytes = 3 * c.e();
    types.backward_bytes = 2 * c.e();
  }
  if (c.arch.positions == PositionEmbedding::kRelative) {
    Operator& bias = append(block, OpName::position_embedding, OpKind::pointwise,
                            {1, 1, Axis::whole}, {1, 1, Axis::whole});
    bias.vectors = c.arch.relative_buckets * (has_encoder_before(c.arch) ? 2 : 1);
    bias.vector_extent = {c.arch.heads, 1, Axis::tensor};
  }
}

// BERT's pooler: a product of each sequence's first token.
void append_pooler(Block& block, const BuildContext& c) {
  const Extent sequences{1, c.b(), Axis::whole};
  Operator& op = append_linear(block, OpName::pooler, sequences, c.hidden(), c.hidden());
  op.vectors = 1;
  save(op, sequences, c.hidden(), c.e());
}

LayerKind predicting_layer(const Architecture& a) {
  const std::uint8_t last = layer_type(a, a.layers - 1);
  if (a.pattern.length == 0) return layer_kind(a, last);
  return {Mixer::attention, is_moe(a) ? Feedforward::experts : Feedforward::dense};
}

// Appends the tables that are looked up, their norms and dropout.
void append_tables(Block& block, const BuildContext& c) {
  Operator& words =
      append(block, OpName::embedding, OpKind::lookup, c.sequence_tokens(), c.hidden());
  words.inner = vocabulary(c);
  words.has_weight = true;
  words.forward_bytes = 2 * c.e();
  words.backward_bytes = 3 * c.e();
  cross(words, BoundaryKind::leave_lookup, c.tokens(), c.hidden(), c.e());

  if (c.arch.positions == PositionEmbedding::kLearned) {
    const std::int64_t rows = c.arch.max_positions > 0 ? c.arch.max_positions : c.s();
    Operator& positions =
        append(block, OpName::position_embedding, OpKind::lookup, c.sequence_tokens(), c.hidden());
    positions.inner = {rows, 1, Axis::whole};
    positions.has_weight = true;
    positions.forward_bytes = 3 * c.e();
    positions.backward_bytes = 2 * c.e();
  }
  append_small_tables(block, c);
  const bool two_stacks = has_encoder_before(c.arch);
  const int norms = (c.arch.embedding_norm ? (two_stacks ? 2 : 1) : 0) +
                    (two_stacks && !c.arch.no_final_norm ? 1 : 0);
  for (int i = 0; i < norms; ++i) append_end_norm(block, c, OpName::embedding_norm);
  if (c.arch.dropout) {
    Operator& dropout = append(block, OpName::embedding_dropout, OpKind::pointwise,
                               c.sequence_tokens(), c.hidden());
    dropout.forward_bytes = 2 * c.e() + 1;
    dropout.backward_bytes = 2 * c.e() + 1;
    save(dropout, c.sequence_tokens(), c.hidden(), 1);
  }
}

}  // namespace

void append_embedding(Block& block, const BuildContext& c) {
  block.kind = BlockKind::embedding;
  block.input = SavedTensor{c.sequence_tokens(), {0, 0, Axis::whole}, 0, 0};
  if (c.arch.embedding_size == 0) return append_tables(block, c);
  Architecture narrow = c.arch;
  narrow.hidden = c.arch.embedding_size;
  append_tables(block, {narrow, c.options});
  const Extent width{narrow.hidden, 1, Axis::whole};
  Operator& up = append_linear(block, OpName::projector, c.sequence_tokens(), width, c.hidden());
  up.vectors = 1;
  save(up, c.sequence_tokens(), width, c.w());
}

void append_head(Block& block, const BuildContext& c, bool shared_weight) {
  if (block.count == 0) {
    block.kind = BlockKind::head;
    block.input = SavedTensor{c.sequence_tokens(), c.hidden(), c.e(), 0};
  }
  if (!c.arch.no_final_norm) append_end_norm(block, c, OpName::final_norm);
  if (c.arch.output == ModelOutput::pooler) return append_pooler(block, c);
  if (c.arch.output == ModelOutput::none) return;
  Operator& head = append_linear(block, OpName::head, c.tokens(), c.hidden(), vocabulary(c));
  head.role = PrecisionRole::wide;
  head.tied = shared_weight;
  head.vectors = c.arch.head_bias ? 1 : 0;
  save(head, c.input_tokens(), c.hidden(), c.e());
  cross(head, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  append_loss(block, c);
}

// One module of multi-token prediction (DeepSeek-V3, arXiv:2412.19437, section 2.2): the norms of
// the previous depth's output and of the next token's embedding, a projection of the two together,
// one layer like the model's last, and the shared head. Embedding and head weights are the model's.
void append_mtp(Block& block, const BuildContext& c) {
  if (c.arch.mtp_layers == 0) return;
  block.kind = BlockKind::mtp;
  const Extent both{c.arch.hidden, 2, Axis::whole};
  append_norm(block, c, OpName::mtp_norm, c.sequence_tokens(), both, true);
  Operator& projection = append_linear(block, OpName::mtp_projection, c.tokens(), both,
                                       {c.arch.hidden, 1, Axis::tensor});
  save(projection, c.input_tokens(), both, c.w(), kNorms);
  cross(projection, BoundaryKind::enter_tensor, c.tokens(), both, c.e());
  append_layer(block, c, predicting_layer(c.arch));
  block.input = SavedTensor{c.sequence_tokens(), both, c.e(), 0};
  append_head(block, c, true);
}

}  // namespace orrery
