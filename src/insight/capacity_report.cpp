// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_report.h"

#include <algorithm>

#include "model/operators.h"

namespace orrery {

bool is_answered(const CapacityReport& r) {
  if (r.answer.requirements.empty()) return !r.answer.ranked.empty();
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [](const RequirementAnswer& a) { return !a.met.empty(); });
}

bool meets_all_surely(const CapacityReport& r, std::size_t option) {
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [&](const RequirementAnswer& a) {
                       Requirement q = a.requirement;
                       q.sure = true;
                       return standing(q, r.answer.options[option]) != Standing::misses;
                     });
}

std::optional<std::size_t> best_option(const CapacityReport& r) {
  if (r.answer.ranked.empty()) return {};
  const std::size_t first = r.answer.ranked.front();
  if (standing(r.plan, r.answer.options[first]) != Standing::misses) return first;
  for (const RequirementAnswer& a : r.answer.requirements) {
    if (a.nearest) return a.nearest;
  }
  return first;
}

double parameters_of(const OptionAnswer& o) {
  const Run& run = o.run->run;
  return static_cast<double>(parameter_count(run.model, run.training.sequence).total);
}

std::optional<std::size_t> largest_model(const CapacityReport& r, const RequirementAnswer& a) {
  std::optional<std::size_t> most;
  for (const std::size_t i : a.met) {
    const OptionAnswer& o = r.answer.options[i];
    if (o.model.empty()) return {};
    if (!most || parameters_of(o) > parameters_of(r.answer.options[*most])) most = i;
  }
  return most;
}

std::vector<TimeCause> time_causes(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double ideal = o.training.time.value / o.outcome.training;
  std::vector<TimeCause> causes;
  for (const TimeCause& c :
       {TimeCause{"training", ideal}, TimeCause{"stragglers", 1 - ideal},
        TimeCause{"checkpoints", g.checkpoint}, TimeCause{"lost work", g.lost_work},
        TimeCause{"detection", g.detection}, TimeCause{"restart", g.restart},
        TimeCause{"no spare", g.spares}, TimeCause{"planned stops", g.planned}}) {
    if (c.share > 0) causes.push_back(c);
  }
  return causes;
}

bool is_worth_showing(const Sensitivity& s) {
  constexpr double kThousandth = 1e-3;
  return width_of(s) > kThousandth;
}

double mfu_of(const Answer& a) { return a.model_flops / a.step_time / a.peak_rate; }

}  // namespace orrery
