// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_report.h"

#include <algorithm>

#include "core/units.h"
#include "estimate/risk.h"
#include "insight/settings.h"
#include "model/operators.h"

namespace orrery {

bool is_answered(const CapacityReport& r) {
  if (r.answer.requirements.empty()) return !r.answer.ranked.empty();
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [](const RequirementAnswer& a) { return !a.met.empty(); });
}

bool meets_all_surely(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  if (!fits_at_risk(o)) return false;
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [&](const RequirementAnswer& a) {
                       Requirement q = a.requirement;
                       q.sure = true;
                       return standing(q, o) != Standing::misses;
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
        TimeCause{"no spare", g.spares}, TimeCause{"a replica away", g.away},
        TimeCause{"slow nodes", g.slow}, TimeCause{"planned stops", g.planned}}) {
    if (c.share > 0) causes.push_back(c);
  }
  return causes;
}

std::vector<ClassCost> class_costs(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double days = (g.detection + g.restart + g.lost_work) * (o.outcome.training / kDay);
  const double slow_days = g.slow * (o.outcome.training / kDay);
  const PerSecond all = rate_per_gpu(o.inputs.interruptions);
  const PerSecond slow = slow_rate_per_gpu(o.inputs.interruptions);
  std::vector<ClassCost> costs;
  for (const FailureClass& c : o.inputs.interruptions.classes) {
    if (is_failure(c)) {
      const double share = all.si() > 0 ? double(c.rate / all) : 0;
      costs.push_back({&c, share * o.outcome.failures, share * days});
    } else {
      const auto gpus = static_cast<double>(working_gpus(o.inputs));
      costs.push_back({&c, c.rate * gpus * o.outcome.wall, double(c.rate / slow) * slow_days});
    }
  }
  return costs;
}

UnitCosts unit_costs_of(const OptionAnswer& o, double amount) {
  constexpr double kExa = 1e18;
  return {amount / (o.training.tokens / 1e6), amount / (o.training.model_flops.si() / kExa),
          amount / gpu_hours(o.inputs, o.outcome.wall)};
}

TokenYield token_yield(const OptionAnswer& o) {
  const Outcome& x = o.outcome;
  const double tokens = o.training.tokens;
  return {tokens / (x.energy.facility.si() / kKilowattHour.si()),
          tokens / (x.wall / kDay) / (x.energy.peak.si() / 1e6)};
}

bool is_worth_showing(const Sensitivity& s) {
  constexpr double kThousandth = 1e-3;
  return width_of(s) > kThousandth;
}

std::string command_of(const OptionAnswer& o) {
  if (o.plan == nullptr || o.plan->achieved || o.status != OptionStatus::fits) return "";
  const PhasePlan& phase = o.plan->phases.front();
  std::vector<Setting> changes = settings_between(*phase.base, *o.document);
  if (o.run && !o.rl) {
    for (Setting& s : chosen_recompute(*o.run)) changes.push_back(std::move(s));
  }
  const std::string settings = typed(changes);
  return "orrery estimate" + (phase.base_name.empty() ? "" : " " + quoted(phase.base_name)) +
         (settings.empty() ? "" : " " + settings);
}

bool host_holds_checkpoint(const OptionAnswer& o) {
  const Bytes capacity = o.answer.host_capacity;
  if (o.inputs.policy.mode == CheckpointMode::synchronous || capacity <= Bytes()) return true;
  return o.outcome.largest.checkpoint.per_node + o.answer.host_needed <= capacity;
}

double mfu_of(const Answer& a) { return a.model_flops / a.step_time / a.peak_rate; }

}  // namespace orrery
