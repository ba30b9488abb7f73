// SPDX-License-Identifier: Apache-2.0
#include "explore/worker.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "estimate/classes.h"
#include "estimate/links.h"

namespace orrery {
namespace {

// Sums in the bound and in the step are taken in other orders.
constexpr double kRounding = 1e-9;

auto place_of(const Candidate& c) { return std::make_tuple(c.unit, c.point.number); }

}  // namespace

bool is_before(const Candidate& a, const Candidate& b) {
  if (b.unit < 0 || a.unit < 0) return a.unit >= 0 && b.unit < 0;
  if (a.objective != b.objective) return a.objective < b.objective;
  if (a.peak != b.peak) return a.peak < b.peak;
  return place_of(a) < place_of(b);
}

bool needs_less(const Candidate& a, const Candidate& b) {
  if (b.unit < 0 || a.unit < 0) return a.unit >= 0 && b.unit < 0;
  if (a.peak != b.peak) return a.peak < b.peak;
  return place_of(a) < place_of(b);
}

bool may_count(const Incumbents& incumbents, const FamilyIndex& index, bool families,
               const std::vector<Unit>& units, const Candidate& c) {
  if (incumbents.lets_in(c.bound)) return true;
  if (!families) return false;
  const auto of = index.of(units[static_cast<std::size_t>(c.unit)], c.point);
  return std::any_of(of.begin(), of.end(),
                     [&](std::size_t f) { return incumbents.lets_in(c.bound, f); });
}

SearchWorker::SearchWorker(const Space& space, const std::vector<Unit>& units,
                           const FamilyIndex& index, const SearchOptions& options,
                           Incumbents& incumbents)
    : space_(space),
      units_(units),
      index_(index),
      options_(options),
      incumbents_(incumbents),
      run_(space.base),
      shape_(shape_of(space.base)) {
  tally_.families.resize(options.families ? index.size() : 0);
  tally_.refused.resize(options.conditions == nullptr ? 0 : options.conditions->constraints.size());
}

template <class Visit>
void SearchWorker::for_families(const Unit& unit, const Point& point, Visit&& visit) {
  if (!options_.families) return;
  for (const std::size_t f : index_.of(unit, point)) visit(f, tally_.families[f]);
}

void SearchWorker::take(const Unit& unit) {
  set_degrees(space_, unit, run_.strategy);
  waiting_.clear();
  tally_.candidates +=
      UnitWalk(space_, unit).cells([&](const SearchCell& cell) { judge(unit, cell); });
  // The most promising first: the rest may then not need an estimate.
  std::sort(waiting_.begin(), waiting_.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.point.number < b.point.number;
  });
  for (const Candidate& c : waiting_) {
    if (may_count(c)) estimate_in_full(unit, c);
  }
  if (tally_.estimated.size() > forget_at_) forget_hopeless();
}

bool SearchWorker::may_count(const Candidate& c) const {
  return orrery::may_count(incumbents_, index_, options_.families, units_, c);
}

// The rules look at no ZeRO stage but for how it divides the replicas, and at no number of layers
// within a chunk's.
void SearchWorker::judge(const Unit& unit, const SearchCell& cell) {
  for_each_point(cell, [&](const Point& point) {
    set_point(space_, point, run_.strategy);
    const RuleId broken = first_broken(run_.strategy, run_.model, shape_);
    ++tally_.rejected[static_cast<std::size_t>(broken)];
    for_families(unit, point, [broken](std::size_t, FamilyTally& f) {
      ++f.candidates;
      ++f.rejected[static_cast<std::size_t>(broken)];
    });
    if (broken == RuleId::none && !is_refused(Known::strategy, nothing_known_))
      judge_memory(unit, point);
  });
}

void SearchWorker::judge_memory(const Unit& unit, const Point& point) {
  fill(unit, point);
  const Answer a = memory_answer(run_, workspace_);
  Candidate c;
  c.unit = unit.id;
  c.point = point;
  c.peak = a.memory.peak;
  if (a.reason != Reason::fits) {
    ++tally_.infeasible;
    if (needs_less(c, tally_.nearest)) tally_.nearest = c;
    for_families(unit, point, [&c](std::size_t, FamilyTally& f) {
      ++f.legal;
      if (needs_less(c, f.nearest)) f.nearest = c;
    });
    return;
  }
  judge_fitting(unit, c, a);
}

void SearchWorker::judge_fitting(const Unit& unit, Candidate c, const Answer& a) {
  if (is_refused(Known::memory, a)) return;
  ++tally_.feasible;
  for_families(unit, c.point, [](std::size_t, FamilyTally& f) {
    ++f.legal;
    ++f.feasible;
  });
  c.bound = bound();
  waiting_.push_back(c);
}

bool SearchWorker::is_refused(Known known, const Answer& a) {
  if (options_.conditions == nullptr) return false;
  const int by = options_.conditions->first_broken(known, run_, a);
  if (by >= 0) ++tally_.refused[static_cast<std::size_t>(by)];
  return by >= 0;
}

// Nothing is known of an objective that is not the step.
double SearchWorker::bound() {
  const bool of_step = options_.conditions == nullptr || !options_.conditions->objective;
  if (!of_step) return -std::numeric_limits<double>::infinity();
  return step_lower_bound(run_, workspace_).si() * (1 - kRounding);
}

void SearchWorker::fill(const Unit& unit, const Point& point) {
  const PriceKey key = {unit.id, point.micro_batch, point.sequence_parallel,
                        run_.strategy.recompute == Recompute::selective};
  if (key != priced_) price<double>(run_, workspace_.scratch, workspace_.prices);
  priced_ = key;
  fill_stages<double>(run_, workspace_);
}

void SearchWorker::estimate_in_full(const Unit& unit, Candidate c) {
  set_point(space_, c.point, run_.strategy);
  fill(unit, c.point);
  const Answer a = finish(run_, workspace_);
  c.step = a.step_time;
  c.objective = c.step.si();
  if (options_.conditions != nullptr) {
    c.objective = options_.conditions->objective_of(run_, a);
    c.refused_by = options_.conditions->first_broken(Known::answer, run_, a);
  }
  tally_.estimated.push_back(c);
  if (c.refused_by >= 0) return;
  incumbents_.offer_best(c.objective);
  keep_in_top(c);
  for_families(unit, c.point, [&](std::size_t i, FamilyTally& f) {
    if (is_before(c, f.best)) f.best = c;
    incumbents_.offer_family(i, c.objective);
  });
}

void SearchWorker::keep_in_top(const Candidate& c) {
  std::vector<Candidate>& best = tally_.best;
  const auto at = std::upper_bound(best.begin(), best.end(), c, is_before);
  best.insert(at, c);
  if (best.size() > options_.top) best.pop_back();
  if (best.size() == options_.top) incumbents_.offer_last_of_top(best.back().objective);
}

void SearchWorker::forget_hopeless() {
  std::vector<Candidate>& list = tally_.estimated;
  list.erase(std::remove_if(list.begin(), list.end(),
                            [this](const Candidate& c) { return !may_count(c); }),
             list.end());
  forget_at_ = std::max(forget_at_, 2 * list.size());
}

}  // namespace orrery
