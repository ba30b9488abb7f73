// SPDX-License-Identifier: Apache-2.0
//
// The first link of the chain: the cost of one block for one micro batch on one rank.
//
// Sums the operators' times and the exchanges around them, for forward, backward and the forward
// that selective recompute runs again. The framework decides how much of an exchange is exposed: a
// share for tensor and expert parallelism; ring context parallelism hides under the attention that
// it feeds. Leaves out data parallelism and the pipeline (stage.h). Prices depend on these parts of
// a strategy: tp, cp, ep, etp and the rank order, the micro batch, sequence parallelism, the
// recomputed modules, whether the schedule is written out, splits the backward pass or hides the
// exchanges of experts, and with packed documents or buckets dp and whether weights are sharded. A
// search prices again only if one of them changes (explore/price_keys.h). Errors: none.
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

// Passes over a block. The last two are forwards that run again: the part of selective recompute,
// or the whole.
enum class Phase : std::uint8_t { forward, backward, recompute_selective, recompute_full };
inline constexpr std::array kExchangeKinds = {Collective::all_reduce, Collective::all_gather,
                                              Collective::reduce_scatter, Collective::all_to_all};

template <Number R>
struct ExchangeSum {
  std::int64_t count = 0;
  BytesOf<R> bytes{};  // the volume of one rank
  BytesOf<R> sent{};   // put on the wire by one rank
  SecondsOf<R> time{};
  SecondsOf<R> exposed{};
  BytesOf<R> uncompressed{};
  SecondsOf<R> codec{};
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;
};

template <Number R>
using ExchangeTable =
    EnumArray<ExchangeGroup, EnumArray<Collective, ExchangeSum<R>, kExchangeKinds.size()>>;

// The time of exchanges that nothing hides.
template <Number R>
struct ExposedExchanges {
  EnumArray<ExchangeGroup, SecondsOf<R>> by_group;
  SecondsOf<R> all{};
};

// A part of a pass: what the host launches for it, and the device's time.
template <Number R>
struct HostSegment {
  double launches = 0;
  SecondsOf<R> device{};
};

template <Number R>
struct BlockPrice {
  EnumArray<Phase, SecondsOf<R>> compute;
  SecondsOf<R> weight_gradient{};     // part of the backward's compute
  EnumArray<Phase, double> launches;  // of kernels, by the host
  double modules = 0;                 // that a stack which gathers by modules calls hooks around
  // Where the host of a mixture waits for the counts of tokens: what comes before, in a forward.
  EnumArray<Phase, HostSegment<R>> before_wait;
  EnumArray<Phase, ExchangeTable<R>> exchanges;
  EnumArray<Phase, ExposedExchanges<R>> exposed;  // of them
  Flops selective_flops{};                        // of Phase::recompute_selective
  Flops full_flops{};                             // of Phase::recompute_full
  BlockActivations<R> activations;
  bool runs_backward = true;  // false: frozen, as all below it
  ParametersHeld parameters;
  ParametersHeld largest_module;        // most parameters of one operator
  ParametersHeld parameters_with_copy;  // if the block holds a copy of a shared weight
};

// One for each type of block, on the heap, so that a search can swap those of one key for those of
// another.
template <Number R>
class BlockPrices {
 public:
  BlockPrice<R>& operator[](BlockType b) { return prices_[static_cast<std::size_t>(b)]; }
  const BlockPrice<R>& operator[](BlockType b) const {
    return prices_[static_cast<std::size_t>(b)];
  }

 private:
  std::vector<BlockPrice<R>> prices_ = std::vector<BlockPrice<R>>(kCountOf<BlockType>);
};

// Blocks for samples of one bucket, and how often a micro batch of the slowest rank is of it.
template <Number R>
struct BucketPrices {
  BlockPrices<R> blocks;
  R share{};
};

// `buckets`: of samples of several sizes; `blocks` is then their mean on the slowest rank, with the
// activations of the largest (bucket_prices.h).
template <Number R>
struct Prices {
  BlockPrices<R> blocks;
  Placement placement;
  std::vector<BucketPrices<R>> buckets;
};

KernelChoice kernel_choice(const Run& run);

// Memory for building and sharding the list, reused by the next call.
struct PriceScratch {
  ModelOperators model;
  ShardedBlock sharded;
  std::vector<PricedExchange>* exchanges = nullptr;  // if not null, each exchange is noted here
};

template <Number R>
void price(const Run& run, PriceScratch& scratch, Prices<R>& prices);

// The same for samples that are all of the run's mean size.
template <Number R>
void price_one_size(const Run& run, PriceScratch& scratch, Prices<R>& prices);

template <Number R>
Prices<R> price(const Run& run);

}  // namespace orrery
