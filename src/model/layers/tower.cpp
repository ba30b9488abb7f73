// SPDX-License-Identifier: Apache-2.0
//
// An encoder of images beside a decoder (Tower): layers over the patches of one image, and its
// ends, which embed the patches and project their outputs to tokens. The ends run on every
// tensor-parallel rank alike. Leaves out: windows of its attention (Qwen2.5-VL), the sums of deeper
// layers' outputs in the decoder (Qwen3-VL), the resizing of position tables.
#include <algorithm>

#include "model/layers/build.h"

namespace orrery {
namespace {

// The tower as a stack of encoder layers.
Architecture stack_of(const Tower& t, Norm norm) {
  Architecture a;
  a.layers = t.layers;
  a.hidden = t.hidden;
  a.heads = a.kv_heads = t.heads;
  a.head_dim = t.hidden / t.heads;
  a.intermediate = t.intermediate;
  a.activation = t.gated ? Activation::kSilu : Activation::kGelu;
  a.gated = t.gated;
  a.norm = norm;
  a.positions = t.positions > 0 ? PositionEmbedding::kNone : PositionEmbedding::kRope;
  a.qkv_bias = a.attention_out_bias = a.mlp_bias = t.bias;
  return a;
}

// The images of a micro batch as its sequences, of one image's patches each.
ListOptions image_options(const ListOptions& options, const Tower& t) {
  ListOptions o = options;
  o.sequence = std::max<std::int64_t>(1, t.image_tokens * t.merge);
  o.micro_batch = options.micro_batch * std::max<std::int64_t>(1, t.images);
  o.lengths = {};
  o.document_load = o.context_share = 1;
  return o;
}

Extent width(std::int64_t of) { return {of, 1, Axis::whole}; }

void append_patches(Block& block, const BuildContext& c, const Tower& t) {
  Operator& patches = append_linear(block, OpName::patch_embedding, c.sequence_tokens(),
                                    width(t.patch), c.hidden());
  patches.vectors = t.patch_bias ? 1 : 0;
  save(patches, c.sequence_tokens(), width(t.patch), c.e());
  if (t.positions == 0) return;
  Operator& table =
      append(block, OpName::position_embedding, OpKind::lookup, c.sequence_tokens(), c.hidden());
  table.inner = width(t.positions);
  table.has_weight = true;
  table.forward_bytes = 3 * c.e();
  table.backward_bytes = 2 * c.e();
}

// Linear layers from the merged patches to a token, with an activation between two of them.
void append_projector(Block& block, const BuildContext& c, const Tower& t, std::int64_t norm_width,
                      std::int64_t out) {
  const Extent tokens{std::max<std::int64_t>(1, t.image_tokens), c.b(), Axis::sequence};
  if (t.projector_norm != Norm::kLayerNormBare) {
    const Extent rows = norm_width == t.hidden ? c.sequence_tokens() : tokens;
    append_norm(block, c, OpName::projector_norm, rows, width(norm_width), true);
  }
  std::int64_t in = t.projector_input;
  const auto project = [&](std::int64_t to) {
    Operator& op = append_linear(block, OpName::projector, tokens, width(in), width(to));
    op.vectors = t.projector_bias ? 1 : 0;
    save(op, tokens, width(in), c.e());
    in = to;
  };
  for (const std::int64_t inner : {t.projector_inner, t.projector_second}) {
    if (inner == 0) continue;
    project(inner);
    Operator& gelu =
        append(block, OpName::projector_activation, OpKind::pointwise, tokens, width(inner));
    gelu.forward_bytes = 2 * c.e();
    gelu.backward_bytes = 3 * c.e();
    save(gelu, tokens, width(inner), c.e());
  }
  project(out);
}

}  // namespace

void append_tower(ModelOperators& model, const BuildContext& decoder) {
  const Tower& t = decoder.arch.tower;
  if (t.layers == 0) return;
  const Architecture stack = stack_of(t, t.norm);
  const ListOptions options = image_options(decoder.options, t);
  const BuildContext c{stack, options};
  append_layer(model.tower, c, {Mixer::encoder, Feedforward::dense});

  Block& ends = model.tower_ends;
  ends.kind = BlockKind::embedding;
  ends.input = SavedTensor{c.sequence_tokens(), {0, 0, Axis::whole}, 0, 0};
  append_patches(ends, c, t);
  for (const bool norm : {t.norm_before, t.norm_after}) {
    if (norm) append_norm(ends, c, OpName::embedding_norm, c.sequence_tokens(), c.hidden(), true);
  }
  const Architecture projecting = stack_of(t, t.projector_norm);
  const BuildContext p{projecting, options};
  append_projector(ends, p, t, t.hidden, decoder.arch.hidden);
  for (std::int64_t i = 0; i < t.deeper_projectors; ++i) {
    append_projector(ends, p, t, t.projector_input, decoder.arch.hidden);
  }
}

}  // namespace orrery
