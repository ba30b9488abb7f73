// SPDX-License-Identifier: Apache-2.0
//
// When each stage begins its step if stages do not wait for each other at its end: steps are
// simulated until two in a row take the same time (estimate/steady.h). Otherwise all begin
// together.
//
// Units: seconds. Errors: none.
#pragma once

#include <algorithm>
#include <vector>

#include "estimate/steady.h"
#include "sim/sweep_step.h"

namespace orrery {

// play(Keep) simulates a step of the plan and returns its StepClock; afterwards, the next call
// returns the step of the steady state.
template <class Play>
void settle(StepPlan& plan, const PassGraph& graph, Play&& play) {
  const std::size_t p = plan.stages.size();
  plan.begins.assign(p, Seconds());
  if (!plan.goes_on) return;
  const StepClock first = play(Keep::passes);
  std::vector<Seconds> ends(p);
  for (std::size_t i = 0; i < p; ++i) {
    const auto n =
        static_cast<std::size_t>(graph.order[static_cast<std::size_t>(graph.order_begin[i])]);
    ends[i] = std::max(Seconds(), first.pass_begin[n] - start_of(plan, i));
  }
  std::vector<Seconds> memory;
  Steady steady(ends, memory);
  std::vector<Seconds> begun;
  do {
    begun = ends;
    plan.begins = begun;
    const StepClock times = play(Keep::stages);
    ends.assign(p, Seconds());
    for (std::size_t a = 0; a < times.stages.size(); ++a) {
      ends[a % p] = std::max(ends[a % p], times.stages[a].end);
    }
  } while (!steady.settles(ends));
  const Seconds earliest = *std::min_element(begun.begin(), begun.end());
  for (std::size_t i = 0; i < p; ++i) plan.begins[i] = begun[i] - earliest;
}

}  // namespace orrery
