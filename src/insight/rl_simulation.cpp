// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_simulation.h"

#include <algorithm>

namespace orrery {
namespace {

double idle_of(const PlayedSteps& played, std::size_t group) {
  Seconds begin{};
  Seconds end{};
  Seconds busy{};
  bool is_first = true;
  for (const RlSpan& s : played.spans) {
    if (s.group != group) continue;
    if (is_first) begin = s.begin;
    is_first = false;
    busy += s.end - s.begin;
    end = std::max(end, s.end);
  }
  const Seconds all = end - begin;
  return all > Seconds() ? std::max(0.0, 1 - busy / all) : 0;
}

}  // namespace

RlSimulation rl_simulation(RlReport report, std::int64_t steps, std::uint64_t seed) {
  RlSimulation s{std::move(report), {}, {}};
  const bool is_played = !s.report.learner.resolved.rl->generates || s.report.step.rollout.fits;
  if (!is_played) return s;
  s.played = play_steps(s.report.learner.resolved, s.report.step, steps, seed);
  for (std::size_t g = 0; g < s.played.groups; ++g) s.idle.push_back(idle_of(s.played, g));
  return s;
}

}  // namespace orrery
