// SPDX-License-Identifier: Apache-2.0
#include "estimate/balanced_stages.h"

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "estimate/mixed_balance.h"
#include "estimate/resolve.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// The run as a cluster of one group.
MixedRun as_mixed(const Run& run) {
  const Strategy& s = run.strategy;
  MixedRun m;
  m.kinds = {run};
  m.gpus = {run.cluster.gpus};
  m.links.resize(1);
  m.replicas = {
      {std::vector<std::size_t>(static_cast<std::size_t>(s.pp), 0), s.dp, s.micro_batches}};
  m.micro_batches = s.micro_batches * s.dp;
  return m;
}

void check_schedule(const ResolvedRun& out) {
  const Strategy& s = out.run.strategy;
  if (s.vpp == 1 && copies_of_model(schedule_of(out.run).layout()) == 1) return;
  throw InputError(ErrorCode::broken_rule, out.file, key_path<&StrategyRequest::stage_layers>,
                   "balanced stages of several chunks or copies of the model",
                   "a list of layers, or a schedule with one chunk a stage");
}

}  // namespace

void balance_stages(ResolvedRun& out) {
  check_schedule(out);
  MixedRun mixed = as_mixed(out.run);
  MixedWorkspace workspace;
  fill_mixed<double>(mixed, workspace);
  const std::optional<std::vector<std::int16_t>> layers = balanced_layers(mixed, workspace);
  const char* path = key_path<&StrategyRequest::stage_layers>;
  if (!layers) {
    out.assumed.push_back({key_path<&StrategyRequest::layer_split>,
                           std::string(name_of(out.run.strategy.layer_split)),
                           "no split of the layers over these stages fits", Known::chosen, ""});
    return;
  }
  set_layers(*layers, mixed);
  out.run.strategy = mixed.kinds.front().strategy;
  const auto end = layers->begin() + out.run.strategy.pp;
  out.assumed.push_back({path, Json(std::vector<std::int64_t>(layers->begin(), end)).dump(),
                         "balanced by time and memory", Known::chosen, ""});
}

}  // namespace orrery
