// SPDX-License-Identifier: Apache-2.0
//
// Priced runs: the run of the candidate at hand, and its prices, parts, costs and pipeline, each
// computed again only where its key changed (price_keys.h).
//
// Invariant: `filled_` says which prices, parts and costs the workspace holds; a default key says
// that it holds none. Call start(), set(), then in this order what is needed: fill_prices(),
// fill_parts(), fill_costs(), finish(). A later set() or shard() makes none of it wrong, because
// each fill compares the run's key with the one that is filled. Used by one thread. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "estimate/workspace.h"
#include "explore/price_keys.h"
#include "explore/space.h"
#include "parallel/rules.h"

namespace orrery {

// Prices of other keys than the one at hand. Candidates are estimated in the order of their bounds,
// which alternates between prices.
class PriceCache {
 public:
  // Keeps `prices`, which are those of `now`, and sets them to those of `wanted`. False if these
  // are not cached: `prices` then holds a buffer to fill.
  bool exchange(const PriceKey& now, const PriceKey& wanted, Prices<double>& prices);

 private:
  std::deque<std::pair<PriceKey, Prices<double>>> entries_;  // large, so that none is moved
  std::size_t oldest_ = 0;
};

// Times of the pipelines of the candidates that wait. Many of these differ only in what follows the
// micro batches.
class PipelineCache {
 public:
  const SweptTimes* find(const PipelineKey& key) const;
  void add(const PipelineKey& key, const SweptTimes& times);

 private:
  std::vector<std::pair<PipelineKey, SweptTimes>> entries_;
};

class PricedRuns {
 public:
  explicit PricedRuns(const Space& space);

  // The run becomes one of this unit.
  void start(const Unit& unit);
  void set(const Point& point);
  void shard(const Sharding& sharding) { set_sharding(sharding, run_.strategy); }
  // The first rule of this part that the run breaks.
  RuleId broken_rule(RulePart part) const;

  // `point`: the run's.
  void fill_prices(const Point& point);
  void fill_parts(const Point& point);
  void fill_costs();
  // Instead: costs that no sharding with at most so many shards of gradients goes below.
  void fill_least_costs(std::int64_t most_gradient_shards);
  Answer finish();

  Run& run() { return run_; }
  const Run& run() const { return run_; }
  Workspace& workspace() { return workspace_; }
  const BlockCounts& blocks() const { return blocks_; }
  std::int64_t unit() const { return unit_; }
  // The micro batches take no less, with the costs that are filled.
  Seconds least_pipeline() const { return least_pipeline_; }
  // How often costs were filled: what was derived from earlier ones is stale.
  std::int64_t cost_version() const { return cost_version_; }

 private:
  void take_base(std::size_t base);
  PriceKey price_key(const Point& point) const;
  void price_as(const PriceKey& key);
  void set_costs(const CostKey& key);

  const Space& space_;
  std::size_t base_ = 0;
  std::int64_t unit_ = -1;
  Run run_;
  RunShape shape_;
  BlockCounts blocks_;  // of the model
  Workspace workspace_;
  PipelineKey filled_;
  Seconds least_pipeline_{};
  std::int64_t cost_version_ = 0;
  PriceCache prices_;
  PipelineCache pipelines_;
};

}  // namespace orrery
