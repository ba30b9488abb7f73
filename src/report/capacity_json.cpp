// SPDX-License-Identifier: Apache-2.0
#include "orrery/version.h"
#include "report/capacity_option_json.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

Json index_or_null(const std::optional<std::size_t>& i) {
  if (!i) return nullptr;
  return *i;
}

Json requirement_json(const RequirementAnswer& a) {
  const Requirement& q = a.requirement;
  Json j = {{"name", q.name},
            {"deadline_days", nullptr},
            {"budget", nullptr},
            {"power_mw", nullptr},
            {"sure", q.sure},
            {"met_by", a.met},
            {"met_but_for_a_missing_price", a.unpriced},
            {"smallest", index_or_null(a.smallest)},
            {"nearest", index_or_null(a.nearest)},
            {"nearest_lacks", a.nearest ? a.nearest_text : ""}};
  if (q.deadline) j["deadline_days"] = in_days(*q.deadline);
  if (q.budget) j["budget"] = q.budget->amount();
  if (q.power) j["power_mw"] = q.power->si() / 1e6;
  return j;
}

Json tried_json(const SizesTried& t) {
  return {{"scenario", t.scenario}, {"model", t.model},      {"searched", t.searched},
          {"tried", t.tried},       {"refused", t.refused},  {"least_gpus", t.least},
          {"most_gpus", t.most},    {"left_out", t.left_out}};
}

}  // namespace

Json capacity_json(const CapacityReport& r) {
  Json options = Json::array();
  for (const OptionAnswer& o : r.answer.options) options.push_back(option_json(r, o));
  Json requirements = Json::array();
  for (const RequirementAnswer& a : r.answer.requirements) {
    requirements.push_back(requirement_json(a));
  }
  Json tried = Json::array();
  for (const SizesTried& t : r.answer.sizes_tried) tried.push_back(tried_json(t));
  Json even = Json::array();
  for (const BreakEven& b : r.answer.break_evens) {
    even.push_back({{"option", b.option}, {"rent_per_gpu_hour", (b.rent * kHour).amount()}});
  }
  return {{"schema", kSchemaVersion},
          {"version", kVersion},
          {"name", r.plan.name},
          {"currency", r.plan.currency.text()},
          {"rank", name_of(r.answer.rank)},
          {"options", options},
          {"ranked", r.answer.ranked},
          {"pareto_front", r.answer.front},
          {"requirements", requirements},
          {"sizes_tried", tried},
          {"break_even_with_best", even}};
}

}  // namespace orrery
