// SPDX-License-Identifier: Apache-2.0
#include "explore/worker.h"

#include <algorithm>
#include <limits>

#include "estimate/classes.h"
#include "estimate/links.h"
#include "estimate/risk.h"
#include "explore/axis_keys.h"
#include "explore/recommend.h"

namespace orrery {
namespace {

// Sums in the bound and in the step are taken in other orders.
constexpr double kRounding = 1e-9;
// Candidates that wait for an estimate; so that a large unit takes no more room than a small one.
constexpr std::size_t kMostWaiting = 1024;
// Most units have no more keys of prices; one takes 36 kB.
constexpr std::size_t kMostKeptPrices = 32;

// Rules that come before say the same of every sharding and number of layers.
constexpr bool is_of_the_cell(RuleId rule) { return rule != RuleId::none && rule < RuleId::zero; }

// By axis, what holds it: the key of prices, that of the parts of stages, or neither (finish).
constexpr EnumTable<SearchAxis, Vary> kHeldBy = {
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
    Vary::stages,  // offload, of activations; the rest only finishes
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
      incumbents_(incumbents),
      shared_(shared),
      front_(conditions_.pareto.size()),
      admission_(space, units, options.families ? &index : nullptr, incumbents),
      run_(space.bases[0].run),
      shape_(shape_of(run_)) {
  tally_.families.resize(options.families ? index.size() : 0);
  tally_.refused.resize(conditions_.constraints.size());
}

template <class Visit>
void SearchWorker::for_families(const FamilyIds& ids, Visit&& visit) {
  if (!options_.families) return;
  for (const std::size_t f : ids) visit(f, tally_.families[f]);
}

void SearchWorker::take_base(std::size_t base) {
  if (base == base_) return;
  base_ = base;
  run_ = space_.bases[base].run;
  shape_ = shape_of(run_);
}

void SearchWorker::take(const Unit& unit) {
  take_base(unit.base);
  set_degrees(space_, unit, run_.strategy);
  workspace_.end_traffics.clear();
  if (options_.families) index_.find_unit(unit, ids_);
  tally_.candidates +=
      UnitWalk(space_, unit).cells([&](const SearchCell& cell) { judge(unit, cell); });
  estimate_waiting(unit);
  if (front_.aims() > 0) shared_.join(front_);
  if (tally_.contenders.list.size() > forget_at_) forget_hopeless();
}

RuleId SearchWorker::broken_rule(const Point& point) {
  set_point(space_, space_.bases[base_], point, run_.strategy);
  return first_broken(run_.strategy, run_.model, shape_);
}

void SearchWorker::reject(RuleId rule, std::int64_t candidates) {
  const auto r = static_cast<std::size_t>(rule);
  tally_.rejected[r] += candidates;
  for_families(ids_, [=](std::size_t, FamilyTally& f) {
    f.candidates += candidates;
    f.rejected[r] += candidates;
  });
}

void SearchWorker::judge(const Unit& unit, const SearchCell& cell) {
  if (cell.candidates() == 0 || is_stopped()) return;
  Point p = cell.point;
  p.recompute_layers = static_cast<std::int32_t>(cell.layers(0));
  p.sharding = cell.shardings->front();
  if (options_.families) index_.find_point(unit, p, ids_);
  const RuleId first = broken_rule(p);
  if (is_of_the_cell(first)) {
    for (const Sharding& sharding : *cell.shardings) {
      if (options_.families) index_.find_sharding(sharding, ids_);
      reject(first, cell.layer_count);
    }
    return;
  }
  for_each_point(cell, [&](const Point& point) {
    if (options_.families) index_.find_sharding(point.sharding, ids_);
    const RuleId broken = broken_rule(point);
    reject(broken, 1);
    if (broken == RuleId::none) judge_legal(unit, point);
  });
}

bool SearchWorker::is_refused(int by) {
  if (by >= 0) ++tally_.refused[static_cast<std::size_t>(by)];
  return by >= 0;
}

void SearchWorker::judge_legal(const Unit& unit, const Point& point) {
  if (is_refused(conditions_.first_broken(Known::strategy, run_, nothing_known_))) return;
  fill_parts(unit, point);
  answer_memory(run_, workspace_, known_);
  Candidate c;
  c.unit = unit.id;
  c.point = point;
  c.peak = known_.memory.peak;
  if (!fits_at_risk(run_, known_)) {
    ++(known_.reason == Reason::fits ? tally_.too_risky : tally_.infeasible);
    if (needs_less(c, tally_.nearest)) tally_.nearest = c;
    for_families(ids_, [&c](std::size_t, FamilyTally& f) {
      ++f.legal;
      if (needs_less(c, f.nearest)) f.nearest = c;
    });
    return;
  }
  for_families(ids_, [](std::size_t, FamilyTally& f) {
    ++f.legal;
    ++f.feasible;
  });
  judge_fitting(unit, c);
}

void SearchWorker::judge_fitting(const Unit& unit, Candidate c) {
  if (is_refused(conditions_.first_broken(Known::memory, run_, known_))) return;
  fill_costs<double>(run_, workspace_);
  answer_least(run_, workspace_, 1 - kRounding, known_);
  if (is_refused(conditions_.first_hopeless(run_, known_))) return;
  ++tally_.feasible;
  c.bound = conditions_.objective_bound(run_, known_);
  for (std::size_t i = 0; i < conditions_.pareto.size(); ++i) {
    c.aims[i] = conditions_.pareto[i].bound(run_, known_);
  }
  waiting_.push_back(c);
  if (waiting_.size() == kMostWaiting) estimate_waiting(unit);
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

// Run and point are of the same candidate.
void SearchWorker::fill_parts(const Unit& unit, const Point& point) {
  const Schedule& schedule = schedule_of(point.schedule);
  const PriceKey price_key = {
      unit.id,
      point.micro_batch,
      point.sequence_parallel,
      point.modules,
      schedule.written_out,
      schedule.zero_bubble,
      point.schedule == ScheduleId::interleaved,
      run_.training.lengths.count > 0 && run_.strategy.partition.weights > 1};
  const PartsKey key = {price_key,
                        point.schedule,
                        point.vpp,
                        point.split,
                        point.recompute,
                        point.recompute_layers,
                        run_.strategy.offload.activations};
  if (key == filled_) return;
  price_as(price_key);
  orrery::fill_parts<double>(run_, workspace_);
  filled_ = key;
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

void SearchWorker::estimate_in_full(const Unit& unit, Candidate c) {
  set_point(space_, space_.bases[base_], c.point, run_.strategy);
  fill_parts(unit, c.point);
  fill_costs<double>(run_, workspace_);
  const Answer a = finish(run_, workspace_);
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
  for_families(estimated_ids_, [&](std::size_t i, FamilyTally& f) {
    if (is_before(c, f.best)) f.best = c;
    incumbents_.offer_family(i, c.objective);
  });
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
