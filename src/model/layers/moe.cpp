// SPDX-License-Identifier: Apache-2.0
//
// A mixture-of-experts MLP: norm, router, tokens out to their experts and back, shared experts.
//
// Tokens are evenly spread over experts, or `expert_load` times the mean reaches the fullest rank,
// for which all others wait. They are permuted twice in each direction, before and
// after the exchange: once by destination rank and once by local expert. With a capacity factor
// every expert takes factor × the mean, padded, or without padding no more than that; the tokens
// above it are dropped. Without one nothing is dropped. The router works on
// the sequence-parallel shard, in fp32. Layout as in Megatron-Core's all-to-all dispatcher.
#include <algorithm>
#include <cmath>

#include "model/layers/mlp.h"

namespace orrery {
namespace {

constexpr ModuleMask kMoe = mask_of(Module::moe);
constexpr double kRouterBytes = 4;  // scores are fp32

// Token copies of one sequence: s·k, those of the fullest rank, or the number that the capacity
// allows.
std::int64_t copies(const BuildContext& c) {
  const std::int64_t all = c.s() * c.arch.moe.top_k;
  const double capacity = c.arch.moe.capacity_factor;
  const double reaches = c.options.expert_load;
  const bool padded = capacity > 0 && c.arch.moe.pads_to_capacity;
  const double load = padded ? capacity : capacity > 0 ? std::min(capacity, reaches) : reaches;
  if (load == 1) return all;
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(all) * load));
}

void append_router(Block& block, const BuildContext& c) {
  const MixtureOfExperts& moe = c.arch.moe;
  const Extent experts{moe.experts, 1, Axis::whole};
  Operator& router = append_linear(block, OpName::router, c.sequence_tokens(), c.hidden(), experts);
  router.role = PrecisionRole::wide;
  router.vectors = (moe.router_bias ? 1 : 0) + (moe.router_correction_bias ? 1 : 0);
  router.recomputed_by = kMoe;
  // The layer's input is saved here once, for router, experts and shared experts.
  save(router, c.sequence_tokens(), c.hidden(), c.e(), c.input_dropped());

  Operator& softmax =
      append(block, OpName::router_softmax, OpKind::pointwise, c.sequence_tokens(), experts);
  softmax.forward_bytes = 2 * kRouterBytes;
  softmax.backward_bytes = 3 * kRouterBytes;
  softmax.recomputed_by = kMoe;
  save(softmax, c.sequence_tokens(), experts, kRouterBytes, kMoe);
}

// The width of a token on its way to the experts.
Extent routed_width(const BuildContext& c) {
  return {c.arch.moe.latent > 0 ? c.arch.moe.latent : c.arch.hidden, 1, Axis::whole};
}

// Experts in a narrower space: every token is projected once, before it is copied (Nemotron 3).
void append_latent(Block& block, const BuildContext& c, OpName name, Extent from, Extent to) {
  if (c.arch.moe.latent == 0) return;
  Operator& op = append_linear(block, name, c.sequence_tokens(), from, to);
  op.recomputed_by = kMoe;
  save(op, c.sequence_tokens(), name == OpName::latent_up ? from : Extent{0, 0, Axis::whole}, c.w(),
       kMoe);
}

void append_permutation(Block& block, const BuildContext& c, OpName name, BoundaryKind boundary) {
  const Extent rows{copies(c), c.b(), Axis::sequence};
  Operator& op = append(block, name, OpKind::pointwise, rows, routed_width(c));
  op.forward_bytes = 4 * c.e();
  op.backward_bytes = 4 * c.e();
  op.recomputed_by = kMoe;
  cross(op, boundary, rows, routed_width(c), c.e());
}

void append_experts(Block& block, const BuildContext& c) {
  MlpPart part;
  part.up = OpName::expert_up;
  part.activation = OpName::expert_activation;
  part.down = OpName::expert_down;
  part.intermediate = c.arch.moe.expert_intermediate;
  part.input = c.arch.moe.latent;
  part.rows = {copies(c), c.b(), Axis::routed};
  part.axis = Axis::expert_tensor;
  part.groups = {c.arch.moe.experts, 1, Axis::expert};
  part.grouped = true;
  part.parameter_class = ParameterClass::expert;
  part.recomputed_by = kMoe;
  part.activation_recomputed_by = mask_of(Module::moe_act);
  const std::uint8_t first = block.count;
  append_gated_mlp(block, c, part);
  save(block.operators[first], part.rows, routed_width(c), c.w(), kMoe);
}

void append_shared_experts(Block& block, const BuildContext& c) {
  if (c.arch.moe.shared_intermediate == 0) return;
  MlpPart part;
  part.up = OpName::shared_up;
  part.activation = OpName::shared_activation;
  part.down = OpName::shared_down;
  part.intermediate = c.arch.moe.shared_intermediate;
  part.rows = c.tokens();
  part.recomputed_by = kMoe;
  part.activation_recomputed_by = mask_of(Module::moe_act);
  const std::uint8_t first = block.count;
  append_gated_mlp(block, c, part);
  cross(block.operators[first], BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  cross(block.operators[block.count - 1], BoundaryKind::leave_tensor, c.tokens(), c.hidden(),
        c.e());
  if (!c.arch.moe.shared_gate) return;
  Operator& gate = append_linear(block, OpName::shared_gate, c.sequence_tokens(), c.hidden(),
                                 {1, 1, Axis::whole});
  gate.role = PrecisionRole::wide;
  gate.recomputed_by = kMoe;
}

}  // namespace

void append_moe(Block& block, const BuildContext& c) {
  const bool shared = c.arch.parallel_residual && c.arch.shared_norm;
  if (!shared) append_input_norm(block, c, OpName::mlp_norm, !c.arch.parallel_residual);
  append_router(block, c);
  append_latent(block, c, OpName::latent_down, c.hidden(), routed_width(c));
  append_permutation(block, c, OpName::permute, BoundaryKind::dispatch);
  append_experts(block, c);
  append_permutation(block, c, OpName::unpermute, BoundaryKind::combine);
  append_latent(block, c, OpName::latent_up, routed_width(c), c.hidden());
  append_shared_experts(block, c);
  append_branch_end(block, c, OpName::mlp_post_norm, OpName::mlp_residual);
}

}  // namespace orrery
