// SPDX-License-Identifier: Apache-2.0
#include "parallel/shard.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "core/divide.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

void add(ShardedOperator& op, const Exchange& e) {
  assert(op.exchange_count < kMaxExchanges);
  op.exchanges[op.exchange_count++] = e;
}

Exchange make(Collective c, ExchangeGroup group, Pass pass, double bytes) {
  Exchange e;
  e.collective = c;
  e.group = group;
  e.pass = pass;
  e.buffer = Bytes(bytes);
  return e;
}

Exchange covered(Exchange e, Cover by) {
  e.cover = by;
  return e;
}

double elements(const Boundary& b, const Degrees& d) {
  return static_cast<double>(local(b.rows, d)) * static_cast<double>(local(b.cols, d));
}

void enter_tensor(ShardedOperator& op, const Boundary& b, const Degrees& d, bool again) {
  if (d.tp == 1) return;
  const double bytes = elements(b, d) * b.bytes_per_element;
  using enum Collective;
  if (!d.sequence_parallel) {
    add(op, covered(make(all_reduce, ExchangeGroup::tp, Pass::backward, bytes),
                    Cover::weight_gradient));
    return;
  }
  add(op, make(all_gather, ExchangeGroup::tp, Pass::forward, bytes));
  if (d.gathers_again && again) {
    add(op,
        covered(make(all_gather, ExchangeGroup::tp, Pass::backward, bytes), Cover::input_gradient));
  }
  add(op, covered(make(reduce_scatter, ExchangeGroup::tp, Pass::backward, bytes),
                  Cover::weight_gradient));
}

void leave_tensor(ShardedOperator& op, const Boundary& b, const Degrees& d) {
  if (d.tp == 1) return;
  const double bytes = elements(b, d) * b.bytes_per_element;
  using enum Collective;
  if (!d.sequence_parallel) {
    add(op, make(all_reduce, ExchangeGroup::tp, Pass::forward, bytes));
    return;
  }
  add(op, make(reduce_scatter, ExchangeGroup::tp, Pass::forward, bytes));
  add(op, make(all_gather, ExchangeGroup::tp, Pass::backward, bytes));
}

// Three reductions of one number a token: maximum, sum of exponentials, the target's logit.
void loss_reduce(ShardedOperator& op, const Boundary& b, const Degrees& d) {
  if (d.tp == 1) return;
  constexpr std::int64_t kReductions = 3;
  Exchange e = make(Collective::all_reduce, ExchangeGroup::tp, Pass::forward,
                    elements(b, d) * b.bytes_per_element / static_cast<double>(kReductions));
  e.times = kReductions;
  add(op, e);
}

// Every rank of an all-to-all takes at least one head: fewer are repeated before they are sent.
std::int64_t repeats(const Boundary& b, const Degrees& d) {
  const std::int64_t heads = local({b.cols.units, 1, b.cols.axis}, d);
  return divided_up(d.cp, heads);
}

// `messages` of one size carry the boundary's tensors.
void heads_for_tokens(ShardedOperator& op, const Boundary& b, const Degrees& d,
                      std::int64_t messages, std::int64_t copies = 1) {
  if (d.cp == 1) return;
  const double mine = elements(b, d) * b.bytes_per_element * static_cast<double>(copies);
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    Exchange e =
        make(Collective::all_to_all, ExchangeGroup::cp, pass, mine / static_cast<double>(messages));
    e.times = messages;
    add(op, e);
  }
}

// Keys and values travel apart, and so do queries and the output, which is there only after
// attention (DeepSpeed's _SeqAllToAll, Transformer Engine's flash_attn_a2a_communicate [from
// memory]). If heads of the two differ in width, both messages have the mean size.
constexpr std::int64_t kTensorsOfAttention = 2;

// Ring and all-gather move the same bytes: every rank's keys and values pass every other rank, once
// forward, and in backward once more with their gradients coming back.
void context_keys(ShardedOperator& op, const Boundary& b, const Degrees& d) {
  if (d.cp == 1) return;
  const double mine = elements(b, d) * b.bytes_per_element;
  using enum Collective;
  if (op.kind == OpKind::fused_attention) op.ring = d.ring;
  if (d.cp_type == ContextType::a2a) {
    return heads_for_tokens(op, b, d, kTensorsOfAttention, repeats(b, d));
  }
  const double all = mine * static_cast<double>(d.cp);
  const auto ring = [&](Collective c, Pass pass) {
    const Exchange e = make(c, ExchangeGroup::cp, pass, all);
    add(op, d.cp_type == ContextType::p2p ? covered(e, Cover::attention) : e);
  };
  ring(all_gather, Pass::forward);
  ring(all_gather, Pass::backward);
  ring(reduce_scatter, Pass::backward);
}

