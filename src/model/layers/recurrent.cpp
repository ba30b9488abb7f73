// SPDX-License-Identifier: Apache-2.0
//
// Layers that carry a state from token to token: state spaces and linear attention.
//
// Norm, one input projection, a short convolution over its channels, the recurrence in chunks, a
// gated norm, output, residual. Parameters and saved tensors: Megatron-LM's Mamba mixer
// (megatron/core/ssm), flash-linear-attention's layers (fla/layers) and transformers' modeling
// files, on the path that keeps least, the only one Megatron trains with. Tensor parallelism
// divides the heads; context parallelism trades heads for tokens (mamba_context_parallel.py).
// Leaves out: Mamba's second reduction's overlap, the state passed on between context ranks.
#include <cstdint>

#include "model/layers/build.h"

namespace orrery {
namespace {

// Widths of a kind, in values (V, all value heads together), keys (K) and value heads.
struct Facts {
  std::int64_t values = 0;        // outputs of the input projection V wide: values, gate
  std::int64_t keys = 0;          // K wide: queries and keys
  std::int64_t scalars = 0;       // a value head: time step, decay, write strength
  std::int64_t head_vectors = 0;  // parameters a value head: decay rate, its bias, skip
  bool low_rank_decay = false;    // a decay for every channel of the keys, from a narrow projection
  bool norm_by_head = false;      // the gated norm has the width of a head
  bool repeats_keys = false;      // saved once as they are and once for every value head
  double kept_rows = 0;           // rows of a chunk's triangular matrix kept a token, in chunks
  Kernels kernels{};              // of the recurrence
};
constexpr EnumArray<RecurrentKind, Facts> kFacts = {
    Facts{},
    Facts{.values = 2, .head_vectors = 1, .kernels = {1, 1}},
    Facts{.values = 2, .keys = 2, .scalars = 1, .head_vectors = 3, .kernels = {5, 10}},
    Facts{.values = 2,
          .keys = 2,
          .scalars = 2,
          .head_vectors = 2,
          .norm_by_head = true,
          .repeats_keys = true,
          .kept_rows = 1,
          .kernels = {8, 12}},
    Facts{.values = 1,
          .keys = 2,
          .scalars = 1,
          .head_vectors = 1,
          .low_rank_decay = true,
          .norm_by_head = true,
          .kept_rows = 2,
          .kernels = {8, 12}},
    Facts{.values = 2, .keys = 2, .kernels = {3, 6}},
    Facts{.values = 3, .kernels = {0, 0}},
    Facts{.values = 2, .head_vectors = 1, .kernels = {1, 1}}};

// FLOPs of the recurrence for a token and value head, as its kernels run and as reports count them.
struct Work {
  double run = 0;
  double reported = 0;
};

// p: value size, n: key size, c: chunk. Mamba-2: products of a chunk with itself once a group, the
// states in and out, the chunk's outputs (state-spaces/mamba, ssd_combined.py); Megatron reports
// 7pn. Gated delta: fla/ops/gated_delta_rule; Megatron reports 8pn. Kimi: arXiv:2510.26692, eq. 13.
// Lightning: arXiv:2501.08313. Mamba: 9 operations a channel and state (arXiv:2312.00752); RG-LRU
// about as many a channel.
Work work_of(const Recurrent& r) {
  const auto p = static_cast<double>(r.value_head_dim);
  const auto n = static_cast<double>(r.key_head_dim);
  const auto c = static_cast<double>(r.chunk);
  const double delta = 6 * n * p + 5 * c * (n + p) + c * c;
  switch (r.kind) {
    case RecurrentKind::none:
    case RecurrentKind::short_conv:
      return {};
    case RecurrentKind::mamba:
    case RecurrentKind::rg_lru:
      return {9 * n * p, 9 * n * p};
    case RecurrentKind::mamba2: {
      const double groups = static_cast<double>(r.key_heads) / static_cast<double>(r.value_heads);
      return {4 * n * p + 2 * c * p + 2 * c * n * groups, 7 * n * p};
    }
    case RecurrentKind::gated_delta:
      return {delta, 8 * n * p};
    case RecurrentKind::kimi_delta:
      return {delta, 6 * n * p + 1.5 * c * (n + p) + c * c};
    case RecurrentKind::lightning:
      return {4 * n * p + 2 * c * (n + p), 4 * n * p + c * (n + p)};
  }
  return {};
}

class Builder {
 public:
  Builder(Block& block, const BuildContext& c)
      : block_(block), c_(c), r_(c.arch.recurrent), f_(kFacts[c.arch.recurrent.kind]) {}

