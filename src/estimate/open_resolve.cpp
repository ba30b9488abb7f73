// SPDX-License-Identifier: Apache-2.0
#include "estimate/open_resolve.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/least_recompute.h"
#include "estimate/open_load.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "estimate/workspace.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// The keys that recompute_facts() may give.
constexpr std::array kRecomputeKeys = {key_path<&Strategy::recompute>,
                                       key_path<&Strategy::recompute_method>,
                                       key_path<&Strategy::recompute_layers>};

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

void note_recompute(const OpenKey& key, ResolvedRun& out) {
  const Fact origin{"", "", key.why, Known::open, std::string(out.run.framework.name.view())};
  for (Fact& f : recompute_facts(out.run, origin)) out.assumed.push_back(std::move(f));
}

}  // namespace

void add_open_key(OpenKey key, ResolvedRun& out) {
  widen_intervals(key, out);
  out.open.push_back(std::move(key));
}

void predict_recompute(ResolvedRun& out) {
  Workspace workspace;
  OpenKey key = open_recompute(out.run, workspace);
  note_recompute(key, out);
  add_open_key(std::move(key), out);
}

// The intervals feel the alternatives already.
void predict_recompute_beside(Bytes others, ResolvedRun& out) {
  Workspace workspace;
  Run with_less = out.run;
  with_less.cluster.device.memory_capacity -= others;
  OpenKey key = open_recompute(with_less, workspace);
  out.run.strategy = with_less.strategy;
  Json inputs = *out.inputs;
  for (const char* path : kRecomputeKeys) {
    erase_at(inputs, path);
    std::erase_if(out.assumed, [&](const Fact& f) { return f.path == path; });
  }
  note_recompute(key, out);
  for (const Fact& f : recompute_facts(out.run, {})) set_at(inputs, f.path, json_or_text(f.value));
  out.inputs = std::move(inputs);
  for (OpenKey& old : out.open) {
    if (old.path == key.path) old = key;
  }
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
