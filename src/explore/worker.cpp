// SPDX-License-Identifier: Apache-2.0
#include "explore/worker.h"

#include <algorithm>
#include <limits>

#include "estimate/links.h"
#include "estimate/risk.h"
#include "explore/recommend.h"

namespace orrery {
namespace {

// Sums in the bound and in the step are taken in other orders.
constexpr double kRounding = 1e-9;
// Candidates that wait for an estimate; so that a large unit takes no more room than a small one.
constexpr std::size_t kMostWaiting = 1024;

bool decides_alone(const Conditions& c) {
  const auto of_strategy = [](const BoundExpression& e) { return e.needs() == Known::strategy; };
  return !c.objective && c.pareto.empty() &&
         std::all_of(c.constraints.begin(), c.constraints.end(), of_strategy);
}

// By offload, the first that does the same to model states.
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

// Ranks wait for each other's documents at every micro batch.
bool SearchWorker::meets() const {
  return run_.training.lengths.count > 0 && run_.strategy.partition.weights > 1;
}

void SearchWorker::take_shardings(const std::vector<Sharding>& shardings) {
  tallies_.start(shardings);
  for (auto& list : legal_shardings_) list.clear();
  sharding_families_.clear();
  most_gradient_shards_ = 1;
  std::vector<Partition> partitions;
  for (std::size_t k = 0; k < shardings.size(); ++k) {
    partitions.push_back(shardings[k].partition());
    set_sharding(shardings[k], run_.strategy);
    ShardingTally& t = tallies_.list()[k];
    t.broken = broken_rule(RulePart::sharding);
    if (options_.families) {
      index_.find_sharding(shardings[k], ids_);
      t.families = FamilyIndex::of_sharding(ids_);
    }
    if (t.broken != RuleId::none) continue;
    legal_shardings_[meets() ? 1 : 0].push_back(k);
    most_gradient_shards_ = std::max(most_gradient_shards_, run_.strategy.partition.gradients);
    if (options_.families) {
      sharding_families_.insert(sharding_families_.end(), t.families.begin(), t.families.end());
    }
  }
  // One after the other those that cost the same in every micro batch.
  const auto weights_and_gradients = [&](std::size_t k) {
    return std::make_pair(partitions[k].weights, partitions[k].gradients);
  };
  for (auto& list : legal_shardings_) {
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return weights_and_gradients(a) < weights_and_gradients(b);
    });
  }
  keep_each_once(sharding_families_);
  states_.start(std::move(partitions), space_.offloads.size());
}

RuleId SearchWorker::broken_rule(RulePart part) const {
  return first_broken(part, run_.strategy, run_.model, shape_);
}

void SearchWorker::reject(const Block& block, RuleId rule, std::int64_t candidates) {
  if (candidates == 0) return;
  tally_.rejected[static_cast<std::size_t>(rule)] += candidates;
  for (const std::size_t f : *block.families) tally_.families[f].reject(rule, candidates);
}

// Of every offload those of all shardings.
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
  std::int64_t legal = 0;
  for (const ShardingTally& t : tallies_.list()) {
    if (t.broken == RuleId::none) {
      ++legal;
    } else {
      reject(block, t.broken, 1);
    }
  }
  reject(block, broken, legal);
  if (broken != RuleId::none) return;
  for (const auto& shardings : legal_shardings_) {
    if (!shardings.empty()) judge_legal(unit, shardings, block);
  }
  for (const std::size_t i : *block.families) {
    FamilyTally& f = tally_.families[i];
    f.legal += block.legal;
    f.feasible += block.feasible;
    if (needs_less(block.nearest, f.nearest)) f.nearest = block.nearest;
  }
}

void SearchWorker::judge_legal(const Unit& unit, const std::vector<std::size_t>& shardings,
                               Block& block) {
  Candidate c;
  c.unit = unit.id;
  c.point = block.first;
  c.point.sharding = tallies_.list()[shardings.front()].sharding;
  set_sharding(c.point.sharding, run_.strategy);
  fill_parts(unit, c.point);
  hopeless_.reset();
  hopeless_however_sharded_.reset();
  if (best_alone_ && beats_all(shardings, block)) return;
  states_.find(run_, workspace_, offload_of_states_[static_cast<std::size_t>(c.point.offload)],
               stages_);
  const MemoryOfAll all = memory_of_all(run_, stages_);
  fit_of_all_ = all.fit;
  const bool none_fits = by_memory_alone_ && all.fit == FitOfAll::none_fits;
  if (none_fits && !wants_nearest(all.least, block)) {
    for (const std::size_t k : shardings) ++tallies_.list()[k].legal;
    block.legal += static_cast<std::int64_t>(shardings.size());
    tally_.infeasible += static_cast<std::int64_t>(shardings.size());
    return;
  }
  for (const std::size_t k : shardings) {
    c.point.sharding = tallies_.list()[k].sharding;
    c.point.number = block.first.number + static_cast<std::int64_t>(k);
    set_sharding(c.point.sharding, run_.strategy);
    if (is_refused(conditions_.first_broken(Known::strategy, run_, nothing_known_))) continue;
    judge_memory(c, k, block);
  }
  if (needs_less(block.nearest, tally_.nearest)) tally_.nearest = block.nearest;
}

