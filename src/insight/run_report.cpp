// SPDX-License-Identifier: Apache-2.0
#include "insight/run_report.h"

#include <algorithm>
#include <utility>

#include "core/json.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/fits_at_risk.h"
#include "estimate/links.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "insight/limiter.h"
#include "insight/switches.h"

namespace orrery {
namespace {

std::string device_reason(const Answer& a) {
  return "memory: stage " + std::to_string(a.memory_stage) + " needs " +
         gib_text(a.memory.peak, 1) + ", the device has " + gib_text(a.capacity, 1) +
         "; the largest part is " + largest_line(a.memory);
}

std::string host_reason(const Answer& a) {
  return "host memory: a node needs " + gib_text(a.host_needed, 1) +
         " for what is offloaded, it has " + gib_text(a.host_capacity, 1);
}

}  // namespace

RunReport report_on(ResolvedRun resolved) {
  RunReport r{std::move(resolved), {}, {}, {}, {}};
  Workspace workspace;
  r.answer = estimate<double>(r.resolved.run, workspace);
  r.stages = memory_by_stage(r.resolved.run, workspace);
  return r;
}

namespace {

// "2xA800" is two GPUs; with another number of them the node is what it is called here.
void name_node(const Json& run, const std::vector<Fact>& changes, Remedy& remedy) {
  constexpr const char* kNodeOfRun = key_path<&ClusterRequest::node>;
  const Fact* named = find_fact(changes, kNodeOfRun);
  const bool is_part = !value_at(run, "cluster.devices_per_node").is_null();
  if (named == nullptr || is_part || !named->where.starts_with(kNameOf)) return;
  remedy.settings.insert(remedy.settings.begin(), {kNodeOfRun, named->value});
}

}  // namespace

RunReport report_with_remedy(const Json& run, const std::string& file, const ConfigLookup& lookup,
                             const std::vector<Fact>& changes) {
  RunReport r = report_on(resolve_run(run, file, lookup, changes));
  r.switches = switch_advice(run, r.resolved, r.answer, lookup);
  if (is_feasible(r) || r.resolved.run.own_order) return r;
  r.remedy = strategy_that_fits(run, file, lookup);
  if (!r.remedy && first_that_fits(advice_of(r)) == nullptr) {
    r.remedy = with_more_host_memory(r.resolved);
  }
  if (!r.remedy) r.remedy = fewest_gpus(run, file, lookup);
  if (r.remedy && r.remedy->gpus != r.resolved.run.cluster.gpus) {
    name_node(run, changes, *r.remedy);
  }
  return r;
}

namespace {

constexpr std::ptrdiff_t kSecond = 1;

// The fastest few. A run that is not sure to fit has the fastest that is among the first two, which
// the short answer shows.
void keep_best(std::vector<Advice>& all, bool wants_surer) {
  const auto surer = std::find_if(all.begin(), all.end(), [](const Advice& a) { return a.fits; });
  if (wants_surer && surer != all.end() && surer - all.begin() > kSecond) {
    std::rotate(all.begin() + kSecond, surer, surer + 1);
  }
  if (all.size() > kMostAdvice) all.resize(kMostAdvice);
}

}  // namespace

std::vector<Advice> advice_of(const RunReport& r) {
  std::vector<Advice> all = advise(r.resolved, r.answer);
  if (!r.switches || r.switches->empty()) return all;
  if (!is_feasible(r)) std::erase_if(all, [](const Advice& a) { return !a.fits; });
  all.insert(all.end(), r.switches->begin(), r.switches->end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Advice& a, const Advice& b) { return a.step_time < b.step_time; });
  keep_best(all, !fits_at_risk(r.resolved.run, r.answer));
  return all;
}

Bytes on_drives(const RunReport& r) {
  Bytes most{};
  for (const StageMemory<double>& s : r.stages) most = std::max(most, s.drives);
  const Run& run = r.resolved.run;
  return most *
         static_cast<double>(std::min(run.cluster.devices_per_node, world_size(run.strategy)));
}

std::vector<std::string> reasons_of(const RunReport& r) {
  switch (r.answer.reason) {
    case Reason::fits:
      return {};
    case Reason::device_memory:
      return {device_reason(r.answer)};
    case Reason::host_memory:
      return {host_reason(r.answer)};
  }
  return {};
}

}  // namespace orrery
