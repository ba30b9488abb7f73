// SPDX-License-Identifier: Apache-2.0
#include "explore/judge.h"

#include <algorithm>

#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "estimate/run.h"
#include "explore/space.h"

namespace orrery {
namespace {

const Answer kNothingKnown{};

// For each offload: the first offload that treats the model states the same.
std::vector<std::size_t> offloads_of_states(const std::vector<Offload>& offloads) {
  std::vector<std::size_t> first;
  for (Offload o : offloads) {
    o.activations = OffloadTarget::none;
    const auto same = std::find_if(offloads.begin(), offloads.end(), [&](Offload other) {
      other.activations = OffloadTarget::none;
      return other == o;
    });
    first.push_back(static_cast<std::size_t>(same - offloads.begin()));
  }
  return first;
}

}  // namespace

Judge::Judge(const SearchInputs& in, PricedRuns& runs, EstimateQueue& queue, SearchTally& tally)
    : in_(in),
      runs_(runs),
      queue_(queue),
      tally_(in, tally),
      bounds_(in, runs),
      offload_of_states_(offloads_of_states(in.space.offloads)) {}

void Judge::start(const Unit& unit, const std::vector<Sharding>& shardings) {
  tally_.start(unit, shardings);
  for (ShardingTally& t : tally_.shardings()) {
    runs_.shard(t.sharding);
    t.broken = runs_.broken_rule(RulePart::sharding);
  }
  groups_ = group_shardings(runs_.run(), tally_.shardings());
  if (in_.options.families) collect_families(tally_.shardings(), groups_);
  states_.start(partitions_of(groups_), ranges_of(groups_), in_.space.offloads.size());
  fits_nowhere_.reset();
}

void Judge::judge(const SearchCell& shape) {
  if (shape.candidates() == 0 || in_.is_stopped()) return;
  const auto shardings = static_cast<std::int64_t>(shape.shardings->size());
  const auto offloads = static_cast<std::int64_t>(in_.space.offloads.size());
  tally_.all().candidates += shape.candidates() * offloads;
  CandidateBlock block;
  block.first = shape.point;
  block.first.sharding = shape.shardings->front();
  tally_.find_families(block.first);
  runs_.set(block.first);
  const RuleId broken = runs_.broken_rule(RulePart::degrees);
  const bool legal = broken == RuleId::none;
  if (!legal) tally_.reject_of_each_sharding(broken, shape.layer_count * offloads);
  if (legal && in_.best_alone) {
    if (beats_all_layouts(in_, runs_, block.first) || fits_nowhere(block.first)) return;
  }
  for (std::int64_t i = 0; i < shape.layer_count; ++i) {
    block.first.recompute_layers = static_cast<std::int32_t>(shape.layers(i));
    for (std::int64_t o = 0; o < offloads; ++o) {
      block.first.offload = static_cast<std::int16_t>(o);
      block.first.number = shape.point.number + o * shape.candidates() + i * shardings;
      block.families = tally_.families_of(static_cast<std::size_t>(o));
      if (legal) {
        judge_block(block);
      } else {
        tally_.reject(block, broken, shardings);
      }
    }
  }
}

// True where no strategy of the unit fits, by its weights, gradients and optimizer states alone:
// only sharding and offload change them within a unit.
bool Judge::fits_nowhere(const Point& point) {
  if (fits_nowhere_) return *fits_nowhere_;
  runs_.fill_prices(point);
  bool none = true;
  Point tried = point;
  for (std::size_t i = 0; i < groups_.legal.size() && none; ++i) {
    shard(i, tried);
    none = std::all_of(in_.space.offloads.begin(), in_.space.offloads.end(), [&](const auto& o) {
      runs_.run().strategy.offload = o;
      return no_layout_fits(runs_.run(), runs_.workspace().prices, runs_.blocks());
    });
  }
  runs_.set(point);
  fits_nowhere_ = none;
  return none;
}

void Judge::judge_block(CandidateBlock block) {
  if (queue_.is_full()) queue_.drain();
  runs_.set(block.first);
  const RuleId broken = runs_.broken_rule(RulePart::recompute);
  tally_.reject_of_each_sharding(broken, 1);
  for (const auto& [rule, shardings] : groups_.illegal) tally_.reject(block, rule, shardings);
  tally_.reject(block, broken, static_cast<std::int64_t>(groups_.legal.size()));
  if (broken != RuleId::none) return;
  for (const std::size_t root : groups_.roots) judge_root(root, block);
  tally_.close(block);
}

void Judge::judge_root(std::size_t root, CandidateBlock& block) {
  const ShardingGroup& group = groups_.groups[root];
  Candidate c;
  c.unit = runs_.unit();
  c.point = block.first;
  shard(group.range.begin, c.point);
  runs_.fill_parts(c.point);
  bounds_.start(block, groups_.most_gradient_shards);
  if (in_.best_alone && beats_all(group, block)) return;
  shard(group.range.begin, c.point);
  states_.find(runs_.run(), runs_.workspace(),
               offload_of_states_[static_cast<std::size_t>(c.point.offload)], stages_);
  judge_group(root, FitOfAll::unknown, c, block);
  SearchTally& all = tally_.all();
  if (needs_less(block.nearest, all.nearest)) all.nearest = block.nearest;
}

void Judge::shard(std::size_t i, Point& point) {
  point.sharding = sharding_tally(i).sharding;
  runs_.shard(point.sharding);
}

// The best known beats every sharding of the group, whatever memory it needs.
bool Judge::beats_all(const ShardingGroup& group, const CandidateBlock& block) {
  Point point = block.first;
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    shard(i, point);
    if (!bounds_.is_hopeless(tally_.families_of(sharding_tally(i)))) return false;
  }
  return true;
}