void SearchWorker::judge_memory(Candidate c, std::size_t sharding, Block& block) {
  ShardingTally& t = tallies_.list()[sharding];
  ++t.legal;
  ++block.legal;
  if (fit_of_all_ == FitOfAll::all_fit && is_hopeless(block)) {
    ++t.feasible;
    ++block.feasible;
    ++tally_.feasible;
    return;
  }
  answer_memory(run_, stages_, sharding, known_);
  c.peak = known_.memory.peak;
  if (!fits_at_risk(run_, known_)) {
    ++(known_.reason == Reason::fits ? tally_.too_risky : tally_.infeasible);
    if (needs_less(c, block.nearest)) block.nearest = c;
    if (needs_less(c, t.nearest)) t.nearest = c;
    return;
  }
  ++t.feasible;
  ++block.feasible;
  judge_fitting(c, block);
}

void SearchWorker::judge_fitting(const Candidate& fitting, const Block& block) {
  if (is_refused(conditions_.first_broken(Known::memory, run_, known_))) return;
  if (is_hopeless(block)) {
    ++tally_.feasible;
    return;
  }
  fill_costs();
  answer_least(run_, workspace_, least_pipeline_, 1 - kRounding, known_);
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
  for (const auto& shardings : legal_shardings_) {
    for (const std::size_t k : shardings) {
      set_sharding(tallies_.list()[k].sharding, run_.strategy);
      none =
          none && std::all_of(space_.offloads.begin(), space_.offloads.end(), [&](const auto& o) {
            run_.strategy.offload = o;
            return no_layout_fits(run_, workspace_.prices, blocks_);
          });
    }
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
  return !incumbents_.lets_in((least_step(run_, blocks, Seconds()) * (1 - kRounding)).si());
}

// The same of a block, whatever it needs of the memory.
bool SearchWorker::beats_all(const std::vector<std::size_t>& shardings, const Block& block) {
  const auto set = [this](std::size_t k) {
    set_sharding(tallies_.list()[k].sharding, run_.strategy);
  };
  const bool all = std::all_of(shardings.begin(), shardings.end(), [&](std::size_t k) {
    set(k);
    return is_hopeless(block);
  });
  set(shardings.front());
  return all;
}

// Whether no candidate of the block with these costs can count: its step is no less than that of
// its micro batches, which is more than anyone lets in.
bool SearchWorker::is_hopeless(const Block& block) {
  if (!by_step_alone_) return false;
  if (is_hopeless_however_sharded(block)) return true;
  fill_costs();
  if (!hopeless_) hopeless_ = nobody_wants(least_pipeline_, block);
  return *hopeless_;
}

// The same of all its candidates: what sharding costs, which differs among them, is not asked.
bool SearchWorker::is_hopeless_however_sharded(const Block& block) {
  if (!hopeless_however_sharded_) {
    fill_least_costs();
    hopeless_however_sharded_ = nobody_wants(least_pipeline_, block);
  }
  return *hopeless_however_sharded_;
}

bool SearchWorker::nobody_wants(Seconds pipeline, const Block& block) const {
  const double least = (least_step(run_, pipeline, Seconds()) * (1 - kRounding)).si();
  const auto lets_in = [&](std::size_t f) { return incumbents_.lets_in(least, f); };
  return !incumbents_.lets_in(least) &&
         std::none_of(block.families->begin(), block.families->end(), lets_in) &&
         std::none_of(sharding_families_.begin(), sharding_families_.end(), lets_in);
}

// Whether a candidate of the block that needs no less than `least` may be the nearest to fit.
bool SearchWorker::wants_nearest(Bytes least, const Block& block) const {
  const auto wants = [least](const Candidate& c) { return c.unit < 0 || c.peak >= least; };
  const auto of_family = [&](std::size_t f) { return wants(tally_.families[f].nearest); };
  const auto of_sharding = [&](const ShardingTally& t) {
    return t.broken == RuleId::none && wants(t.nearest) &&
           std::any_of(t.families.begin(), t.families.end(), of_family);
  };
  return wants(tally_.nearest) ||
         std::any_of(block.families->begin(), block.families->end(), of_family) ||
         (options_.families &&
          std::any_of(tallies_.list().begin(), tallies_.list().end(), of_sharding));
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