  void append_all(bool own_input) {
    append_in(own_input);
    append_conv();
    if (r_.kind == RecurrentKind::mamba) append_time_step();
    if (f_.low_rank_decay) append_low_rank();
    if (r_.kind == RecurrentKind::rg_lru) append_gates();
    append_recurrence();
    append_gated_norm();
    append_out();
  }

 private:
  Extent values(std::int64_t times = 1) const {
    return {r_.value_heads, times * r_.value_head_dim, Axis::tensor};
  }
  Extent keys(std::int64_t times = 1) const {
    return {r_.key_heads, times * r_.key_head_dim, Axis::tensor};
  }
  Extent scalars(std::int64_t n) const { return {r_.value_heads, n, Axis::tensor}; }

  void append_in(bool own_input) {
    const Extent wide{r_.value_heads, f_.values * r_.value_head_dim + f_.scalars, Axis::tensor};
    Operator& in = append_linear(block_, OpName::recurrent_in, c_.tokens(), c_.hidden(), wide);
    if (f_.keys > 0) in.cols2 = keys(f_.keys);
    in.vectors = r_.projection_bias ? 1 : 0;
    if (!own_input) return;
    save(in, c_.input_tokens(), c_.hidden(), c_.w(), c_.input_dropped());
    cross(in, BoundaryKind::enter_tensor, c_.tokens(), c_.hidden(), c_.e());
  }

  void append_conv() {
    if (r_.conv_kernel == 0) return;
    Operator& conv =
        append(block_, OpName::recurrent_conv, OpKind::pointwise, c_.tokens(), values());
    if (f_.keys > 0) conv.cols2 = keys(f_.keys);
    conv.vectors = r_.conv_kernel + (r_.conv_bias ? 1 : 0);
    conv.forward_bytes = 2 * c_.e();
    conv.backward_bytes = 3 * c_.e();
    save(conv, c_.tokens(), values(), c_.e());
    if (f_.keys > 0) save(conv, c_.tokens(), keys(f_.keys), c_.e());
  }

  // Mamba's time step and the inputs of its state, from the channels of all ranks.
  void append_time_step() {
    const Extent narrow{r_.rank + 2 * r_.key_head_dim, 1, Axis::whole};
    Operator& down = append_linear(block_, OpName::narrow_down, c_.tokens(), values(), narrow);
    down.vectors = r_.inner_norms ? 1 : 0;
    cross(down, BoundaryKind::leave_tensor, c_.tokens(), narrow, c_.e());
    Operator& up =
        append_linear(block_, OpName::narrow_up, c_.tokens(), {r_.rank, 1, Axis::whole}, values());
    up.vectors = 1;
    save(up, c_.tokens(), narrow, c_.e());
  }

  // RG-LRU's gates of input and decay, each a product within blocks of channels.
  void append_gates() {
    Operator& gates =
        append_linear(block_, OpName::narrow_up, c_.tokens(), {r_.rank, 1, Axis::whole}, values(2));
    gates.vectors = 1;
    save(gates, c_.tokens(), values(), c_.w());
    save(gates, c_.tokens(), values(2), c_.e());
  }

  // Kimi's decay for every channel, and its gate where that is no full product.
  void append_low_rank() {
    append_pair(r_.value_head_dim, keys()).vectors = 1;
    if (r_.rank > 0) {
      append_pair(r_.rank, values());
    } else {
      append_linear(block_, OpName::narrow_up, c_.tokens(), c_.hidden(), values());
    }
  }

  Operator& append_pair(std::int64_t rank, Extent to) {
    const Extent narrow{rank, 1, Axis::whole};
    append_linear(block_, OpName::narrow_down, c_.tokens(), c_.hidden(), narrow);
    Operator& op = append_linear(block_, OpName::narrow_up, c_.tokens(), narrow, to);
    save(op, c_.tokens(), narrow, c_.e());
    return op;
  }

  // Per element of the values: keys and values read, output written, and the state of every chunk
  // written and read. Backward runs the states again.
  void set_traffic(Operator& op) const {
    const double v = static_cast<double>(r_.value_heads * r_.value_head_dim);
    const double k = static_cast<double>(f_.keys * r_.key_heads * r_.key_head_dim);
    const double states =
        r_.chunk > 0 ? static_cast<double>(r_.key_head_dim) / static_cast<double>(r_.chunk) : 0;
    const double inputs = (v + k) / v;
    op.forward_bytes = c_.e() * (inputs + 1 + 2 * states);
    op.backward_bytes = c_.e() * (3 * inputs + 1 + 6 * states);
  }

