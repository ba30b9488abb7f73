// SPDX-License-Identifier: Apache-2.0
#include "report/search_points.h"

#include <map>
#include <set>

#include "core/units.h"
#include "document/words.h"
#include "estimate/workspace.h"
#include "explore/space.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

enum class PointKind : std::uint8_t { family, front, best };

std::string value_text(const Space& space, const Found& f, std::size_t axis) {
  if (axis >= kSearchAxes) {
    const std::size_t choice = space.bases[f.place.base].choice[axis - kSearchAxes];
    return axis_text(space, axis, static_cast<std::int64_t>(choice));
  }
  const auto a = static_cast<SearchAxis>(axis);
  if (a == SearchAxis::stage_layers) return f.strategy.listed_stages ? "uneven" : "even";
  return text_of(a, value_of(f.strategy, a));
}

class SearchPoints {
 public:
  explicit SearchPoints(const SearchReport& r) : r_(r), space_(r.request.space) {}

  std::vector<PickPoint> all() {
    for (const ListedStrategy& b : r_.best) add(b.found, PointKind::best);
    for (const Found& f : r_.answer.best) add(f, PointKind::best);
    for (const Found& f : r_.answer.front) add(f, PointKind::front);
    for (const Family& f : r_.answer.families) {
      if (f.best.place.unit >= 0) add(f.best, PointKind::family);
    }
    return std::move(points_);
  }

 private:
  double aim(std::size_t i, const Run& run, const Answer& a) const {
    return r_.request.conditions.pareto[i].expression.value(run, a);
  }

  void add(const Found& f, PointKind kind) {
    if (!drawn_.insert({f.place.unit, f.place.point.number}).second) return;
    Run run = space_.bases[f.place.base].run;
    run.strategy = f.strategy;
    const Answer a = estimate<double>(run, workspace_);
    PickPoint p{strategy_words(space_, f.place.base, f.strategy), static_cast<std::size_t>(kind),
                aim(0, run, a), aim(1, run, a)};
    p.totals = {a.step_time.si(), static_cast<double>(a.memory.peak / kGiB)};
    p.parts.resize(p.totals.size());
    for (const Seconds t : a.breakdown) p.parts[0].push_back(t.si());
    for (const Bytes b : a.memory.lines) p.parts[1].push_back(static_cast<double>(b / kGiB));
    for (std::size_t x = 0; x < kSearchAxes + space_.outer.size(); ++x) {
      p.values.push_back(value_text(space_, f, x));
    }
    points_.push_back(std::move(p));
  }

  const SearchReport& r_;
  const Space& space_;
  Workspace workspace_;
  std::vector<PickPoint> points_;
  std::set<std::pair<std::int64_t, std::int64_t>> drawn_;
};

HeatCell cell_of(const Space& space, const Family& f) {
  if (f.best.place.unit < 0) {
    const char* why = f.legal == 0 ? "illegal" : f.feasible == 0 ? "too big" : "refused";
    return {std::nullopt, why, why};
  }
  return {
      f.best.step_time.si(), significant(f.best.step_time.si(), 4),
      strategy_words(space, f.best.place.base, f.best.strategy) + ": " + pretty(f.best.step_time)};
}

template <class Names>
std::vector<std::string> texts(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

PointsPlot search_points(const SearchReport& r) {
  const Space& space = r.request.space;
  const std::vector<Aim>& aims = r.request.conditions.pareto;
  PointsPlot plot{"Strategies", aims[0].expression.text(), aims[1].expression.text()};
  plot.kinds = {{"best with a value of an axis", 8}, {"on the Pareto front", 0}, {"the best", 1}};
  plot.bars = {{"step", "s", texts(kNamesOf<Term>)},
               {"memory", "GiB", texts(kNamesOf<MemoryLine>),
                static_cast<double>(r.best[0].run.answer.capacity / kGiB)}};
  for (std::size_t a = 0; a < kSearchAxes + space.outer.size(); ++a) {
    plot.columns.push_back(axis_name(space, a));
  }
  plot.points = SearchPoints(r).all();
  return plot;
}

HeatMap search_pairs(const SearchReport& r) {
  const Space& space = r.request.space;
  std::map<std::int64_t, std::map<std::int64_t, HeatCell>> cells;  // by y, by x
  std::set<std::int64_t> xs;
  for (const Family& f : r.answer.pairs) {
    xs.insert(AxisPair::x_of(f.value));
    cells[AxisPair::y_of(f.value)][AxisPair::x_of(f.value)] = cell_of(space, f);
  }
  HeatMap map{"The best of two axes: seconds a step, dark is fast", axis_name(space, r.heat->x),
              axis_name(space, r.heat->y)};
  for (const std::int64_t x : xs) map.xs.push_back(axis_text(space, r.heat->x, x));
  for (auto& [y, row] : cells) {
    map.ys.push_back(axis_text(space, r.heat->y, y));
    std::vector<HeatCell>& of_row = map.cells.emplace_back();
    for (const std::int64_t x : xs) of_row.push_back(row[x]);
  }
  return map;
}

}  // namespace orrery
