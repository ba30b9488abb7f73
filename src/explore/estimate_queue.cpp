// SPDX-License-Identifier: Apache-2.0
#include "explore/estimate_queue.h"

#include <algorithm>
#include <limits>

#include "estimate/risk.h"

namespace orrery {

EstimateQueue::EstimateQueue(const SearchInputs& in, PricedRuns& runs, SearchTally& tally)
    : in_(in),
      runs_(runs),
      tally_(tally),
      front_(in.conditions.pareto.size()),
      admission_(in.space, in.units, in.options.families ? &in.index : nullptr, in.incumbents) {}

void EstimateQueue::drain() {
  std::sort(waiting_.begin(), waiting_.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.point.number < b.point.number;
  });
  for (const Candidate& c : waiting_) {
    if (in_.is_stopped()) break;
    if (admission_.may_count(c, front_)) estimate_in_full(c);
  }
  waiting_.clear();
}

void EstimateQueue::finish_unit() {
  drain();
  if (front_.aims() > 0) in_.front.join(front_);
  if (tally_.contenders.list.size() > forget_at_) forget_hopeless();
}

void EstimateQueue::estimate_in_full(Candidate c) {
  runs_.set(c.point);
  runs_.fill_parts(c.point);
  runs_.fill_costs();
  const Answer a = runs_.finish();
  const Run& run = runs_.run();
  c.step = a.step_time;
  c.objective = in_.conditions.objective_of(run, a);
  c.fit_rank = static_cast<std::int8_t>(fit_rank(run, a));
  c.refused_by = in_.conditions.first_broken(KnownPart::answer, run, a);
  tally_.contenders.add(c, front_.aims());
  if (c.refused_by >= 0) return;
  in_.incumbents.offer_best(c.objective);
  add_to_best(tally_, c, in_.options.top);
  if (tally_.best.size() == in_.options.top) {
    in_.incumbents.offer_last_of_top(tally_.best.back().objective);
  }
  if (in_.options.families) add_to_families(c);
  if (front_.aims() > 0) offer_to_front(c, a);
}

void EstimateQueue::add_to_families(const Candidate& c) {
  const Unit& unit = in_.units[static_cast<std::size_t>(c.unit)];
  in_.index.find_unit(unit, ids_);
  in_.index.find_point(unit, c.point, ids_);
  for (const std::size_t i : ids_) {
    FamilyTally& f = tally_.families[i];
    if (is_before(c, f.best)) f.best = c;
    in_.incumbents.offer_family(i, c.objective);
  }
}

void EstimateQueue::offer_to_front(Candidate c, const Answer& a) {
  for (std::size_t i = 0; i < front_.aims(); ++i) {
    c.aims[i] = in_.conditions.pareto[i].value(runs_.run(), a);
  }
  front_.offer(c);
}

// Without a bound we keep only the count and the candidates that may tie with the winner.
bool EstimateQueue::is_to_keep(const Contender& c, const AimValues& aims) {
  if (c.bound != -std::numeric_limits<double>::infinity()) {
    return admission_.may_count(c, aims, front_);
  }
  if (c.refused_by < 0 && in_.incumbents.may_tie(c.objective)) return true;
  ++tally_.unbounded;
  if (c.refused_by >= 0) {
    ++tally_.refused[static_cast<std::size_t>(c.refused_by)];
    ++tally_.unbounded_refused;
  }
  return false;
}

void EstimateQueue::forget_hopeless() {
  tally_.contenders.keep_if(
      [this](const Contender& c, const AimValues& aims) { return is_to_keep(c, aims); });
  const std::size_t kept = tally_.contenders.list.size();
  forget_at_ = std::max(forget_at_, kept + kept / 4);
}

}  // namespace orrery
