// SPDX-License-Identifier: Apache-2.0
#include "insight/memory_relief.h"

#include <algorithm>
#include <array>

#include "estimate/estimate.h"
#include "estimate/risk.h"
#include "explore/axes_json.h"
#include "insight/run_report.h"
#include "insight/settings.h"
#include "insight/shown_bytes.h"

namespace orrery {
namespace {

// Recompute that is open stays as the run has it, and is named.
std::vector<Setting> settings_of(const ResolvedRun& from, const Run& to) {
  std::vector<Setting> all = differences(from.run, to, from.parallel_keys);
  if (recompute_choice(to.strategy) != recompute_choice(from.run.strategy)) return all;
  for (Setting& s : chosen_recompute(from)) all.push_back(std::move(s));
  return all;
}

}  // namespace

std::optional<Advice> memory_relief(const RunReport& r, Bytes needed) {
  const Run& run = r.resolved.run;
  const double missed = std::max(1.0, double(needed / r.answer.memory.allocated));
  const FrameworkLimits limits = framework_limits(r.resolved);
  std::optional<Advice> best;
  for (const Move move : kMoves) {
    Run changed = run;
    if (!make_neighbour(std::array{move}, changed)) continue;
    if (goes_beyond(limits, run.strategy, changed.strategy)) continue;
    const Answer a = estimate(changed);
    const bool fits = a.reason == Reason::fits &&
                      a.memory.needed * missed <= a.capacity * changed.memory_risk.share;
    if (!fits || (best && best->step_time <= a.step_time)) continue;
    best = Advice{settings_of(r.resolved, changed), true,          a.step_time,
                  shown_bytes(changed, a),          a.host_needed, fit_probability(changed, a)};
  }
  return best;
}

}  // namespace orrery
