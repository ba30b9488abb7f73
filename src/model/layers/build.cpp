// SPDX-License-Identifier: Apache-2.0
#include "model/layers/build.h"

#include <cassert>

namespace orrery {
namespace {

// Parameter vectors of a norm, by Norm.
constexpr EnumArray<Norm, std::int64_t> kNormVectors = {2, 1, 1, 0};

}  // namespace

Operator& append(Block& block, OpName name, OpKind kind, Extent rows, Extent cols) {
  assert(block.count < kMaxOperators);
  Operator& op = block.operators[block.count++];
  op = Operator{};
  op.name = name;
  op.kind = kind;
  op.rows = rows;
  op.cols = cols;
  return op;
}

void save(Operator& op, Extent rows, Extent cols, double bytes, ModuleMask dropped_by) {
  assert(op.saved_count < kMaxSaved);
  op.saved[op.saved_count++] = SavedTensor{rows, cols, bytes, dropped_by};
}

void cross(Operator& op, BoundaryKind kind, Extent rows, Extent cols, double bytes) {
  assert(op.boundary_count < kMaxBoundaries);
  op.boundaries[op.boundary_count++] = Boundary{kind, rows, cols, bytes};
}

void run_chain(Operator& op, const ChainCost& cost, Extent rows, Extent cols,
               ModuleMask dropped_by) {
  op.forward_bytes = cost.forward_bytes;
  op.backward_bytes = cost.backward_bytes;
  op.kernels = cost.kernels;
  if (cost.kept_bytes > 0) save(op, rows, cols, cost.kept_bytes, dropped_by);
}

Operator& append_linear(Block& block, OpName name, Extent rows, Extent inner, Extent cols) {
  Operator& op = append(block, name, OpKind::product, rows, cols);
  op.role = PrecisionRole::linear;
  op.inner = inner;
  op.has_weight = true;
  return op;
}

Operator& append_norm(Block& block, const BuildContext& c, OpName name, Extent rows, Extent cols,
                      bool keep_input) {
  Operator& op = append(block, name, OpKind::pointwise, rows, cols);
  // Forward reads x and writes y; backward reads x and dy and writes dx.
  op.forward_bytes = 2 * c.e();
  op.backward_bytes = 3 * c.e();
  op.vectors = kNormVectors[c.arch.norm];
  op.recomputed_by = kNorms;
  if (keep_input) save(op, rows, cols, c.e());
  if (c.arch.norm == Norm::kRmsNorm && c.unfused(Chain::rms_norm)) {
    run_chain(op, eager_rms_norm(c.e()), rows, cols, kNorms);
  }
  return op;
}

void append_residual(Block& block, const BuildContext& c, OpName name) {
  Operator& op = append(block, name, OpKind::pointwise, c.sequence_tokens(), c.hidden());
  const double mask = c.arch.dropout ? 1.0 : 0.0;
  // Forward reads branch and residual and writes the sum (and the mask). Backward adds the
  // gradients of the two branches where the residual forked, and passes one of them through the
  // mask.
  op.forward_bytes = 3 * c.e() + mask;
  op.backward_bytes = 3 * c.e() + (c.arch.dropout ? 2 * c.e() + mask : 0.0);
  if (c.arch.dropout) save(op, c.sequence_tokens(), c.hidden(), mask);
}

void append_input_norm(Block& block, const BuildContext& c, OpName name, bool keep_input) {
  if (!c.norms_inputs()) return;
  Operator& norm = append_norm(block, c, name, c.sequence_tokens(), c.hidden(), keep_input);
  // The residual stream after attention.
  if (keep_input && name == OpName::mlp_norm) {
    norm.saved[0].dropped_by |= mask_of(Module::attn_proj);
  }
}

void append_branch_end(Block& block, const BuildContext& c, OpName norm, OpName residual) {
  if (c.arch.norm_placement != NormPlacement::pre) {
    append_norm(block, c, norm, c.sequence_tokens(), c.hidden(), true);
  }
  append_residual(block, c, residual);
}

void share_weights(Block& block) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    Operator& op = block.operators[i];
    op.tied = op.has_weight;
    op.vectors = 0;
  }
}

namespace {

void append_mixer(Block& block, const BuildContext& c, Mixer mixer) {
  if (shares_block(mixer)) {
    append_shared_block(block, c, runs_again(mixer));
  } else if (attends(mixer)) {
    append_attention(block, c, mixer == Mixer::encoder_again ? Mixer::encoder : mixer);
  }
  if (recurs(mixer)) append_recurrent(block, c, mixer);
}

void append_feedforward(Block& block, const BuildContext& c, Feedforward kind) {
  switch (kind) {
    case Feedforward::none:
      return;
    case Feedforward::dense:
      return append_mlp(block, c);
    case Feedforward::experts:
      return append_moe(block, c);
  }
}

}  // namespace

void append_layer(Block& block, const BuildContext& c, LayerKind kind) {
  block.input = SavedTensor{c.sequence_tokens(), c.hidden(), c.e(), 0};
  block.pieces = 1;
  append_mixer(block, c, kind.mixer);
  append_feedforward(block, c, kind.feedforward);
  if (kind.mixer == Mixer::encoder_again) share_weights(block);
}

}  // namespace orrery
