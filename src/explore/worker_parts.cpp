// SPDX-License-Identifier: Apache-2.0
//
// Prices, parts and costs that a worker keeps from one candidate to the next, by what they depend
// on.
#include <algorithm>

#include "estimate/classes.h"
#include "estimate/exposed_exchange.h"
#include "estimate/links.h"
#include "explore/axis_keys.h"
#include "explore/worker.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

// Most units have no more keys of prices; one takes 36 kB.
constexpr std::size_t kMostKeptPrices = 32;
// Pipelines of the candidates that wait; they are looked through one by one.
constexpr std::size_t kMostSwept = 256;

// For each axis: the cache key that contains it (prices or stages); finish if none does.
constexpr EnumArray<SearchAxis, Vary> kHeldBy = {
    Vary::prices,  // tp
    Vary::prices,  // pp
    Vary::stages,  // vpp
    Vary::prices,  // cp
    Vary::prices,  // ep
    Vary::prices,  // etp
    Vary::prices,  // dp
    Vary::prices,  // micro_batch
    Vary::prices,  // sequence_parallel
    Vary::finish,  // zero
    Vary::finish,  // zero_shard_group
    Vary::stages,  // schedule; what prices depend on of it is in their key
    Vary::stages,  // recompute
    Vary::prices,  // recompute_modules
    Vary::stages,  // offload, in the key of costs; of the optimizer it only finishes
    Vary::stages,  // stage_layers
};

// The rows say what a change of a key makes anew; the keys below must hold no less.
constexpr bool holds_what_rows_say() {
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    if (kAxisKeys[a].key->vary != kHeldBy[a]) return false;
  }
  return true;
}
static_assert(holds_what_rows_say());

}  // namespace

SearchWorker::PriceKey SearchWorker::price_key(const Unit& unit, const Point& point) const {
  const Schedule& schedule = schedule_of(point.schedule);
  return {unit.id,
          point.micro_batch,
          point.sequence_parallel,
          point.modules,
          schedule.written_out,
          schedule.zero_bubble,
          hides_experts(run_),
          meets()};
}

// Recomputes prices, not stage parts, if their key changed. Run and point describe the same
// candidate.
void SearchWorker::fill_prices(const Unit& unit, const Point& point) {
  const PriceKey key = price_key(unit, point);
  if (key == filled_.price) return;
  price_as(key);
  filled_ = {};
  filled_.price = key;
  costs_ = {};
}

void SearchWorker::fill_parts(const Unit& unit, const Point& point) {
  const PartsKey key = {price_key(unit, point), point.schedule,        point.vpp, point.split,
                        point.recompute,        point.recompute_layers};
  if (key == filled_) return;
  price_as(key.price);
  orrery::fill_parts<double>(run_, workspace_);
  filled_ = key;
  costs_ = {};
}

void SearchWorker::fill_costs() {
  const Strategy& s = run_.strategy;
  const bool gathers = gathers_every_micro_batch(s, run_.framework);
  const bool fetches = s.offload.parameters != OffloadTarget::none;
  const bool reduces = reduces_every_micro_batch(s, run_.framework);
  const CostKey key = {gathers || fetches ? s.partition.weights : 1,
                       reduces ? s.partition.gradients : 1, s.offload.parameters,
                       s.offload.activations};
  if (key == costs_) return;
  orrery::fill_costs<double>(run_, workspace_);
  least_pipeline_ = least_pipeline(run_, workspace_);
  costs_ = key;
  least_so_sharded_.reset();
}

void SearchWorker::fill_least_costs() {
  CostKey key;
  key.activations = run_.strategy.offload.activations;
  key.least = true;
  if (key == costs_) return;
  orrery::fill_least_costs(run_, workspace_, {most_gradient_shards_});
  least_pipeline_ = least_pipeline(run_, workspace_);
  costs_ = key;
  least_so_sharded_.reset();
}

// Swaps the prices in the workspace, those of filled_, for the ones of this key.
void SearchWorker::price_as(const PriceKey& key) {
  if (key == filled_.price) return;
  auto kept = std::find_if(kept_prices_.begin(), kept_prices_.end(),
                           [&](const auto& k) { return k.first == key; });
  const bool known = kept != kept_prices_.end();
  if (!known && kept_prices_.size() < kMostKeptPrices) {
    kept = kept_prices_.insert(kept_prices_.end(), {PriceKey(), Prices<double>()});
  } else if (!known) {
    kept = kept_prices_.begin() + static_cast<std::ptrdiff_t>(oldest_++ % kMostKeptPrices);
  }
  kept->first = filled_.price;
  std::swap(kept->second, workspace_.prices);
  if (!known) price<double>(run_, workspace_.scratch, workspace_.prices);
}

// Many candidates differ in nothing but what follows the micro batches, whose times are kept.
Answer SearchWorker::finished() {
  const auto kept = std::find_if(swept_.rbegin(), swept_.rend(), [this](const Swept& s) {
    return s.costs == costs_ && s.parts == filled_;
  });
  if (kept != swept_.rend()) {
    workspace_.swept = kept->times;
    return finish(run_, workspace_);
  }
  if (swept_.size() == kMostSwept) swept_.clear();
  const Answer a = finish(run_, workspace_);
  swept_.push_back({filled_, costs_, workspace_.swept});
  return a;
}

}  // namespace orrery
