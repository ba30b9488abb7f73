// SPDX-License-Identifier: Apache-2.0
#include "explore/priced_runs.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/exposed_exchange.h"
#include "estimate/links.h"
#include "estimate/run.h"
#include "explore/axis_keys.h"
#include "explore/space.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

// Most units have no more keys of prices; one takes 36 kB.
constexpr std::size_t kMostCachedPrices = 32;
// Looked through one by one.
constexpr std::size_t kMostCachedPipelines = 256;

// For each axis: the key that contains it (prices or stages); finish if none does.
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

// The rows say what a change of a key makes anew; the keys must hold no less.
constexpr bool holds_what_rows_give() {
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    if (kAxisKeys[a].key->vary != kHeldBy[a]) return false;
  }
  return true;
}
static_assert(holds_what_rows_give());

}  // namespace

bool PriceCache::exchange(const PriceKey& now, const PriceKey& wanted, Prices<double>& prices) {
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [&](const auto& e) { return e.first == wanted; });
  const bool known = entry != entries_.end();
  if (!known && entries_.size() < kMostCachedPrices) {
    entries_.emplace_back();
    entry = entries_.end() - 1;
  } else if (!known) {
    entry = entries_.begin() + static_cast<std::ptrdiff_t>(oldest_++ % kMostCachedPrices);
  }
  entry->first = now;
  std::swap(entry->second, prices);
  return known;
}

// The latest are asked for most.
const SweptTimes* PipelineCache::find(const PipelineKey& key) const {
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [&](const auto& e) { return e.first == key; });
  return entry == entries_.rend() ? nullptr : &entry->second;
}

void PipelineCache::add(const PipelineKey& key, const SweptTimes& times) {
  if (entries_.size() == kMostCachedPipelines) entries_.clear();
  entries_.emplace_back(key, times);
}

PricedRuns::PricedRuns(const Space& space)
    : space_(space),
      run_(space.bases[0].run),
      shape_(shape_of(run_)),
      blocks_(blocks_of(Strategy(), run_.model, 0)) {}

void PricedRuns::take_base(std::size_t base) {
  if (base == base_) return;
  base_ = base;
  run_ = space_.bases[base].run;
  shape_ = shape_of(run_);
  blocks_ = blocks_of(Strategy(), run_.model, 0);
}

void PricedRuns::start(const Unit& unit) {
  take_base(unit.base);
  unit_ = unit.id;
  set_degrees(space_, unit, run_.strategy);
  workspace_.end_traffics.clear();
}

void PricedRuns::set(const Point& point) {
  set_point(space_, space_.bases[base_], point, run_.strategy);
}

RuleId PricedRuns::broken_rule(RulePart part) const {
  return first_broken(part, run_.strategy, run_.model, shape_);
}

PriceKey PricedRuns::price_key(const Point& point) const {
  const Schedule& schedule = schedule_of(point.schedule);
  return {unit_,
          point.micro_batch,
          point.sequence_parallel,
          recomputed_modules(run_.strategy),
          schedule.written_out,
          schedule.zero_bubble,
          hides_experts(run_),
          synchronises(run_, run_.strategy.partition),
          run_.strategy.offload.tensors,
          run_.strategy.offload.activations_fraction};
}

void PricedRuns::fill_prices(const Point& point) {
  const PriceKey key = price_key(point);
  if (key == filled_.parts.price) return;
  price_as(key);
  filled_ = {};
  filled_.parts.price = key;
}

void PricedRuns::fill_parts(const Point& point) {
  const PartsKey key = {price_key(point), point.schedule,  point.vpp,
                        point.split,      point.recompute, point.recompute_layers};
  if (key == filled_.parts) return;
  price_as(key.price);
  orrery::fill_parts<double>(run_, workspace_);
  filled_ = {CostKey(), key};
}

void PricedRuns::fill_costs() {
  const Strategy& s = run_.strategy;
  const bool gathers = gathers_every_micro_batch(s, run_.framework);
  const bool fetches = s.offload.parameters != OffloadTarget::none;
  const bool reduces = reduces_every_micro_batch(s, run_.framework);
  const CostKey key = {gathers || fetches ? s.partition.weights : 1,
                       reduces ? s.partition.gradients : 1, s.offload.parameters,
                       s.offload.activations};
  if (key == filled_.costs) return;
  orrery::fill_costs<double>(run_, workspace_);
  set_costs(key);
}

void PricedRuns::fill_least_costs(std::int64_t most_gradient_shards) {
  CostKey key;
  key.activations = run_.strategy.offload.activations;
  key.least = true;
  if (key == filled_.costs) return;
  orrery::fill_least_costs(run_, workspace_, {most_gradient_shards});
  set_costs(key);
}

void PricedRuns::set_costs(const CostKey& key) {
  least_pipeline_ = orrery::least_pipeline(run_, workspace_);
  filled_.costs = key;
  ++cost_version_;
}

// Exchanges the prices in the workspace for those of this key.
void PricedRuns::price_as(const PriceKey& key) {
  if (key == filled_.parts.price) return;
  if (prices_.exchange(filled_.parts.price, key, workspace_.prices)) return;
  price<double>(run_, workspace_.scratch, workspace_.prices);
}

Answer PricedRuns::finish() {
  if (const SweptTimes* times = pipelines_.find(filled_)) {
    workspace_.swept = *times;
    return orrery::finish(run_, workspace_);
  }
  const Answer a = orrery::finish(run_, workspace_);
  pipelines_.add(filled_, workspace_.swept);
  return a;
}

}  // namespace orrery
