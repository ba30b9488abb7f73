// SPDX-License-Identifier: Apache-2.0
//
// The ways to shard the states of a block: many of them are judged together, first all, then those
// with the same shards of weights, then of gradients, and each alone where that tells too little.
#include <algorithm>
#include <tuple>

#include "estimate/risk.h"
#include "explore/worker.h"

namespace orrery {
namespace {

// No more than these are judged one by one.
constexpr std::size_t kFewShardings = 8;

// The consecutive ranges of [begin, end) with the same key.
template <class Key>
std::vector<IndexRange> runs_of(IndexRange all, Key&& key) {
  std::vector<IndexRange> runs;
  for (std::size_t at = all.begin; at < all.end;) {
    std::size_t end = at + 1;
    while (end < all.end && key(end) == key(at)) ++end;
    runs.push_back({at, end});
    at = end;
  }
  return runs;
}

}  // namespace

// Ranks wait for each other's documents at every micro batch.
bool SearchWorker::meets() const {
  return run_.training.lengths.count > 0 && run_.strategy.partition.weights > 1;
}

void SearchWorker::take_shardings(const std::vector<Sharding>& shardings) {
  tallies_.start(shardings);
  legal_.clear();
  illegal_.clear();
  for (std::size_t k = 0; k < shardings.size(); ++k) {
    set_sharding(shardings[k], run_.strategy);
    ShardingTally& t = tallies_.list()[k];
    t.broken = broken_rule(RulePart::sharding);
    if (options_.families) {
      index_.find_sharding(shardings[k], ids_);
      t.families = FamilyIndex::of_sharding(ids_);
    }
    if (t.broken == RuleId::none) {
      legal_.push_back({k, shardings[k].partition(), meets()});
    } else {
      count_illegal(t.broken);
    }
  }
  const auto key = [](const LegalSharding& l) {
    return std::make_tuple(l.meets, l.partition.weights, l.partition.gradients);
  };
  std::stable_sort(legal_.begin(), legal_.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  group_shardings();
}

void SearchWorker::count_illegal(RuleId rule) {
  const auto known = std::find_if(illegal_.begin(), illegal_.end(),
                                  [&](const auto& i) { return i.first == rule; });
  if (known == illegal_.end()) {
    illegal_.emplace_back(rule, 1);
  } else {
    ++known->second;
  }
}

void SearchWorker::group_shardings() {
  groups_.clear();
  roots_.clear();
  most_gradient_shards_ = 1;
  std::vector<Partition> partitions;
  for (const LegalSharding& l : legal_) {
    partitions.push_back(l.partition);
    most_gradient_shards_ = std::max(most_gradient_shards_, l.partition.gradients);
  }
  const auto met = [this](std::size_t i) { return legal_[i].meets; };
  for (const IndexRange r : runs_of({0, legal_.size()}, met)) roots_.push_back(add_group(r, 0));
  std::vector<IndexRange> ranges;
  for (const ShardingGroup& g : groups_) ranges.push_back(g.range);
  states_.start(std::move(partitions), std::move(ranges), space_.offloads.size());
}

// `level`: 0 for all, 1 for those with the same shards of weights, 2 of gradients too.
std::size_t SearchWorker::add_group(IndexRange range, int level) {
  const std::size_t at = groups_.size();
  groups_.push_back({range, {}, {}});
  for (std::size_t i = range.begin; i < range.end && options_.families; ++i) {
    const auto& families = tallies_.list()[legal_[i].number].families;
    groups_[at].families.insert(groups_[at].families.end(), families.begin(), families.end());
  }
  keep_each_once(groups_[at].families);
  if (level == 2 || range.size() <= kFewShardings) return at;
  const auto shards = [&](std::size_t i) {
    return level == 0 ? legal_[i].partition.weights : legal_[i].partition.gradients;
  };
  std::vector<std::size_t> parts;
  for (const IndexRange r : runs_of(range, shards)) parts.push_back(add_group(r, level + 1));
  groups_[at].parts = std::move(parts);
  return at;
}

// All that break no rule, of one root.
void SearchWorker::judge_legal(const Unit& unit, std::size_t root, Block& block) {
  Candidate c;
  c.unit = unit.id;
  c.point = block.first;
  set_legal(groups_[root].range.begin, c.point);
  fill_parts(unit, c.point);
  least_so_sharded_.reset();
  least_however_sharded_.reset();
  if (best_alone_ && beats_all(groups_[root], block)) return;
  set_legal(groups_[root].range.begin, c.point);
  states_.find(run_, workspace_, offload_of_states_[static_cast<std::size_t>(c.point.offload)],
               stages_);
  judge_group(root, FitOfAll::unknown, c, block);
  if (needs_less(block.nearest, tally_.nearest)) tally_.nearest = block.nearest;
}

void SearchWorker::set_legal(std::size_t i, Point& point) {
  point.sharding = tallies_.list()[legal_[i].number].sharding;
  set_sharding(point.sharding, run_.strategy);
}

// `known`: the fit of a group that this one is part of.
void SearchWorker::judge_group(std::size_t at, FitOfAll known, Candidate& c, Block& block) {
  const ShardingGroup& group = groups_[at];
  MemoryOfAll all = {known, {}};
  if (known == FitOfAll::unknown) all = memory_of_all(run_, stages_, at);
  if (by_memory_alone_ && all.fit == FitOfAll::none_fits &&
      !wants_nearest(all.least, group, block)) {
    tally_.infeasible += count_legal(group, false, block);
    return;
  }
  if (by_memory_alone_ && all.fit == FitOfAll::all_fit &&
      is_hopeless_however_sharded(group.families, block)) {
    tally_.feasible += count_legal(group, true, block);
    return;
  }
  const FitOfAll of_parts = all.fit == FitOfAll::all_fit ? all.fit : FitOfAll::unknown;
  for (const std::size_t part : group.parts) judge_group(part, of_parts, c, block);
  if (!group.parts.empty()) return;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    set_legal(i, c.point);
    c.point.number = block.first.number + static_cast<std::int64_t>(legal_[i].number);
    if (is_refused(conditions_.first_broken(Known::strategy, run_, nothing_known_))) continue;
    judge_memory(c, i, all.fit, block);
  }
}

// Counts the shardings of a group, of which all fit or none does; returns how many they are.
std::int64_t SearchWorker::count_legal(const ShardingGroup& group, bool fit, Block& block) {
  const auto n = static_cast<std::int64_t>(group.range.size());
  block.legal += n;
  if (fit) block.feasible += n;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    ShardingTally& t = tallies_.list()[legal_[i].number];
    ++t.legal;
    if (fit) ++t.feasible;
  }
  return n;
}