  void append_recurrence() {
    if (r_.kind == RecurrentKind::short_conv) return;
    Operator& op = append(block_, OpName::recurrence, OpKind::recurrence, c_.tokens(),
                          {r_.value_head_dim, 1, Axis::whole});
    op.groups = {r_.value_heads, 1, Axis::tensor};
    op.inner = {r_.key_head_dim, 1, Axis::whole};
    const double once = 2 * static_cast<double>(r_.key_head_dim * r_.value_head_dim);
    const Work work = work_of(r_);
    op.pairs = work.run / once;
    op.megatron_pairs = op.masked_pairs = work.reported / once;
    op.kernels = f_.kernels;
    set_traffic(op);
    op.vectors = f_.head_vectors;
    op.vector_extent = scalars(1);
    if (r_.kind == RecurrentKind::mamba)
      op.vector_extent = {r_.value_heads, r_.key_head_dim + 1, Axis::tensor};
    save_recurrence(op);
    cross(op, BoundaryKind::context_states, c_.tokens(),
          {r_.value_heads, (f_.values + 1) * r_.value_head_dim + f_.scalars, Axis::tensor}, c_.e());
    if (f_.keys > 0) {
      cross(op, BoundaryKind::context_states, c_.tokens(), keys(f_.keys), c_.e());
    }
  }

  void save_recurrence(Operator& op) const {
    // One decay in fp32, the rest as activations are.
    if (f_.scalars > 0) save(op, c_.tokens(), scalars(f_.scalars), f_.scalars > 1 ? 3 : c_.e());
    if (r_.conv_kernel == 0) {  // without a convolution these are saved here
      save(op, c_.tokens(), values(), c_.e());
      save(op, c_.tokens(), keys(f_.keys), c_.e());
    }
    if (f_.kept_rows > 0) {
      save(op, c_.tokens(), values(), c_.e());
      save(op, c_.tokens(),
           {r_.value_heads, static_cast<std::int64_t>(f_.kept_rows) * r_.chunk, Axis::tensor},
           c_.e());
      // Normalised queries and keys, and their copies for every value head or decays in fp32.
      save(op, c_.tokens(), keys(2), c_.e());
      const bool copies = f_.repeats_keys && r_.key_heads < r_.value_heads;
      if (copies)
        save(op, c_.tokens(), {r_.value_heads, 2 * r_.key_head_dim, Axis::tensor}, c_.e());
      if (f_.low_rank_decay) save(op, c_.tokens(), keys(), 4 + c_.e());
    }
  }

  // The output of the recurrence, normalised, times the gate.
  void append_gated_norm() {
    Operator& op = append(block_, OpName::recurrent_norm, OpKind::pointwise, c_.tokens(), values());
    op.forward_bytes = 3 * c_.e();
    op.backward_bytes = 5 * c_.e();
    op.kernels = {1, 2};
    if (r_.gated_norm) op.vectors = 1;
    if (f_.norm_by_head) op.vector_extent = {r_.value_head_dim, 1, Axis::whole};
    save(op, c_.tokens(), values(), c_.e());
    save(op, c_.tokens(), values(), c_.e());
    // Mamba-2 keeps the output of its scan and the input of its norm apart.
    if (r_.kind == RecurrentKind::mamba2) save(op, c_.tokens(), values(), c_.e());
  }

  void append_out() {
    Operator& out =
        append_linear(block_, OpName::recurrent_out, c_.tokens(), values(), c_.hidden());
    out.vectors = r_.projection_bias ? 1 : 0;
    save(out, c_.tokens(), values(), c_.w());
    cross(out, BoundaryKind::leave_tensor, c_.tokens(), c_.hidden(), c_.e());
  }

  Block& block_;
  const BuildContext& c_;
  const Recurrent& r_;
  const Facts& f_;
};

}  // namespace

void append_recurrent(Block& block, const BuildContext& c, Mixer mixer) {
  const bool alone = mixer != Mixer::beside;
  if (alone) append_input_norm(block, c, OpName::input_norm, true);
  Builder(block, c).append_all(alone);
  append_branch_end(block, c, OpName::attention_post_norm, OpName::attention_residual);
}

}  // namespace orrery
