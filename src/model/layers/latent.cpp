// SPDX-License-Identifier: Apache-2.0
//
// Projections of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1), laid out
// as Megatron-Core does: down-projections and latent norms are not split by tensor parallelism and
// run on the sequence-parallel shard; the up-projections are column-parallel.
#include "model/layers/build.h"

namespace orrery {
namespace {

constexpr ModuleMask kUp = mask_of(Module::mla_up_proj);

void append_down(Block& block, const BuildContext& c, OpName name, std::int64_t width) {
  Operator& op =
      append_linear(block, name, c.sequence_tokens(), c.hidden(), {width, 1, Axis::whole});
  op.vectors = c.arch.qkv_bias ? 1 : 0;
}

// Norm over the latent, then its column-parallel projection to `width` per head.
void append_up(Block& block, const BuildContext& c, OpName norm, OpName up, std::int64_t rank,
               std::int64_t width) {
  const Extent latent{rank, 1, Axis::whole};
  append_norm(block, c, norm, c.sequence_tokens(), latent, true);
  Operator& op = append_linear(block, up, c.tokens(), latent, {c.arch.heads, width, Axis::tensor});
  op.recomputed_by = kUp;
  save(op, c.input_tokens(), latent, c.w(), kNorms);
  cross(op, BoundaryKind::enter_tensor, c.tokens(), latent, c.e());
}

// The output gate is computed from the layer's input, beside the queries.
void append_gate_up(Block& block, const BuildContext& c) {
  if (c.arch.attention_gate_dim == 0) return;
  append_linear(block, OpName::attention_gate_up, c.tokens(), c.hidden(),
                {c.arch.heads, c.arch.attention_gate_dim, Axis::tensor});
}

void append_queries(Block& block, const BuildContext& c) {
  const LatentAttention& m = c.arch.mla;
  if (m.q_lora_rank > 0) {
    append_down(block, c, OpName::q_down, m.q_lora_rank);
    append_up(block, c, OpName::q_norm_latent, OpName::q_up, m.q_lora_rank, c.arch.head_dim);
    return;
  }
  Operator& q = append_linear(block, OpName::q_up, c.tokens(), c.hidden(),
                              {c.arch.heads, c.arch.head_dim, Axis::tensor});
  q.recomputed_by = kUp;
  cross(q, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
}

}  // namespace

void append_latent_projections(Block& block, const BuildContext& c) {
  const LatentAttention& m = c.arch.mla;
  append_input_norm(block, c, OpName::input_norm, true);

  // The key's RoPE part is projected with the latent and shared by all heads.
  append_down(block, c, OpName::kv_down, m.kv_lora_rank + m.qk_rope_head_dim);
  save(block.operators[block.count - 1], c.sequence_tokens(), c.hidden(), c.w(), c.input_dropped());
  append_up(block, c, OpName::kv_norm_latent, OpName::kv_up, m.kv_lora_rank,
            m.qk_nope_head_dim + m.v_head_dim);
  append_queries(block, c);
  append_gate_up(block, c);
}

}  // namespace orrery
