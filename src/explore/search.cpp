// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <tuple>

#include "explore/recommend.h"
#include "explore/search_team.h"
#include "explore/worker.h"

namespace orrery {
namespace {

// Units that usually have good strategies come first, so that the incumbents are good early: tensor
// and context parallelism within a node, few stages.
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

class Search {
 public:
  Search(const Space& space, const SearchOptions& options)
      : space_(space),
        options_(options),
        units_(units_of(space)),
        index_(space, options.families ? units_ : std::vector<Unit>(), options.pair,
               options.stopped),
        tie_(band_of(space, options)),
        incumbents_(index_.size(), tie_),
        front_(options.conditions != nullptr ? options.conditions->pareto.size() : 0),
        inputs_(search_inputs(space, units_, index_, options, incumbents_, front_)) {}

  SearchAnswer run() {
    const auto order = promising_first(units_, space_.bases[0].run.cluster.devices_per_node);
    if (options_.team == nullptr) {
      std::atomic<std::size_t> next{0};
      SearchTally all = work_through(order, [&]() -> std::optional<std::size_t> {
        const std::size_t at = next++;
        return at < order.size() ? std::optional(at) : std::nullopt;
      });
      return answer(all);
    }
    const SearchTeam& team = *options_.team;
    const SharedBest best = {incumbents_, front_};
    if (team.leads()) {
      SearchTally all = empty_tally(inputs_);
      lead_search(team, order.size(), best, [&all](const SearchTally& t) { add(all, t); });
      return answer(all);
    }
    hand_over(team, best, work_through(order, [&] {
                const auto at = next_place(team, best);
                return at && *at < order.size() ? at : std::nullopt;
              }));
    return {};
  }

 private:
  // next(): a place in the order, nothing when there is none; from any thread.
  template <class Next>
  SearchTally work_through(const std::vector<std::size_t>& order, Next&& next) {
    const unsigned n = std::max(1U, options_.workers);
    std::deque<SearchWorker> workers;
    for (unsigned i = 0; i < n; ++i) workers.emplace_back(inputs_);
    const auto work = [&](unsigned i) {
      while (const auto at = next()) {
        if (options_.stopped && options_.stopped()) return;
        workers[i].take(units_[order[*at]]);
        if (options_.stopped && options_.stopped()) return;
        const std::int64_t done = ++searched_;
        if (options_.progress) options_.progress(done, static_cast<std::int64_t>(order.size()));
      }
    };
    if (options_.parallel && n > 1) {
      options_.parallel(work);
    } else {
      work(0);
    }
    SearchTally all = std::move(workers[0].tally());
    for (unsigned i = 1; i < n; ++i) add(all, workers[i].tally());
    return all;
  }

  // The widest of all bases; the winner's own decides in the end.
  static double tie_of(const Space& space, const SearchOptions& options) {
    if (options.tie > 0) return options.tie;
    if (options.conditions != nullptr && options.conditions->objective) return 1;
    double widest = 1;
    for (const Base& b : space.bases)
      widest = std::max(widest, b.run.framework.level.interval_high);
    return widest;
  }

  // The recommended strategy is chosen within this band, so it is wanted in any case.
  static double band_of(const Space& space, const SearchOptions& options) {
    const double tie = tie_of(space, options);
    return options.ties ? tie : std::min(tie, kRecommendationBand);
  }

  double tie_with(const Candidate& winner) const {
    const bool own = options_.tie > 0 || tie_ == 1;
    return own ? tie_ : std::max(1.0, base_of(winner).run.framework.level.interval_high);
  }

  const Unit& unit_of(const Candidate& c) const { return units_[static_cast<std::size_t>(c.unit)]; }
  const Base& base_of(const Candidate& c) const { return space_.bases[unit_of(c).base]; }

