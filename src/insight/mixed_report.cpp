// SPDX-License-Identifier: Apache-2.0
#include "insight/mixed_report.h"

#include <algorithm>

#include "document/words.h"
#include "estimate/mixed_document.h"
#include "estimate/mixed_estimate.h"
#include "estimate/run.h"
#include "parallel/stages.h"

namespace orrery {

MixedReport mixed_report_on(ResolvedMixed resolved) {
  MixedReport r;
  MixedWorkspace w;
  r.answer = estimate_mixed<double>(resolved.run, w);
  r.whole.resolved = resolved.whole;
  r.whole.resolved.run = run_of_all(resolved.run, r.answer.busy_kind);
  const ResolvedRun& fullest = resolved.kinds[r.answer.memory_kind];
  r.whole.resolved.run.memory_risk = fullest.run.memory_risk;
  r.whole.resolved.memory = fullest.memory;
  r.whole.answer = r.answer.answer;
  r.resolved = std::move(resolved);
  return r;
}

RunReport report_on_either(const Json& run, const std::string& file, const ConfigLookup& lookup,
                           const std::vector<Fact>& changes) {
  if (has_groups(run)) return mixed_report_on(resolve_mixed(run, file, lookup, changes)).whole;
  return report_on(resolve_run(run, file, lookup, changes));
}

std::vector<std::string> reasons_of(const MixedReport& r) {
  std::vector<std::string> reasons;
  for (const StageSeat& s : r.answer.seats) {
    if (!(s.peak > s.capacity)) continue;
    reasons.push_back("stage " + std::to_string(s.stage) + " on " + r.resolved.names[s.kind] +
                      " needs " + fixed(s.peak / kGiB, 1) + " GiB of the " +
                      fixed(s.capacity / kGiB, 1) + " GiB of its device");
  }
  if (r.answer.answer.reason == Reason::host_memory) {
    reasons.push_back("a host needs " + fixed(r.answer.answer.host_needed / kGiB, 1) +
                      " GiB of its " + fixed(r.answer.answer.host_capacity / kGiB, 1) + " GiB");
  }
  return reasons;
}

namespace {

// Kinds in the order of the stages of the first replicas that hold them.
std::vector<std::size_t> kinds_in_order(const MixedRun& run) {
  std::vector<std::size_t> kinds;
  for (const ReplicaClass& c : run.replicas) {
    for (const std::size_t k : c.kind_of_stage) {
      if (std::find(kinds.begin(), kinds.end(), k) == kinds.end()) kinds.push_back(k);
    }
  }
  return kinds;
}

}  // namespace

std::string layout_words(const ResolvedMixed& r) {
  const Strategy& s = r.run.kinds.front().strategy;
  const bool holds_stages = r.run.replicas.size() == 1;
  std::vector<std::string> groups;
  for (const std::size_t k : kinds_in_order(r.run)) {
    groups.push_back(r.names[k] + " tp " + grouped(r.run.kinds[k].strategy.tp));
  }
  return joined(groups, holds_stages ? " → " : " ‖ ") + ", pp " + grouped(s.pp) + ", dp " +
         grouped(s.dp) + ", batch " + grouped(s.micro_batch) + ", recompute " +
         std::string(name_of(s.recompute));
}

const std::string& name_of_kind(const MixedReport& r, std::size_t kind) {
  return r.resolved.names[kind];
}

std::int64_t layers_of_stage(const MixedReport& r, std::int64_t stage) {
  const Run& run = r.resolved.run.kinds.front();
  std::int64_t layers = 0;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const LayerRange range = layers_of(run.strategy, run.model, part);
    layers += range.end - range.first;
  });
  return layers;
}

}  // namespace orrery
