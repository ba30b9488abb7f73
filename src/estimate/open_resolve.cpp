// SPDX-License-Identifier: Apache-2.0
#include "estimate/open_resolve.h"

#include <algorithm>
#include <string>
#include <utility>

#include "estimate/least_recompute.h"
#include "estimate/open_load.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

// Steps of the user's own hold what they ran with.
void widen_intervals(const OpenKey& key, ResolvedRun& out) {
  out.memory = widened(out.memory, key.alternatives, &Alternative::memory_ratio);
  if (out.stack) return;
  const StepInterval wide = widened(out.interval, key.alternatives, &Alternative::time_ratio);
  constexpr double kWorthSaying = 1.01;
  if (wide.high > out.interval.high * kWorthSaying || wide.low * kWorthSaying < out.interval.low) {
    out.interval.words += "; the interval is wider, as " + key.path + " is open";
  }
  out.interval.low = out.run.framework.level.interval_low = wide.low;
  out.interval.high = out.run.framework.level.interval_high = wide.high;
}

}  // namespace

void add_open_key(OpenKey key, ResolvedRun& out) {
  widen_intervals(key, out);
  out.open.push_back(std::move(key));
}

void predict_recompute(ResolvedRun& out) {
  Workspace workspace;
  OpenKey key = open_recompute(out.run, workspace);
  const Fact origin{"", "", key.why, Known::open, std::string(out.run.framework.name.view())};
  for (Fact& f : recompute_facts(out.run, origin)) out.assumed.push_back(std::move(f));
  add_open_key(std::move(key), out);
}

void predict_expert_load(ResolvedRun& out) {
  const bool given = std::count(out.training_keys.begin(), out.training_keys.end(),
                                key_name<&Training::expert_load>) > 0;
  if (given) return;
  Workspace workspace;
  std::optional<OpenKey> key = open_expert_load(out.run, workspace);
  if (!key) return;
  key->path = key_path<&Training::expert_load>;
  add_open_key(*std::move(key), out);
}

void choose_recompute(ResolvedRun& out) {
  Workspace workspace;
  for (Fact& f : choose_least_recompute(out.run, workspace)) out.assumed.push_back(std::move(f));
}

}  // namespace orrery
