// SPDX-License-Identifier: Apache-2.0
#include "explore/bounds.h"

#include <algorithm>

#include "estimate/links.h"
#include "estimate/run.h"
#include "explore/price_keys.h"

namespace orrery {
namespace {

double objective_bound(const Run& run, Seconds pipeline) {
  return (least_step(run, pipeline) * (1 - kBoundRounding)).si();
}

}  // namespace

void Bounds::start(const CandidateBlock& block, std::int64_t most_gradient_shards) {
  of_block_ = block.families;
  most_gradient_shards_ = most_gradient_shards;
  so_sharded_.reset();
  however_sharded_.reset();
}

bool Bounds::is_hopeless(std::span<const std::size_t> families) {
  if (!in_.by_step_alone) return false;
  if (is_hopeless_however_sharded(families)) return true;
  runs_.fill_costs();
  if (!so_sharded_ || so_sharded_->cost_version != runs_.cost_version()) {
    so_sharded_ = bound_of_costs();
  }
  return nobody_wants(*so_sharded_, families);
}

bool Bounds::is_hopeless_however_sharded(std::span<const std::size_t> families) {
  if (!in_.by_step_alone) return false;
  if (!however_sharded_) {
    runs_.fill_least_costs(most_gradient_shards_);
    however_sharded_ = bound_of_costs();
  }
  return nobody_wants(*however_sharded_, families);
}

Bounds::Bound Bounds::bound_of_costs() const {
  const double least = objective_bound(runs_.run(), runs_.least_pipeline());
  const auto lets_in = [&](std::size_t f) { return in_.incumbents.lets_in(least, f); };
  const bool wanted =
      in_.incumbents.lets_in(least) || std::any_of(of_block_.begin(), of_block_.end(), lets_in);
  return {least, wanted, runs_.cost_version()};
}

bool Bounds::nobody_wants(const Bound& bound, std::span<const std::size_t> families) const {
  const auto lets_in = [&](std::size_t f) { return in_.incumbents.lets_in(bound.objective, f); };
  return !bound.wanted && std::none_of(families.begin(), families.end(), lets_in);
}

bool beats_all_layouts(const SearchInputs& in, PricedRuns& runs, const Point& point) {
  const Run& run = runs.run();
  // With documents or samples of several lengths, prices depend on the sharding too.
  if (ranks_differ(run)) return false;
  runs.fill_prices(point);
  const Seconds blocks = least_of_blocks(run, runs.workspace().prices, runs.blocks());
  return !in.incumbents.lets_in(objective_bound(run, blocks));
}

}  // namespace orrery
