// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"
#include "explore/axis_keys.h"
#include "orrery/version.h"
#include "report/estimate_json.h"
#include "report/search.h"

namespace orrery {
namespace {

Json rejected_json(const std::array<std::int64_t, kRules + 1>& rejected) {
  Json j = Json::object();
  for (std::size_t i = 1; i <= kRules; ++i) {
    if (rejected[i] > 0) j[std::string(rule_of(static_cast<RuleId>(i)).name)] = rejected[i];
  }
  return j;
}

// The keys of a strategy, and what the outer axes say.
Json found_keys(const SearchReport& r, const Found& f) {
  const Space& space = r.request.space;
  return with_strategy(Json::object(), space, f.place.base, f.strategy);
}

Json aim_json(const Aim& aim) {
  return {{aim.maximize ? "maximize" : "minimize", aim.expression.text()}};
}

// The trade between the aims; the first of each kind by step, memory and place.
Json pareto_json(const SearchReport& r) {
  Json j = {{"aims", Json::array()}, {"front", Json::array()}};
  const std::vector<Aim>& aims = r.request.conditions.pareto;
  for (const Aim& aim : aims) j["aims"].push_back(aim_json(aim));
  for (const Found& f : r.answer.front) {
    Json point;
    point["values"] = Json::array();
    for (std::size_t i = 0; i < aims.size(); ++i) {
      point["values"].push_back(aims[i].maximize ? -f.aims[i] : f.aims[i]);
    }
    point["step_time_s"] = f.step_time.si();
    point["peak_gib"] = static_cast<double>(f.peak / kGiB);
    point["strategy"] = found_keys(r, f);
    j["front"].push_back(std::move(point));
  }
  return j;
}

Json one_of_best(const SearchReport& r, const RunReport& run, const Found& found) {
  Json j;
  j["strategy"] = found_keys(r, found);
  j.update(estimate_json(run));
  if (const auto& o = r.request.conditions.objective) {
    j["objective_value"] = o->expression.value(run.resolved.run, run.answer);
  }
  return j;
}

Json value_json(const Space& space, std::size_t axis, std::int64_t value) {
  if (axis >= kSearchAxes) {
    return space.outer[axis - kSearchAxes].values->at(static_cast<std::size_t>(value));
  }
  if (static_cast<SearchAxis>(axis) == SearchAxis::sequence_parallel) return value != 0;
  if (is_of_words(static_cast<SearchAxis>(axis))) return axis_text(space, axis, value);
  return value;
}

Json family_json(const SearchReport& r, const FamilyReport& f) {
  Json j;
  const Space& space = r.request.space;
  j["axis"] = axis_name(space, f.family.axis);
  j["value"] = value_json(space, f.family.axis, f.family.value);
  j["candidates"] = f.family.candidates;
  j["legal"] = f.family.legal;
  j["fit"] = f.family.feasible;
  if (f.family.best.place.unit >= 0) {
    j["step_time_s"] = f.family.best.step_time.si();
    j["slowdown"] = f.slowdown;
    j["strategy"] = found_keys(r, f.family.best);
  } else if (f.family.legal > 0) {
    j["least_peak_gib"] = static_cast<double>(f.family.nearest.peak / kGiB);
  }
  j["reason"] = f.reason;
  return j;
}

}  // namespace

Json search_json(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  Json j;
  j["schema_version"] = kSchemaVersion;
  j["feasible"] = !r.best.empty();
  j["candidates"] = a.candidates;
  j["rejected"] = rejected_json(a.rejected);
  for (std::size_t i = 0; i < a.refused.size(); ++i) {
    j["refused"][r.request.conditions.constraints[i].text()] = a.refused[i];
  }
  j["does_not_fit"] = a.infeasible;
  j["pruned_by_bound"] = a.pruned;
  j["estimated"] = a.estimated;
  j["ties"] = {{"count", a.ties}, {"factor", a.tie}};
  if (const auto& o = r.request.conditions.objective) j["objective"] = aim_json(*o);
  j["best"] = Json::array();
  for (std::size_t i = 0; i < r.best.size(); ++i) {
    j["best"].push_back(one_of_best(r, r.best[i], r.answer.best[i]));
  }
  for (const RunReport& run : r.nearest) j["nearest"] = one_of_best(r, run, r.answer.nearest);
  for (const Elasticity& e : r.elasticities) j["elasticity"][std::string(e.key)] = e.value;
  for (const Refined& f : r.refined) {
    j["refined"].push_back({{"estimated_s", f.estimated.si()}, {"simulated_s", f.simulated.si()}});
  }
  if (r.own) {
    j["own"] = estimate_json(*r.own);
    j["own"]["against_best"] = r.own_difference;
  }
  if (!r.request.conditions.pareto.empty()) j["pareto"] = pareto_json(r);
  j["families"] = Json::array();
  for (const FamilyReport& f : r.families) j["families"].push_back(family_json(r, f));
  j["tool_version"] = kVersion;
  return j;
}

}  // namespace orrery
