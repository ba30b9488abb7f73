// SPDX-License-Identifier: Apache-2.0
#include "insight/listed_strategies.h"

#include <algorithm>
#include <tuple>

#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "explore/incumbents.h"
#include "explore/recommend.h"
#include "insight/best_words.h"
#include "insight/simulation_report.h"
#include "sim/simulate.h"

namespace orrery {
namespace {

bool is_same(const Found& a, const Found& b) {
  return a.place.unit == b.place.unit && a.place.point.number == b.place.point.number;
}

// Two strategies of one kind are near copies: they differ in chunks, micro batch or numbers of
// layers alone.
auto kind_of(const Found& f) {
  const Strategy& s = f.strategy;
  return std::tuple(f.place.base, s.tp, s.cp, s.pp, s.ep, s.recompute, s.zero == 3);
}

// The best of each value of each axis within the error bar, the best first.
std::vector<Found> best_of_families(const SearchAnswer& a) {
  std::vector<Found> all;
  for (const Family& f : a.families) {
    if (f.best.place.unit < 0 || !is_tie(f.best.objective, a.best[0].objective, a.tie)) continue;
    all.push_back(f.best);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& x, const Found& y) { return x.objective < y.objective; });
  return all;
}

std::string fit_text(const RunReport& r) {
  return probability_words(fit_probability(r.resolved.run, r.answer));
}

// The advantage of the recommended strategy over the best, in the order of recommend.h.
std::string preferred(const RunReport& r, const RunReport& best) {
  const Run& run = r.resolved.run;
  if (fit_rank(run, r.answer) < fit_rank(best.resolved.run, best.answer)) {
    return "fits more surely, with " + fit_text(r) + " beside " + fit_text(best);
  }
  std::vector<std::string> without;
  const std::vector<std::string> rare = rare_switches(run);
  for (const std::string& name : rare_switches(best.resolved.run)) {
    if (std::find(rare.begin(), rare.end(), name) == rare.end()) without.push_back(name);
  }
  if (!without.empty()) return "without " + joined(without, ", ");
  return "loses less where the hardware is worse than stated";
}

// "tp 8, no pipeline": how one differs from another in what makes its kind.
std::string kind_words(const Found& f, const Found& from) {
  const Strategy& s = f.strategy;
  const Strategy& other = from.strategy;
  std::vector<std::string> parts;
  const auto degree = [&](const char* name, std::int64_t a, std::int64_t b, const char* none) {
    if (a != b) parts.push_back(a == 1 ? none : name + std::string(" ") + std::to_string(a));
  };
  if (f.place.base != from.place.base) parts.emplace_back("another run of the outer axes");
  degree("tp", s.tp, other.tp, "no tensor parallel");
  degree("cp", s.cp, other.cp, "no context parallel");
  degree("pp", s.pp, other.pp, "no pipeline");
  degree("ep", s.ep, other.ep, "no expert parallel");
  if (s.recompute != other.recompute) {
    parts.push_back("recompute " + std::string(name_of(s.recompute)));
  }
  if ((s.zero == 3) != (other.zero == 3)) parts.push_back("ZeRO " + std::to_string(s.zero));
  return joined(parts, ", ");
}

// The number of the first one listed before that is of the same kind; 0: none is.
std::size_t like_number(const SearchReport& r, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    if (kind_of(r.best[j].found) == kind_of(r.best[i].found)) return j + 1;
  }
  return 0;
}

std::string why_listed(const SearchReport& r, std::size_t i) {
  const ListedStrategy& one = r.best[i];
  const ListedStrategy& best = r.best[r.fastest];
  const Conditions& c = r.request.conditions;
  if (i == 0 && r.fastest == 0) return "recommended, and " + the_best(c);
  const std::string worse = loss_words(c, loss(one.found.objective, best.found.objective));
  if (i == 0) return "recommended, " + worse + ": " + preferred(one.run, best.run);
  if (i == r.fastest) return the_best(c) + "; fits with " + fit_text(one.run);
  if (const std::size_t like = like_number(r, i); like > 0) {
    return "a near copy of " + std::to_string(like) + ", " + worse;
  }
  return "another kind, " + worse + ": " + kind_words(one.found, r.best[0].found) + ", " +
         gib_text(one.run.answer.memory.peak, 1);
}

}  // namespace

std::vector<Found> listed_strategies(const SearchAnswer& a, std::size_t top) {
  std::vector<Found> list = {a.recommended};
  const auto has = [&list](const auto& is_like) {
    return std::any_of(list.begin(), list.end(), is_like);
  };
  const auto add = [&](const Found& f, bool of_another_kind) {
    if (list.size() >= std::max<std::size_t>(top, 2)) return;
    const bool is_known = has([&](const Found& g) {
      return is_same(f, g) || (of_another_kind && kind_of(f) == kind_of(g));
    });
    if (!is_known) list.push_back(f);
  };
  add(a.best[0], false);
  for (const Found& f : best_of_families(a)) add(f, true);
  for (const Found& f : a.best) add(f, false);
  return list;
}

void explain_listed(SearchReport& r) {
  r.fastest = is_same(r.best[0].found, r.answer.best[0]) ? 0 : 1;
  for (std::size_t i = 0; i < r.best.size(); ++i) r.best[i].why = why_listed(r, i);
}

void simulate_listed(SearchReport& r, std::size_t n) {
  for (std::size_t i = 0; i < std::min(n, r.best.size()); ++i) {
    const RunReport& run = r.best[i].run;
    check_playable(run.resolved);
    r.refined.push_back({run.answer.step_time, simulate(run.resolved.run, {}).answer.step_time});
  }
}

}  // namespace orrery
