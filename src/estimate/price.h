// SPDX-License-Identifier: Apache-2.0
//
// The first link of the chain: what one block costs for one micro batch on one rank.
//
// Sums the operators' times and the exchanges around them, forward, backward and where selective
// recompute runs a forward again. How much of an exchange is exposed is the framework's: a share
// for tensor and expert parallelism; ring context parallelism hides under the attention it feeds.
// Leaves out data parallelism and the pipeline (stage.h). Of a strategy, prices depend on tp, cp,
// ep, etp and the rank order, the micro batch, sequence parallelism, the recomputed modules, and on
// whether the schedule is written out, splits the backward pass or is interleaved: a search prices
// anew only where one of these differs (explore/worker.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/enum_names.h"
#include "core/number.h"
#include "memory/activations.h"
#include "parallel/parameters_held.h"
#include "parallel/placement.h"
#include "parallel/shard.h"
#include "parallel/stages.h"

namespace orrery {

struct KernelChoice;
struct PricedExchange;
struct Run;

// Passes over a block. The last two are forwards that run again: as far as selective recompute
// does, or whole.
enum class Phase : std::uint8_t { forward, backward, recompute_selective, recompute_full };
inline constexpr std::size_t kPhases = kCountOf<Phase>;
constexpr std::size_t index(Phase p) { return static_cast<std::size_t>(p); }
inline constexpr std::size_t kExchangeKinds =
    4;  // all-reduce, all-gather, reduce-scatter, all-to-all

template <Number R>
struct ExchangeSum {
  std::int64_t count = 0;
  BytesOf<R> bytes{};  // put on the wire by one rank
  SecondsOf<R> time{};
  SecondsOf<R> exposed{};
  BytesOf<R> uncompressed{};
  SecondsOf<R> codec{};
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;
};

template <Number R>
using ExchangeTable = std::array<std::array<ExchangeSum<R>, kExchangeKinds>, kExchangeGroups>;

template <Number R>
struct BlockPrice {
  std::array<SecondsOf<R>, kPhases> compute{};
  SecondsOf<R> weight_gradient{};  // of the backward's compute
  std::array<ExchangeTable<R>, kPhases> exchanges{};
  Flops selective_flops{};  // of Phase::recompute_selective
  Flops full_flops{};       // of Phase::recompute_full
  BlockActivations<R> activations;
  ParametersHeld parameters;
  ParametersHeld largest_module;        // most parameters of one operator
  ParametersHeld parameters_with_copy;  // where the block holds a copy of a weight it shares
};

template <Number R>
struct Prices {
  std::array<BlockPrice<R>, kBlockTypes> blocks{};
  Placement placement;
};

KernelChoice kernel_choice(const Run& run);

// Room to build and shard the list in; kept from one call to the next.
struct PriceScratch {
  ModelOperators model;
  ShardedBlock sharded;
  std::vector<PricedExchange>* exchanges = nullptr;  // noted one by one where it is not null
};

template <Number R>
void price(const Run& run, PriceScratch& scratch, Prices<R>& prices);

template <Number R>
Prices<R> price(const Run& run);

// All exposed time of a phase; of one group.
template <Number R>
SecondsOf<R> exposed(const ExchangeTable<R>& table);
template <Number R>
SecondsOf<R> exposed(const ExchangeTable<R>& table, ExchangeGroup group);

}  // namespace orrery
