// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "explore/worker.h"

namespace orrery {
namespace {

// Where good strategies usually lie first, so that the incumbents are good early: tensor and
// context parallelism within a node, few stages.
std::vector<std::size_t> promising_first(const std::vector<Unit>& units, std::int64_t node) {
  std::vector<std::size_t> order(units.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const Unit& u = units[i];
    const std::int64_t wide = u.tp * u.cp;
    return std::make_tuple(wide > node, u.cp, u.pp, -u.tp, u.id);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

void add(FamilyTally& to, const FamilyTally& from) {
  to.candidates += from.candidates;
  to.legal += from.legal;
  to.feasible += from.feasible;
  for (std::size_t r = 0; r <= kRules; ++r) to.rejected[r] += from.rejected[r];
  if (is_before(from.best, to.best)) to.best = from.best;
  if (needs_less(from.nearest, to.nearest)) to.nearest = from.nearest;
}

void add(SearchTally& to, const SearchTally& from) {
  to.candidates += from.candidates;
  to.infeasible += from.infeasible;
  to.feasible += from.feasible;
  for (std::size_t r = 0; r <= kRules; ++r) to.rejected[r] += from.rejected[r];
  for (std::size_t i = 0; i < to.refused.size(); ++i) to.refused[i] += from.refused[i];
  to.best.insert(to.best.end(), from.best.begin(), from.best.end());
  to.estimated.insert(to.estimated.end(), from.estimated.begin(), from.estimated.end());
  if (needs_less(from.nearest, to.nearest)) to.nearest = from.nearest;
  for (std::size_t f = 0; f < to.families.size(); ++f) add(to.families[f], from.families[f]);
}

class Search {
 public:
  Search(const Space& space, const SearchOptions& options)
      : space_(space),
        options_(options),
        units_(units_of(space)),
        index_(space, units_),
        tie_(tie_of(space, options)),
        incumbents_(index_.size(), tie_) {}

  SearchAnswer run() {
    const auto order = promising_first(units_, space_.base.cluster.devices_per_node);
    const unsigned n = std::max(1U, options_.workers);
    std::vector<SearchWorker> workers;
    workers.reserve(n);
    for (unsigned i = 0; i < n; ++i) {
      workers.emplace_back(space_, units_, index_, options_, incumbents_);
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&](unsigned i) {
      for (std::size_t at = next++; at < order.size(); at = next++) {
        workers[i].take(units_[order[at]]);
      }
    };
    if (options_.parallel && n > 1) {
      options_.parallel(work);
    } else {
      work(0);
    }
    SearchTally all = std::move(workers[0].tally());
    for (unsigned i = 1; i < n; ++i) add(all, workers[i].tally());
    return answer(all);
  }

 private:
  // What another objective than the step is uncertain by is not known.
  static double tie_of(const Space& space, const SearchOptions& options) {
    if (options.conditions != nullptr && options.conditions->objective) return 1;
    return options.tie > 0 ? options.tie : std::max(1.0, space.base.framework.interval_high);
  }

  SearchAnswer answer(SearchTally& all) {
    SearchAnswer a;
    a.candidates = all.candidates;
    a.rejected = all.rejected;
    a.rejected[0] = 0;
    a.infeasible = all.infeasible;
    a.refused = all.refused;
    a.tie = tie_;
    std::sort(all.best.begin(), all.best.end(), is_before);
    if (all.best.size() > options_.top) all.best.resize(options_.top);
    // Of all workers together; theirs alone may have been slower.
    if (all.best.size() == options_.top) incumbents_.offer_last_of_top(all.best.back().objective);
    for (const Candidate& c : all.best) a.best.push_back(found(c));
    for (const Candidate& c : all.estimated) {
      if (!may_count(incumbents_, index_, options_.families, units_, c)) continue;
      ++a.estimated;
      if (c.refused_by >= 0) {
        ++a.refused[static_cast<std::size_t>(c.refused_by)];
      } else if (c.objective <= all.best[0].objective * tie_) {
        ++a.ties;
      }
    }
    a.pruned = all.feasible - a.estimated;
    a.nearest = found(all.nearest);
    for (std::size_t f = 0; f < all.families.size(); ++f) a.families.push_back(family(all, f));
    return a;
  }

  Family family(const SearchTally& all, std::size_t f) const {
    const FamilyTally& t = all.families[f];
    Family family = {index_.axis_of(f), index_.value_of(f), t.candidates,  t.legal,
                     t.feasible,        t.rejected,         found(t.best), found(t.nearest)};
    family.rejected[0] = 0;
    return family;
  }

  Found found(const Candidate& c) const {
    Found f;
    if (c.unit < 0) return f;
    f.place = {c.unit, c.point};
    f.strategy = space_.base.strategy;
    set_degrees(space_, units_[static_cast<std::size_t>(c.unit)], f.strategy);
    set_point(space_, c.point, f.strategy);
    f.step_time = c.step;
    f.objective = c.objective;
    f.peak = c.peak;
    return f;
  }

  const Space& space_;
  const SearchOptions& options_;
  std::vector<Unit> units_;
  FamilyIndex index_;
  double tie_;
  Incumbents incumbents_;
};

}  // namespace

SearchAnswer search(const Space& space, const SearchOptions& options) {
  return Search(space, options).run();
}

}  // namespace orrery