// `known`: the fit of a group that this one is part of.
void Judge::judge_group(std::size_t at, FitOfAll known, Candidate& c, CandidateBlock& block) {
  const ShardingGroup& group = groups_.groups[at];
  MemoryOfAll memory = {known, {}};
  if (known == FitOfAll::unknown) memory = memory_of_all(runs_.run(), stages_, at);
  if (in_.by_memory_alone && memory.fit == FitOfAll::none_fits &&
      !tally_.wants_nearest(memory.least, groups_, group, block)) {
    tally_.all().infeasible += tally_.count(groups_, group, false, block);
    return;
  }
  if (in_.by_memory_alone && memory.fit == FitOfAll::all_fit &&
      bounds_.is_hopeless_however_sharded(group.families)) {
    tally_.all().feasible += tally_.count(groups_, group, true, block);
    return;
  }
  if (group.parts.empty()) {
    judge_each(group, memory.fit, c, block);
    return;
  }
  const FitOfAll of_parts = memory.fit == FitOfAll::all_fit ? memory.fit : FitOfAll::unknown;
  for (const std::size_t part : group.parts) judge_group(part, of_parts, c, block);
}

void Judge::judge_each(const ShardingGroup& group, FitOfAll fit, Candidate& c,
                       CandidateBlock& block) {
  for (std::size_t i = group.range.begin; i < group.range.end; ++i) {
    shard(i, c.point);
    c.point.number = block.first.number + static_cast<std::int64_t>(groups_.legal[i].number);
    const int broken = in_.conditions.first_broken(KnownPart::strategy, runs_.run(), kNothingKnown);
    if (!tally_.refuse(broken)) judge_memory(c, i, fit, block);
  }
}

void Judge::judge_memory(Candidate c, std::size_t i, FitOfAll fit, CandidateBlock& block) {
  ShardingTally& t = sharding_tally(i);
  ++t.legal;
  ++block.legal;
  if (fit == FitOfAll::all_fit && bounds_.is_hopeless(tally_.families_of(t))) {
    ++t.feasible;
    ++block.feasible;
    ++tally_.all().feasible;
    return;
  }
  answer_memory(runs_.run(), stages_, i, known_);
  c.peak = known_.memory.peak;
  if (!fits_at_risk(runs_.run(), known_)) {
    SearchTally& all = tally_.all();
    ++(known_.reason == Reason::fits ? all.too_risky : all.infeasible);
    if (needs_less(c, block.nearest)) block.nearest = c;
    if (needs_less(c, t.nearest)) t.nearest = c;
    return;
  }
  ++t.feasible;
  ++block.feasible;
  judge_fitting(c, t);
}

void Judge::judge_fitting(const Candidate& fitting, const ShardingTally& t) {
  const Run& run = runs_.run();
  if (tally_.refuse(in_.conditions.first_broken(KnownPart::memory, run, known_))) return;
  if (bounds_.is_hopeless(tally_.families_of(t))) {
    ++tally_.all().feasible;
    return;
  }
  runs_.fill_costs();
  answer_least(run, runs_.workspace(), runs_.least_pipeline(), 1 - kBoundRounding, known_);
  if (tally_.refuse(in_.conditions.first_hopeless(run, known_))) return;
  ++tally_.all().feasible;
  Candidate c = fitting;
  c.bound = in_.conditions.objective_bound(run, known_);
  for (std::size_t i = 0; i < in_.conditions.pareto.size(); ++i) {
    c.aims[i] = in_.conditions.pareto[i].bound(run, known_);
  }
  queue_.push(c);
}

}  // namespace orrery
