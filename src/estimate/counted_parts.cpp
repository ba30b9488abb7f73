// SPDX-License-Identifier: Apache-2.0
#include "estimate/counted_parts.h"

#include <algorithm>

#include "estimate/block_names.h"
#include "estimate/block_parameters.h"
#include "estimate/run.h"

namespace orrery {
namespace {

constexpr const char* kOfBlock = "parameters of a block";
constexpr const char* kOfLayer = "parameters of the largest layer";
constexpr const char* kOfChunk = "parameters of a chunk";
constexpr const char* kOfRank = "parameters of this rank";

Label label_of(OpName name) { return {name_of(name).data()}; }

// A size enters a sum as a leaf with its name.
constexpr auto entered = [](auto n, const char* name) {
  return lift<Traced>(static_cast<double>(n), {name});
};

BytesOf<Traced> tensor(const SavedTensor& t, const Degrees& d) {
  return BytesOf<Traced>(bytes_in<Traced>(t, d, entered));
}

BytesOf<Traced> kept_by(const Operator& op, const Degrees& d, ModuleMask recomputed) {
  BytesOf<Traced> sum;
  for (std::uint8_t i = 0; i < op.saved_count; ++i) {
    if ((op.saved[i].dropped_by & recomputed) == 0) sum += tensor(op.saved[i], d);
  }
  return plain(sum) > Bytes() ? named(sum, label_of(op.name)) : sum;
}

Traced parameters_of(const Operator& op, const Degrees& d) {
  return parameters_in<Traced>(op, sizes_of(op, d), d, entered);
}

bool is_held(const Operator& op, ShardedStates which, bool with_copy) {
  const bool expert = op.parameter_class == ParameterClass::expert;
  return op.weight == WeightUse::trained && (with_copy || !op.tied) &&
         expert == (which == ShardedStates::expert);
}

Traced parameters_of(const Block& block, const Degrees& d, ShardedStates which, bool with_copy) {
  Traced sum;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (!is_held(op, which, with_copy)) continue;
    const Traced own = parameters_of(op, d);
    if (own.value > 0) sum = sum + named(own, label_of(op.name));
  }
  return sum;
}

void record_named(Traced sum, const char* name) {
  detail::record_sum(name, named(sum, Label{name}));
}

void record_largest(const Block& block, const Degrees& d, ShardedStates which,
                    std::int64_t largest) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (!is_held(op, which, true) || parameters(op, sizes_of(op, d), d) != largest) continue;
    record_named(named(parameters_of(op, d), label_of(op.name)),
                 "parameters of the largest module");
    return;
  }
}

}  // namespace

BytesOf<Traced> kept_tensors(const Block& block, const Degrees& d, ModuleMask recomputed) {
  BytesOf<Traced> sum;
  for (std::uint8_t i = 0; i < block.count; ++i) sum += kept_by(block.operators[i], d, recomputed);
  return sum;
}

BytesOf<Traced> kept_logits(const Block& block, const Degrees& d) {
  BytesOf<Traced> sum;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == OpName::loss) sum += kept_by(block.operators[i], d, 0);
  }
  return sum;
}

BytesOf<Traced> kept_input(const Block& block, const Degrees& d) { return tensor(block.input, d); }

BytesOf<Traced> largest_gradients(const ShardedBlock& block, double element) {
  Traced most;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (!has_product_gradients(op)) continue;
    const Traced own = product_gradients<Traced>(op, entered);
    if (own > most) most = named(own, label_of(op.name));
  }
  return BytesOf<Traced>(most * lift<Traced>(element, {"bytes an element"}));
}

void record_parameters(const Block& block, const Degrees& d, const BlockPrice<Traced>& price) {
  for (const ShardedStates which : kAllOf<ShardedStates>) {
    for (const bool with_copy : {true, false}) {
      const Traced sum = parameters_of(block, d, which, with_copy);
      detail::record_sum(kOfBlock, sum);
      if (block.kind == BlockKind::layer) record_named(sum, kOfLayer);
    }
    record_largest(block, d, which, held(price.largest_module, which));
  }
}

void record_parameters(const Run& run, const Prices<Traced>& prices, const BlockCounts& blocks,
                       const ParametersHeld& sum) {
  for (const ShardedStates which : kAllOf<ShardedStates>) {
    Traced all;
    for (const BlockType i : kAllOf<BlockType>) {
      const std::int64_t own = held(block_parameters(run, prices, i), which);
      if (blocks[i] == 0 || own == 0) continue;
      const BlockNames& names = names_of_block(run.model, i);
      all = all + count<Traced>(blocks[i], {names.count}) *
                      named(count<Traced>(own, {kOfBlock}), {names.parameters});
    }
    if (all.value == static_cast<double>(held(sum, which))) detail::record_sum(kOfChunk, all);
  }
}

void record_parameters(std::span<const ParametersHeld> chunks) {
  for (const ShardedStates which : kAllOf<ShardedStates>) {
    Traced sum;
    for (const ParametersHeld& c : chunks) sum = sum + count<Traced>(held(c, which), {kOfChunk});
    record_named(sum, kOfRank);
  }
}

}  // namespace orrery
