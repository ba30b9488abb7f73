// SPDX-License-Identifier: Apache-2.0
#include "explore/worker.h"

#include <algorithm>
#include <limits>

#include "estimate/links.h"
#include "estimate/risk.h"
#include "explore/recommend.h"

namespace orrery {
namespace {

// Candidates that wait for an estimate; so that a large unit takes no more room than a small one.
constexpr std::size_t kMostWaiting = 1024;

bool decides_alone(const Conditions& c) {
  const auto of_strategy = [](const BoundExpression& e) { return e.needs() == Known::strategy; };
  return !c.objective && c.pareto.empty() &&
         std::all_of(c.constraints.begin(), c.constraints.end(), of_strategy);
}

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

const Conditions& conditions_of(const SearchOptions& o) {
  static const Conditions kNone;
  return o.conditions != nullptr ? *o.conditions : kNone;
}

}  // namespace

SearchWorker::SearchWorker(const Space& space, const std::vector<Unit>& units,
                           const FamilyIndex& index, const SearchOptions& options,
                           Incumbents& incumbents, SharedFront& shared)
    : space_(space),
      index_(index),
      options_(options),
      conditions_(conditions_of(options)),
      by_memory_alone_(conditions_.constraints.empty()),
      by_step_alone_(decides_alone(conditions_)),
      best_alone_(!options.counts && !options.families && by_step_alone_),
      incumbents_(incumbents),
      shared_(shared),
      front_(conditions_.pareto.size()),
      admission_(space, units, options.families ? &index : nullptr, incumbents),
      run_(space.bases[0].run),
      shape_(shape_of(run_)),
      blocks_(blocks_of(Strategy(), run_.model, 0)),
      offload_of_states_(offloads_of_states(space.offloads)) {
  tally_.families.resize(options.families ? index.size() : 0);
  tally_.refused.resize(conditions_.constraints.size());
}

void SearchWorker::take_base(std::size_t base) {
  if (base == base_) return;
  base_ = base;
  run_ = space_.bases[base].run;
  shape_ = shape_of(run_);
  blocks_ = blocks_of(Strategy(), run_.model, 0);
}

void SearchWorker::take(const Unit& unit) {
  take_base(unit.base);
  set_degrees(space_, unit, run_.strategy);
  workspace_.end_traffics.clear();
  const UnitWalk walk(space_, unit);
  if (options_.families) index_.find_unit(unit, ids_);
  take_shardings(walk.shardings());
  fits_nowhere_.reset();
  walk.shapes([&](const SearchCell& shape) { judge(unit, shape); });
  if (options_.families) tallies_.hand_over(tally_.families);
  estimate_waiting(unit);
  if (front_.aims() > 0) shared_.join(front_);
  if (tally_.contenders.list.size() > forget_at_) forget_hopeless();
}

RuleId SearchWorker::broken_rule(RulePart part) const {
  return first_broken(part, run_.strategy, run_.model, shape_);
}

void SearchWorker::reject(const Block& block, RuleId rule, std::int64_t candidates) {
  if (candidates == 0) return;
  tally_.rejected[static_cast<std::size_t>(rule)] += candidates;
  for (const std::size_t f : *block.families) tally_.families[f].reject(rule, candidates);
}

// Finds, for every offload, the families that all shardings share.
void SearchWorker::find_families(const Unit& unit, Point p) {
  of_offloads_.resize(space_.offloads.size());
  if (!options_.families) return;
  index_.find_point(unit, p, ids_);
  for (std::size_t o = 0; o < of_offloads_.size(); ++o) {
    p.offload = static_cast<std::int16_t>(o);
    index_.find_offload(unit, p, ids_);
    of_offloads_[o].clear();
    for (std::size_t axis = 0; axis < ids_.size(); ++axis) {
      if (!FamilyIndex::is_of_sharding(axis)) of_offloads_[o].push_back(ids_[axis]);
    }
  }
}

void SearchWorker::judge(const Unit& unit, const SearchCell& shape) {
  if (shape.candidates() == 0 || is_stopped()) return;
  const auto shardings = static_cast<std::int64_t>(shape.shardings->size());
  const auto offloads = static_cast<std::int64_t>(space_.offloads.size());
  tally_.candidates += shape.candidates() * offloads;
  Block block;
  block.first = shape.point;
  block.first.sharding = shape.shardings->front();
  find_families(unit, block.first);
  set_point(space_, space_.bases[base_], block.first, run_.strategy);
  const RuleId broken = broken_rule(RulePart::degrees);
  if (broken != RuleId::none) tallies_.reject(broken, shape.layer_count * offloads);
  const bool judged = broken == RuleId::none && best_alone_;
  if (judged && (beats_all_layouts(unit, block.first) || fits_nowhere(unit, block.first))) return;
  for (std::int64_t i = 0; i < shape.layer_count; ++i) {
    block.first.recompute_layers = static_cast<std::int32_t>(shape.layers(i));
    for (std::int64_t o = 0; o < offloads; ++o) {
      block.first.offload = static_cast<std::int16_t>(o);
      block.first.number = shape.point.number + o * shape.candidates() + i * shardings;
      block.families = &of_offloads_[static_cast<std::size_t>(o)];
      if (broken != RuleId::none) {
        reject(block, broken, shardings);
      } else {
        judge_block(unit, block);
      }
    }
  }
}

bool SearchWorker::is_refused(int by) {
  if (by >= 0) ++tally_.refused[static_cast<std::size_t>(by)];
  return by >= 0;
}

void SearchWorker::judge_block(const Unit& unit, Block block) {
  if (waiting_.size() >= kMostWaiting) estimate_waiting(unit);
  set_point(space_, space_.bases[base_], block.first, run_.strategy);
  const RuleId broken = broken_rule(RulePart::recompute);
  tallies_.reject(broken, 1);
  for (const auto& illegal : illegal_) reject(block, illegal.first, illegal.second);
  reject(block, broken, static_cast<std::int64_t>(legal_.size()));
  if (broken != RuleId::none) return;
  for (const std::size_t root : roots_) judge_legal(unit, root, block);
  for (const std::size_t i : *block.families) {
    FamilyTally& f = tally_.families[i];
    f.legal += block.legal;
    f.feasible += block.feasible;
    if (needs_less(block.nearest, f.nearest)) f.nearest = block.nearest;
  }
}

void SearchWorker::judge_fitting(const Candidate& fitting, const ShardingTally& t,
                                 const Block& block) {
  if (is_refused(conditions_.first_broken(Known::memory, run_, known_))) return;
  if (is_hopeless(t, block)) {
    ++tally_.feasible;
    return;
  }
  fill_costs();
  answer_least(run_, workspace_, least_pipeline_, 1 - kBoundRounding, known_);
  if (is_refused(conditions_.first_hopeless(run_, known_))) return;
  ++tally_.feasible;
  Candidate c = fitting;
  c.bound = conditions_.objective_bound(run_, known_);
  for (std::size_t i = 0; i < conditions_.pareto.size(); ++i) {
    c.aims[i] = conditions_.pareto[i].bound(run_, known_);
  }
  waiting_.push_back(c);
}

// True where no strategy of the unit fits, by its weights, gradients and optimizer states alone:
// only sharding and offload change them within a unit.
bool SearchWorker::fits_nowhere(const Unit& unit, const Point& point) {
  if (fits_nowhere_) return *fits_nowhere_;
  fill_prices(unit, point);
  bool none = true;
  Point tried = point;
  for (std::size_t i = 0; i < legal_.size() && none; ++i) {
    set_legal(i, tried);
    none = std::all_of(space_.offloads.begin(), space_.offloads.end(), [&](const auto& o) {
      run_.strategy.offload = o;
      return no_layout_fits(run_, workspace_.prices, blocks_);
    });
  }
  set_point(space_, space_.bases[base_], point, run_.strategy);
  fits_nowhere_ = none;
  return none;
}

// True where the best one known beats every strategy with these blocks, however they are laid out.
bool SearchWorker::beats_all_layouts(const Unit& unit, const Point& point) {
  // With documents of several lengths, prices depend on the sharding too.
  if (run_.training.lengths.count > 0) return false;
  fill_prices(unit, point);
  const Seconds blocks = least_of_blocks(run_, workspace_.prices, blocks_);
  return !incumbents_.lets_in((least_step(run_, blocks, Seconds()) * (1 - kBoundRounding)).si());
}

// The most promising first: the rest may then not need an estimate.
void SearchWorker::estimate_waiting(const Unit& unit) {
  std::sort(waiting_.begin(), waiting_.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.point.number < b.point.number;
  });
  for (const Candidate& c : waiting_) {
    if (is_stopped()) break;
    if (admission_.may_count(c, front_)) estimate_in_full(unit, c);
  }
  waiting_.clear();
}