// Tokens travel over ep; where experts are split by etp too, its ranks then share what arrived.
void dispatch(ShardedOperator& op, const Boundary& b, const Degrees& d, bool combine) {
  using enum Collective;
  const double bytes = elements(b, d) * b.bytes_per_element;
  if (d.ep > 1) {
    add(op, make(all_to_all, ExchangeGroup::ep, Pass::forward, bytes));
    add(op, make(all_to_all, ExchangeGroup::ep, Pass::backward, bytes));
  }
  if (d.etp > 1) {
    const double all = bytes * static_cast<double>(d.etp);
    add(op, make(combine ? reduce_scatter : all_gather, ExchangeGroup::etp, Pass::forward, all));
    add(op, make(combine ? all_gather : reduce_scatter, ExchangeGroup::etp, Pass::backward, all));
  }
}

void gather_samples(ShardedOperator& op, const Boundary& b, const Degrees& d, bool back) {
  if (d.dp == 1) return;
  const double all = elements(b, d) * b.bytes_per_element;
  add(op, make(Collective::all_gather, ExchangeGroup::dp, Pass::forward, all));
  if (back) add(op, make(Collective::reduce_scatter, ExchangeGroup::dp, Pass::backward, all));
}

void sum_over_replicas(ShardedOperator& op, const Boundary& b, const Degrees& d) {
  if (d.dp == 1) return;
  const double bytes = static_cast<double>(local(b.cols, d)) * b.bytes_per_element;
  Exchange e = make(Collective::all_reduce, ExchangeGroup::dp, Pass::forward, bytes);
  e.times = b.rows.units;
  add(op, e);
}

void cross(ShardedOperator& op, const Boundary& b, const Degrees& d, bool again) {
  switch (b.kind) {
    case BoundaryKind::enter_tensor:
      return enter_tensor(op, b, d, again);
    case BoundaryKind::leave_tensor:
    case BoundaryKind::leave_lookup:
      return leave_tensor(op, b, d);
    case BoundaryKind::loss_reduce:
      return loss_reduce(op, b, d);
    case BoundaryKind::context_keys:
      return context_keys(op, b, d);
    case BoundaryKind::context_heads:
      if (d.cp_type == ContextType::a2a) heads_for_tokens(op, b, d, kTensorsOfAttention);
      return;
    case BoundaryKind::context_states:
      return heads_for_tokens(op, b, d, 1);
    case BoundaryKind::dispatch:
      return dispatch(op, b, d, false);
    case BoundaryKind::combine:
      return dispatch(op, b, d, true);
    case BoundaryKind::gather_samples:
    case BoundaryKind::gather_samples_alone:
      return gather_samples(op, b, d, b.kind == BoundaryKind::gather_samples);
    case BoundaryKind::sum_over_replicas:
      return sum_over_replicas(op, b, d);
  }
}

}  // namespace

Degrees degrees_of(const Strategy& s) {
  Degrees d;
  d.tp = s.tp;
  d.cp = s.cp;
  d.ep = s.ep;
  d.etp = s.etp;
  d.dp = s.dp;
  d.cp_type = s.cp_type;
  // A document that few ranks share goes round among these; the calls stay as one.
  if (s.cp_type == ContextType::p2p && !s.dynamic_cp) d.ring = s.cp;
  d.sequence_parallel = s.sequence_parallel;
  const std::int64_t sequence = s.cp * (s.sequence_parallel ? s.tp : 1);
  d.by_axis = {1, s.tp, s.cp, sequence, s.ep, s.etp, s.cp * s.tp};
  // Tokens of tp·cp ranks are spread over ranks that each hold 1/etp of an expert's width, and
  // every one of an etp group computes on what all of the group received.
  d.gathered[Axis::routed] = s.etp;
  return d;
}

namespace {

void keep_forward_exchanges(ShardedOperator& op) {
  std::uint8_t kept = 0;
  for (std::uint8_t i = 0; i < op.exchange_count; ++i) {
    if (op.exchanges[i].pass == Pass::forward) op.exchanges[kept++] = op.exchanges[i];
  }
  op.exchange_count = kept;
}

// Into an entry that was used before: what its counts leave out is not cleared.
void shard(const Operator& op, const Degrees& d, ShardedOperator& o) {
  static_cast<OperatorSizes&>(o) = sizes_of(op, d);
  o.name = op.name;
  o.kind = op.kind;
  o.role = op.role;
  o.parameter_class = op.parameter_class;
  o.recomputed_by = op.recomputed_by;
  o.alternate_share = op.alternate_share;
  o.taps = op.taps;
  o.has_weight = op.has_weight;
  o.tied = op.tied;
  o.weight = op.weight;
  o.backward = op.backward;
  o.stored_bytes = op.weight == WeightUse::packed ? d.linear_bytes : d.frozen_bytes;
  o.pairs = op.pairs;
  o.masked_pairs = op.masked_pairs;
  o.megatron_pairs = op.megatron_pairs;
  o.ring = 1;
  o.forward_bytes = op.forward_bytes;
  o.backward_bytes = op.backward_bytes;
  o.kernels = op.kernels;
  o.parameters = parameters(op, o, d);
  o.kept_count = 0;
  o.exchange_count = 0;
  for (std::uint8_t i = 0; i < op.saved_count; ++i) {
    o.kept[o.kept_count++] = {bytes_of(op.saved[i], d), op.saved[i].dropped_by};
  }
  for (std::uint8_t i = 0; i < op.boundary_count; ++i)
    cross(o, op.boundaries[i], d, op.reads_input_again);
  if (op.backward == Backward::never) keep_forward_exchanges(o);
}

}  // namespace