  SearchAnswer answer(SearchTally& all) {
    SearchAnswer a;
    a.searched = searched_;
    a.to_search = static_cast<std::int64_t>(units_.size());
    a.candidates = all.candidates;
    a.rejected = all.rejected;
    a.rejected[0] = 0;
    a.infeasible = all.infeasible;
    a.too_risky = all.too_risky;
    a.refused = all.refused;
    std::sort(all.best.begin(), all.best.end(), is_before);
    if (all.best.size() > options_.top) all.best.resize(options_.top);
    // The best of all workers; each alone may have been slower.
    if (all.best.size() == options_.top) incumbents_.offer_last_of_top(all.best.back().objective);
    for (const Candidate& c : all.best) a.best.push_back(found(c));
    a.tie = all.best.empty() ? tie_ : tie_with(all.best[0]);
    count_estimated(all, a);
    if (!a.best.empty()) a.recommended = recommended(all, a);
    a.nearest = found(all.nearest);
    add_front(a);
    const std::size_t axes = kSearchAxes + space_.outer.size();
    for (std::size_t f = 0; f < all.families.size(); ++f) {
      (index_.axis_of(f) < axes ? a.families : a.pairs).push_back(family(all, f));
    }
    return a;
  }

  // Counts candidates against the final incumbents, not those at the time of the estimate.
  void count_estimated(const SearchTally& all, SearchAnswer& a) {
    Front front(front_.aims());
    front_.join(front);
    Admission admission(space_, units_, options_.families ? &index_ : nullptr, incumbents_);
    std::int64_t counted = all.unbounded;
    a.estimated = all.unbounded - all.unbounded_refused;
    for (std::size_t i = 0; i < all.contenders.list.size(); ++i) {
      const Contender& c = all.contenders.list[i];
      if (!admission.may_count(c, all.contenders.aims_of(i), front)) continue;
      ++counted;
      if (c.refused_by >= 0) {
        ++a.refused[static_cast<std::size_t>(c.refused_by)];
        continue;
      }
      ++a.estimated;
      if (options_.ties && is_tie(c.objective, all.best[0].objective, a.tie)) ++a.ties;
    }
    a.pruned = all.feasible - counted;
  }

  void add_front(SearchAnswer& a) {
    Front front(front_.aims());
    front_.join(front);
    std::vector<Candidate> points = front.points();
    std::sort(points.begin(), points.end(), [](const Candidate& x, const Candidate& y) {
      return x.aims != y.aims ? x.aims < y.aims : is_before(x, y);
    });
    for (const Candidate& c : points) {
      a.front.push_back(found(c));
      a.front.back().aims = c.aims;
    }
  }

  Family family(const SearchTally& all, std::size_t f) const {
    const FamilyTally& t = all.families[f];
    Family family = {index_.axis_of(f), index_.value_of(f), t.candidates,  t.legal,
                     t.feasible,        t.rejected,         found(t.best), found(t.nearest)};
    family.rejected[0] = 0;
    return family;
  }

  Strategy strategy_at(const Unit& unit, const Point& point) const {
    const Base& base = space_.bases[unit.base];
    Strategy s = base.run.strategy;
    set_degrees(space_, unit, s);
    set_point(space_, base, point, s);
    return s;
  }

  // Contenders of one unit follow one another.
  Found recommended(const SearchTally& all, const SearchAnswer& a) const {
    const double band = std::min(a.tie, kRecommendationBand);
    Shortlist shortlist;
    Proposal p;
    std::optional<UnitWalk> walk;
    for (const Contender& c : all.contenders.list) {
      if (c.refused_by >= 0 || !is_tie(c.objective, all.best[0].objective, band)) continue;
      const Unit& unit = units_[static_cast<std::size_t>(c.unit)];
      if (p.place.unit != unit.id) {
        walk.emplace(space_, unit);
        p.run = space_.bases[unit.base].run;
      }
      p.place = {unit.id, unit.base, walk->point(c.number)};
      p.run.strategy = strategy_at(unit, p.place.point);
      p.objective = c.objective;
      p.fit_rank = c.fit_rank;
      p.rare = rare_count(p.run);
      shortlist.offer(p);
    }
    return estimated(shortlist.recommended());
  }

  static Found estimated(const Proposal& p) {
    const Answer a = estimate(p.run);
    return {p.place, p.run.strategy, a.step_time, p.objective, {}, a.memory.peak};
  }

  Found found(const Candidate& c) const {
    Found f;
    if (c.unit < 0) return f;
    f.place = {c.unit, unit_of(c).base, c.point};
    f.strategy = strategy_at(unit_of(c), c.point);
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
  SharedFront front_;
  SearchInputs inputs_;
  std::atomic<std::int64_t> searched_{0};
};

}  // namespace

SearchAnswer search(const Space& space, const SearchOptions& options) {
  return Search(space, options).run();
}

}  // namespace orrery
