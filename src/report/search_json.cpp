// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "explore/search.h"
#include "explore/space_json.h"
#include "insight/best_words.h"
#include "insight/step_power.h"
#include "report/estimate.h"
#include "report/frame_json.h"
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
  return with_strategy(r.frees ? *r.besides : Json::object(), space, f.place.base, f.strategy);
}

Json aim_json(const Aim& aim) {
  return {{aim.maximize ? "maximize" : "minimize", aim.expression.text()}};
}

// The trade between the aims; the first of each kind by step, memory and place.
Json pareto_json(const SearchReport& r) {
  const std::vector<Aim>& aims = r.request.conditions.pareto;
  const auto point_json = [&](const Found& f) -> Json {
    Json values = Json::array();
    for (std::size_t i = 0; i < aims.size(); ++i) {
      values.push_back(aims[i].maximize ? -f.aims[i] : f.aims[i]);
    }
    return {{"values", values},
            {"step_time_s", f.step_time.si()},
            {"peak_gib", gib(f.peak)},
            {"strategy", found_keys(r, f)}};
  };
  return {{"aims", json_list(aims, aim_json)}, {"front", json_list(r.answer.front, point_json)}};
}

Json one_of_best(const SearchReport& r, const RunReport& run, const Found& found,
                 const std::string& why) {
  Json j;
  if (!why.empty()) j["why"] = why;
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
    const auto& o = r.request.conditions.objective;
    const double value = f.family.best.objective;
    if (o && std::isfinite(value)) j["objective_value"] = stated_value(*o, value);
    j["strategy"] = found_keys(r, f.family.best);
  } else if (f.family.legal > 0) {
    j["least_peak_gib"] = gib(f.family.nearest.peak);
  }
  j["reason"] = f.reason;
  return j;
}

}  // namespace

namespace {

Json step_power_json(Watts cap, const Outcome& x, Watts limit) {
  return {{"cap_w", cap.si()},
          {"step_time_s", x.wall.si()},
          {"energy_kwh", x.energy.facility.si() / kKilowattHour.si()},
          {"gpus_kwh", x.energy.devices.si() / kKilowattHour.si()},
          {"peak_w", x.energy.peak.si()},
          {"within_limit", x.energy.peak <= limit}};
}

Json power_json(const SearchReport& r) {
  const StepPower& p = *r.power;
  const Watts own = cap_of(r.best[0].run.resolved.run.cluster);
  Json j = {{"limit_w", p.limit.si()}, {"own", step_power_json(own, p.own, p.limit)}};
  j["others"] = json_list(
      p.others, [&](const PowerCapped& o) { return step_power_json(o.cap, o.outcome, p.limit); });
  return j;
}

}  // namespace

Json search_json(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  Json j;
  j["feasible"] = !r.best.empty();
  if (r.frees) {
    j["held"] = json_list(r.held, [](const HeldKey& h) -> Json {
      return {{"path", h.path}, {"value", h.value}, {"by", h.by}};
    });
    j["switches"] = {{"layouts", r.switch_layouts}, {"set", settings_json(r.switches)}};
  }
  if (r.is_stopped) j["stopped"] = {{"searched", a.searched}, {"of", a.to_search}};
  j["candidates"] = a.candidates;
  j["rejected"] = rejected_json(a.rejected);
  for (std::size_t i = 0; i < a.refused.size(); ++i) {
    j["refused"][r.request.conditions.constraints[i].text()] = a.refused[i];
  }
  if (r.fewest_gpus > 0) j["fewest_gpus"] = r.fewest_gpus;
  for (const NotTried& l : r.left_out) {
    j["left_out"].push_back({{"axis", key_of(l.axis)}, {"values", l.values}});
  }
  j["does_not_fit"] = a.infeasible;
  j["too_risky"] = a.too_risky;
  j["pruned_by_bound"] = a.pruned;
  j["estimated"] = a.estimated;
  j["ties"] = {{"count", a.ties}, {"factor", a.tie}};
  if (const auto& o = r.request.conditions.objective) j["objective"] = aim_json(*o);
  j["best"] = Json::array();
  for (const ListedStrategy& b : r.best) j["best"].push_back(one_of_best(r, b.run, b.found, b.why));
  if (!r.best.empty()) j["fastest"] = r.fastest;
  for (const RunReport& run : r.nearest) j["nearest"] = one_of_best(r, run, r.answer.nearest, "");
  for (const Elasticity& e : r.elasticities) j["elasticity"][std::string(e.key)] = e.value;
  for (const Refined& f : r.refined) {
    j["refined"].push_back({{"estimated_s", f.estimated.si()}, {"simulated_s", f.simulated.si()}});
  }
  if (r.power) j["power"] = power_json(r);
  if (r.own) {
    j["own"] = estimate_json(*r.own);
    j["own"]["against_best"] = r.own_difference;
  }
  if (!r.own_refusal.empty()) j["own_refusal"] = r.own_refusal;
  if (!r.request.conditions.pareto.empty()) j["pareto"] = pareto_json(r);
  j["families"] = json_list(r.families, [&](const FamilyReport& f) { return family_json(r, f); });
  return versioned(std::move(j));
}

}  // namespace orrery