void SearchWorker::estimate_in_full(const Unit& unit, Candidate c) {
  set_point(space_, space_.bases[base_], c.point, run_.strategy);
  fill_parts(unit, c.point);
  fill_costs();
  const Answer a = finished();
  c.step = a.step_time;
  c.objective = conditions_.objective_of(run_, a);
  c.fit_rank = static_cast<std::int8_t>(fit_rank(run_, a));
  c.refused_by = conditions_.first_broken(Known::answer, run_, a);
  tally_.contenders.add(c, front_.aims());
  if (c.refused_by >= 0) return;
  incumbents_.offer_best(c.objective);
  keep_in_top(c);
  if (options_.families) {
    index_.find_unit(unit, estimated_ids_);
    index_.find_point(unit, c.point, estimated_ids_);
  }
  for (const std::size_t i : estimated_ids_) {
    FamilyTally& f = tally_.families[i];
    if (is_before(c, f.best)) f.best = c;
    incumbents_.offer_family(i, c.objective);
  }
  if (front_.aims() == 0) return;
  for (std::size_t i = 0; i < front_.aims(); ++i) c.aims[i] = conditions_.pareto[i].value(run_, a);
  front_.offer(c);
}

void SearchWorker::keep_in_top(const Candidate& c) {
  std::vector<Candidate>& best = tally_.best;
  const auto at = std::upper_bound(best.begin(), best.end(), c, is_before);
  best.insert(at, c);
  if (best.size() > options_.top) best.pop_back();
  if (best.size() == options_.top) incumbents_.offer_last_of_top(best.back().objective);
}

// Without a bound we keep only the count and the candidates that may tie with the winner.
void SearchWorker::forget_hopeless() {
  tally_.contenders.keep_if([this](const Contender& c, const AimValues& aims) {
    if (c.bound != -std::numeric_limits<double>::infinity()) {
      return admission_.may_count(c, aims, front_);
    }
    if (c.refused_by < 0 && incumbents_.may_tie(c.objective)) return true;
    ++tally_.unbounded;
    if (c.refused_by >= 0) {
      ++tally_.refused[static_cast<std::size_t>(c.refused_by)];
      ++tally_.unbounded_refused;
    }
    return false;
  });
  const std::size_t kept = tally_.contenders.list.size();
  forget_at_ = std::max(forget_at_, kept + kept / 4);
}

}  // namespace orrery
