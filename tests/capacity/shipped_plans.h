// SPDX-License-Identifier: Apache-2.0
//
// Plans over the shipped configs, answered on one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capacity/capacity.h"
#include "support/runs.h"

namespace orrery::testing {

// "training.tokens" into an object.
inline void set_at(Json& run, const std::string& path, const Json& value) {
  Json* at = &run;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos;
       begin = dot + 1, dot = path.find('.', begin)) {
    at = &(*at)[path.substr(begin, dot - begin)];
  }
  (*at)[path.substr(begin)] = value;
}

inline PlanContext shipped_context() {
  PlanContext c;
  c.lookup = shipped_configs();
  c.run = [](const std::string& name) { return shipped_config("runs", name); };
  c.run_names = [] { return std::vector<std::string>{"gpt3-175b-1024-a100"}; };
  c.site = [](SiteKind kind, const std::string& name) {
    return shipped_config(std::string(name_of(kind)), name);
  };
  c.site_names = [](SiteKind kind) {
    if (kind == SiteKind::switches) return std::vector<std::string>{"qm9700", "sn5600"};
    return std::vector<std::string>{"llama-3", "market-2026"};
  };
  c.set = set_at;
  c.metrics = {{"step_time_s"}, {MetricTrend::rises}, [](std::size_t, const Run&, const Answer& a) {
                 return a.step_time.si();
               }};
  return c;
}

struct AnsweredPlan {
  CapacityPlan plan;
  CapacityAnswer answer;
};

// The plan is kept where the answer points to.
inline std::unique_ptr<AnsweredPlan> answered(const std::string& text) {
  const PlanContext context = shipped_context();
  auto a = std::make_unique<AnsweredPlan>();
  a->plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
  a->answer = answer(a->plan, context);
  return a;
}

}  // namespace orrery::testing
