// SPDX-License-Identifier: Apache-2.0
//
// The share of one rank: the model's operators, divided.
//
// One rule shards everything: an extent of `units` × `unit` leaves ceil(units / degree of its axis)
// × unit on the fullest rank (of tokens on their way to experts, the shares of its etp group).
// Boundaries become the exchanges that tensor, context and expert parallelism need there
// (Korthikanti et al., arXiv:2205.05198, section 4.2.2, for sequence parallelism: gather and
// reduce-scatter in place of all-reduce, and one gather more in backward where an input is kept
// sharded). Leaves out what depends on the pipeline and on data parallelism. Errors: none.
#pragma once

#include <array>
#include <cstdint>

#include "core/enum_names.h"
#include "core/raw_array.h"
#include "model/operators.h"
#include "network/collective.h"
#include "orrery/quantity.h"
#include "parallel/parameters_held.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Strategy;

struct Degrees : AxisDegrees {
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
  std::int64_t dp = 1;  // replicas that exchange features of samples
  ContextType cp_type = ContextType::p2p;
  std::int64_t ring = 1;  // context ranks whose keys come round one after the other
  bool sequence_parallel = false;
  bool gathers_again = true;  // inputs kept sharded, for the weight gradient
  double linear_bytes = 2;    // of a frozen weight of a linear layer, as it is stored
  double frozen_bytes = 2;    // of any other
};

Degrees degrees_of(const Strategy& s);

// Groups inside one pipeline stage that exchange activations; replicas do for losses over a batch.
enum class ExchangeGroup : std::uint8_t { tp, cp, ep, etp, dp };
constexpr EnumNames<ExchangeGroup> names_of(ExchangeGroup) {
  return {"tp", "cp", "ep", "etp", "dp"};
}

// When an exchange happens. A forward one happens again where its operator is recomputed.
enum class Pass : std::uint8_t { forward, backward };

// The compute that may hide an exchange, if the framework allows it: the other gradient of its
// operator, or the attention that it feeds.
enum class Cover : std::uint8_t { none, input_gradient, weight_gradient, attention };

struct Exchange {
  Collective collective = Collective::all_reduce;
  ExchangeGroup group = ExchangeGroup::tp;
  Pass pass = Pass::forward;
  Cover cover = Cover::none;
  std::int64_t times = 1;  // a micro batch
  Bytes buffer{};          // S, the full buffer, as network/collective.h defines it
};

struct KeptTensor {
  Bytes bytes{};
  ModuleMask dropped_by = 0;
};

inline constexpr std::size_t kMaxExchanges = 8;

// One operator on the fullest rank. Elements are counts; see Operator for what they mean.
struct ShardedOperator : OperatorSizes {
  OpName name = OpName::embedding;
  OpKind kind = OpKind::pointwise;
  PrecisionRole role = PrecisionRole::wide;
  ParameterClass parameter_class = ParameterClass::dense;
  ModuleMask recomputed_by = 0;
  double alternate_share = 1;
  std::uint8_t taps = 1;  // a convolution: the input is inner / taps wide
  bool has_weight = false;
  bool tied = false;
  WeightUse weight = WeightUse::trained;
  Backward backward = Backward::whole;

  double pairs = 1;  // attention, as Operator has them
  double masked_pairs = 1;
  double megatron_pairs = 1;
  std::int64_t ring = 1;  // fused attention: calls, each over the keys of one context rank

  double forward_bytes = 0;  // pointwise and lookup: an element of rows × cols
  double backward_bytes = 0;
  Kernels kernels{};

  std::int64_t parameters = 0;  // held by this rank, were nothing sharded over replicas
  double stored_bytes = 0;      // of one of them, where they do not train
  std::uint8_t kept_count = 0;
  std::uint8_t exchange_count = 0;
  std::array<KeptTensor, kMaxSaved> kept{};
  std::array<Exchange, kMaxExchanges> exchanges{};
};

// The two gradients that a product's backward holds at once: of its output, which it reads, and of
// its input, which it writes; that of the logits is in the logits' line.
constexpr bool has_product_gradients(const ShardedOperator& op) {
  return kOpFacts[op.kind].product && op.backward < Backward::none;
}

// rows × columns of its output + rows × columns of its input. `enter` takes a size and its name
// into N, the number that is counted in.
template <class N, class Enter>
constexpr N product_gradients(const ShardedOperator& op, Enter enter) {
  const N rows = enter(op.rows, "rows");
  const N of_input = rows * enter(op.inner / op.taps, "columns of its input");
  if (op.name == OpName::head) return of_input;
  return rows * enter(op.cols, "columns of its output") + of_input;
}

struct ShardedBlock {
  BlockKind kind = BlockKind::layer;
  std::uint8_t count = 0;
  RawArray<ShardedOperator, kMaxOperators> operators;  // in which `count` stand
  Bytes input{};                                       // what full recompute keeps
  double pieces = 1;                                   // parts of it that run again in turn
};

void shard(const Block& block, const Degrees& d, ShardedBlock& out);

// Bytes kept from forward to backward where the modules of `recomputed` run again.
Bytes kept_bytes(const ShardedOperator& op, ModuleMask recomputed);
Bytes kept_bytes(const ShardedBlock& block, ModuleMask recomputed);
// The kept tensors that do not move where activations are offloaded by name.
Bytes staying_bytes(const ShardedBlock& block, ModuleMask recomputed, TensorMask moved);

// `tied_copy`: the block stands on another stage than the weight it shares, and holds a copy.
ParametersHeld parameters_held(const ShardedBlock& block, bool tied_copy);

// Most parameters of one operator, shared weights included.
ParametersHeld largest_module(const ShardedBlock& block);

}  // namespace orrery