void SearchWorker::judge_memory(Candidate c, std::size_t i, FitOfAll fit, Block& block) {
  ShardingTally& t = tallies_.list()[legal_[i].number];
  ++t.legal;
  ++block.legal;
  if (fit == FitOfAll::all_fit && is_hopeless(t, block)) {
    ++t.feasible;
    ++block.feasible;
    ++tally_.feasible;
    return;
  }
  answer_memory(run_, stages_, i, known_);
  c.peak = known_.memory.peak;
  if (!fits_at_risk(run_, known_)) {
    ++(known_.reason == Reason::fits ? tally_.too_risky : tally_.infeasible);
    if (needs_less(c, block.nearest)) block.nearest = c;
    if (needs_less(c, t.nearest)) t.nearest = c;
    return;
  }
  ++t.feasible;
  ++block.feasible;
  judge_fitting(c, t, block);
}

// The best known beats every sharding of the group, whatever it needs of the memory.
bool SearchWorker::beats_all(const ShardingGroup& group, const Block& block) {
  Point point = block.first;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    set_legal(i, point);
    if (!is_hopeless(tallies_.list()[legal_[i].number], block)) return false;
  }
  return true;
}

// True if the lower bound on the step is above every incumbent, so the candidate cannot count.
bool SearchWorker::is_hopeless(const ShardingTally& t, const Block& block) {
  std::span<const std::size_t> families;
  if (options_.families) families = t.families;
  if (is_hopeless_however_sharded(families, block)) return true;
  if (!by_step_alone_) return false;
  fill_costs();
  if (!least_so_sharded_) least_so_sharded_ = least_step_of(block);
  return nobody_wants(*least_so_sharded_, families);
}

// The same for all shardings of these families. The bound leaves out the cost of sharding.
bool SearchWorker::is_hopeless_however_sharded(std::span<const std::size_t> families,
                                               const Block& block) {
  if (!by_step_alone_) return false;
  if (!least_however_sharded_) {
    fill_least_costs();
    least_however_sharded_ = least_step_of(block);
  }
  return nobody_wants(*least_however_sharded_, families);
}

// With the costs that are filled.
SearchWorker::LeastStep SearchWorker::least_step_of(const Block& block) const {
  const double least = (least_step(run_, least_pipeline_, Seconds()) * (1 - kBoundRounding)).si();
  const auto lets_in = [&](std::size_t f) { return incumbents_.lets_in(least, f); };
  return {least, incumbents_.lets_in(least) ||
                     std::any_of(block.families->begin(), block.families->end(), lets_in)};
}

bool SearchWorker::nobody_wants(const LeastStep& least,
                                std::span<const std::size_t> families) const {
  const auto lets_in = [&](std::size_t f) { return incumbents_.lets_in(least.objective, f); };
  return !least.wanted && std::none_of(families.begin(), families.end(), lets_in);
}

// Whether a candidate of the block and the group that needs no less than `least` may be the nearest
// to fit.
bool SearchWorker::wants_nearest(Bytes least, const ShardingGroup& group,
                                 const Block& block) const {
  const auto wants = [least](const Candidate& c) { return c.unit < 0 || c.peak >= least; };
  const auto of_family = [&](std::size_t f) { return wants(tally_.families[f].nearest); };
  if (wants(tally_.nearest) ||
      std::any_of(block.families->begin(), block.families->end(), of_family)) {
    return true;
  }
  if (std::none_of(group.families.begin(), group.families.end(), of_family)) return false;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    const ShardingTally& t = tallies_.list()[legal_[i].number];
    if (wants(t.nearest) && std::any_of(t.families.begin(), t.families.end(), of_family)) {
      return true;
    }
  }
  return false;
}

}  // namespace orrery
