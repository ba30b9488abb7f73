// SPDX-License-Identifier: Apache-2.0
//
// The dense MLP. Saved tensors: Korthikanti et al. (arXiv:2205.05198) section 4.1, 19sbh for GELU
// with dropout; gated forms keep both halves of the up-projection.
#include "model/layers/mlp.h"

namespace orrery {

void append_gated_mlp(Block& block, const BuildContext& c, const MlpPart& part) {
  const std::int64_t halves = c.arch.gated ? 2 : 1;
  const Extent wide{part.intermediate, halves, part.axis};
  const Extent narrow{part.intermediate, 1, part.axis};

  const Extent outside{part.input > 0 ? part.input : c.arch.hidden, 1, Axis::whole};

  Operator& up = append_linear(block, part.up, part.rows, outside, wide);
  Operator& act = append(block, part.activation, OpKind::pointwise, part.rows, narrow);
  if (c.arch.inner_norms && !part.grouped) {
    append_norm(block, c, OpName::mlp_post_norm, part.rows, narrow, true);
  }
  Operator& down = append_linear(block, part.down, part.rows, narrow, outside);
  for (Operator* op : {&up, &down}) {
    op->vectors = c.arch.mlp_bias ? 1 : 0;
    op->recomputed_by = part.recomputed_by;
    op->groups = part.groups;
    op->parameter_class = part.parameter_class;
    if (part.grouped) op->kind = OpKind::grouped_product;
  }

  act.vectors = c.arch.activation_weights;
  act.vector_extent = {1, 1, Axis::whole};
  // Forward reads the halves and writes one; backward reads them and the gradient, writes halves.
  const auto n = static_cast<double>(halves);
  act.forward_bytes = (n + 1) * c.e();
  act.backward_bytes = (2 * n + 1) * c.e();
  act.recomputed_by = static_cast<ModuleMask>(part.recomputed_by | part.activation_recomputed_by);
  // alternate_products saves the gate and recomputes the up-projection.
  constexpr ModuleMask kAlternate = mask_of(Module::alternate_products);
  act.recomputed_by |= kAlternate;
  save(act, part.rows, narrow, c.gate(), part.recomputed_by);
  if (c.arch.gated && c.unfused(Chain::gated_activation)) {
    run_chain(act, eager_gated_activation(c.e()), part.rows, narrow, act.recomputed_by);
  }
  if (c.arch.gated) {
    up.recomputed_by |= kAlternate;
    up.alternate_share = 1.0 / n;
    save(act, part.rows, narrow, c.gate(),
         static_cast<ModuleMask>(part.recomputed_by | kAlternate));
  }
  save(down, part.rows, narrow, c.w(), act.recomputed_by);
}

void append_mlp(Block& block, const BuildContext& c) {
  // With a parallel residual this norm reads the saved input of the attention's norm; where both
  // share one, its output is saved and gathered already.
  const bool shared = c.arch.parallel_residual && c.arch.shared_norm;
  if (!shared) append_input_norm(block, c, OpName::mlp_norm, !c.arch.parallel_residual);
  MlpPart part;
  part.intermediate = c.arch.intermediate;
  part.rows = c.tokens();
  part.recomputed_by = mask_of(Module::mlp);
  part.activation_recomputed_by = mask_of(Module::mlp_act);
  const std::uint8_t first = block.count;
  append_gated_mlp(block, c, part);

  if (!shared) {
    Operator& up = block.operators[first];
    save(up, c.input_tokens(), c.hidden(), c.w(), c.input_dropped());
    cross(up, BoundaryKind::enter_tensor, c.tokens(), c.hidden(), c.e());
  }
  cross(block.operators[block.count - 1], BoundaryKind::leave_tensor, c.tokens(), c.hidden(),
        c.e());
  append_branch_end(block, c, OpName::mlp_post_norm, OpName::mlp_residual);
}

}  // namespace orrery
