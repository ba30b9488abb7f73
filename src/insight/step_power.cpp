// SPDX-License-Identifier: Apache-2.0
#include "insight/step_power.h"

#include "capacity/piece_run.h"
#include "hardware/power.h"
#include "insight/search_report.h"

namespace orrery {
namespace {

double systems_of(const Cluster& c) { return static_cast<double>(system_count(c)); }

}  // namespace

Watts most_drawn(const Cluster& c, const EnergyModel& energy) {
  return most_power(c, systems_of(c) * pue_of(energy));
}

bool keeps_power(const Cluster& c, const PowerQuestion& asked) {
  return most_drawn(c, asked.energy) <= asked.limit;
}

std::optional<Watts> cap_that_keeps(const Cluster& c, const PowerQuestion& asked) {
  return cap_within(c, systems_of(c), asked.limit / pue_of(asked.energy));
}

StepPower step_power(const Run& run, const Answer& answer, const PowerQuestion& asked) {
  OutcomeInputs in;
  in.cluster = run.cluster;
  in.training = exactly(answer.step_time);
  in.load = step_load(answer);
  in.energy = asked.energy;
  const std::vector<PieceRun> step = {{run, 1}};
  return {asked.limit, outcome_of(in), under_power_caps(in, step, asked.limit),
          static_cast<double>(run.training.global_batch * run.training.sequence)};
}

void add_power(const PowerQuestion& asked, SearchReport& report) {
  if (report.best.empty() || report.is_stopped) return;
  const RunReport& first = report.best[0].run;
  report.power = std::make_shared<StepPower>(step_power(first.resolved.run, first.answer, asked));
}

}  // namespace orrery