void shard(const Block& block, const Degrees& d, ShardedBlock& out) {
  out.kind = block.kind;
  out.count = block.count;
  out.pieces = block.pieces;
  for (std::uint8_t i = 0; i < block.count; ++i) shard(block.operators[i], d, out.operators[i]);
  out.input = bytes_of(block.input, d);
}

Bytes kept_bytes(const ShardedOperator& op, ModuleMask recomputed) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < op.kept_count; ++i) {
    if ((op.kept[i].dropped_by & recomputed) == 0) sum += op.kept[i].bytes;
  }
  return sum;
}

Bytes kept_bytes(const ShardedBlock& block, ModuleMask recomputed) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    sum += kept_bytes(block.operators[i], recomputed);
  }
  return sum;
}

namespace {

// Operators whose saved tensors have a name under offload.
struct NamedTensors {
  OpName name;
  OffloadTensor tensor;
};
constexpr std::array kNamedTensors = {
    NamedTensors{OpName::input_norm, OffloadTensor::attn_norm},
    NamedTensors{OpName::beside_norm, OffloadTensor::attn_norm},
    NamedTensors{OpName::qkv, OffloadTensor::qkv_linear},
    NamedTensors{OpName::beside_qkv, OffloadTensor::qkv_linear},
    NamedTensors{OpName::q_down, OffloadTensor::qkv_linear},
    NamedTensors{OpName::kv_down, OffloadTensor::qkv_linear},
    NamedTensors{OpName::attention, OffloadTensor::core_attn},
    NamedTensors{OpName::attention_scores, OffloadTensor::core_attn},
    NamedTensors{OpName::attention_softmax, OffloadTensor::core_attn},
    NamedTensors{OpName::attention_dropout, OffloadTensor::core_attn},
    NamedTensors{OpName::attention_values, OffloadTensor::core_attn},
    NamedTensors{OpName::attention_out, OffloadTensor::attn_proj},
    NamedTensors{OpName::beside_out, OffloadTensor::attn_proj},
    NamedTensors{OpName::mlp_norm, OffloadTensor::mlp_norm},
    NamedTensors{OpName::beside_mlp_norm, OffloadTensor::mlp_norm},
    NamedTensors{OpName::mlp_activation, OffloadTensor::mlp_act},
    NamedTensors{OpName::beside_mlp_activation, OffloadTensor::mlp_act},
    NamedTensors{OpName::expert_up, OffloadTensor::expert_fc1},
    NamedTensors{OpName::expert_activation, OffloadTensor::moe_act},
    NamedTensors{OpName::shared_activation, OffloadTensor::moe_act}};

bool is_named(OpName name, TensorMask mask) {
  return std::any_of(kNamedTensors.begin(), kNamedTensors.end(), [&](const NamedTensors& n) {
    return n.name == name && (mask_of(n.tensor) & mask) != 0;
  });
}

}  // namespace

Bytes staying_bytes(const ShardedBlock& block, ModuleMask recomputed, TensorMask moved) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (op.name != OpName::loss && !is_named(op.name, moved)) sum += kept_bytes(op, recomputed);
  }
  return sum;
}

namespace {

constexpr double kGatheredWide = 2;  // fp32 shards travel in 16 bits

ParametersHeld parameters_held(const ShardedOperator& op) {
  const bool expert = op.parameter_class == ParameterClass::expert;
  ParametersHeld held;
  if (op.weight == WeightUse::trained) {
    (expert ? held.expert : held.dense) = op.parameters;
    return held;
  }
  const auto n = static_cast<double>(op.parameters);
  if (op.weight == WeightUse::averaged) {
    held.fixed_dense.gathered = Bytes(n * kGatheredWide);  // for the forward pass alone
    return held;
  }
  // By name: g++ 12 loses what a braced list assigns to `(a ? b : c)`.
  FixedWeights& still = expert ? held.fixed_expert : held.fixed_dense;
  const Bytes gathered(n * std::min(op.stored_bytes, kGatheredWide));
  still = {op.parameters, Bytes(n * op.stored_bytes), gathered,
           op.backward == Backward::never ? Bytes() : gathered};
  return held;
}

}  // namespace

ParametersHeld parameters_held(const ShardedBlock& block, bool tied_copy) {
  ParametersHeld held;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (op.tied && !tied_copy) continue;
    held += parameters_held(op);
  }
  return held;
}

ParametersHeld largest_module(const ShardedBlock& block) {
  ParametersHeld most;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    most = larger_of(most, parameters_held(block.operators[i]));
  }
  return most;
}

}  // namespace orrery
