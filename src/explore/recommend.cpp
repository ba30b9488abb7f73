// SPDX-License-Identifier: Apache-2.0
#include "explore/recommend.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "estimate/workspace.h"
#include "explore/sensitivity.h"

namespace orrery {
namespace {

// The two limits are chosen so that almost no published run is beyond them (rare_switches()).
constexpr std::int64_t kShortSequence = 8192;
constexpr std::int64_t kManyChunks = 12;

bool offloads(const Offload& o) {
  return o.optimizer != OffloadTarget::none || o.parameters != OffloadTarget::none ||
         o.activations != OffloadTarget::none;
}

bool has_pipeline(const Run& r) { return r.strategy.pp > 1; }

bool is_common(ScheduleId schedule) {
  return schedule == ScheduleId::one_f_one_b || schedule == ScheduleId::interleaved ||
         schedule == ScheduleId::deepspeed;
}

constexpr std::array<RareSwitch, 7> kRareSwitches = {{
    {"tensor parallel over nodes", [](const Run& r) { return r.strategy.tp > 1; },
     [](const Run& r) { return r.strategy.tp > r.cluster.devices_per_node; }},
    {"context parallel of short sequences", [](const Run& r) { return r.strategy.cp > 1; },
     [](const Run& r) { return r.strategy.cp > 1 && r.training.sequence < kShortSequence; }},
    {"more than twelve chunks a stage", [](const Run& r) { return r.strategy.vpp > 1; },
     [](const Run& r) { return r.strategy.vpp > kManyChunks; }},
    {"a schedule that few frameworks have", has_pipeline,
     [](const Run& r) { return has_pipeline(r) && !is_common(r.strategy.schedule); }},
    {"ZeRO 2 or 3 beside a pipeline", has_pipeline,
     [](const Run& r) { return has_pipeline(r) && r.strategy.zero > 1; }},
    {"uneven stages", has_pipeline, [](const Run& r) { return r.strategy.listed_stages; }},
    {"offload", [](const Run&) { return true; },
     [](const Run& r) { return offloads(r.strategy.offload); }},
}};

constexpr std::size_t kMostCompared = 8;  // runs whose regrets are compared

bool is_more_sensible(const Proposal& a, const Proposal& b) {
  const auto key = [](const Proposal& p) {
    return std::tuple(p.fit_rank, p.rare, p.objective, p.place.unit, p.place.point.number);
  };
  return key(a) < key(b);
}

}  // namespace

std::span<const RareSwitch> all_rare_switches() { return kRareSwitches; }

std::vector<std::string> rare_switches(const Run& run) {
  std::vector<std::string> names;
  for (const RareSwitch& s : kRareSwitches) {
    if (s.uses(run)) names.emplace_back(s.name);
  }
  return names;
}

int rare_count(const Run& run) {
  return static_cast<int>(std::count_if(kRareSwitches.begin(), kRareSwitches.end(),
                                        [&](const RareSwitch& s) { return s.uses(run); }));
}

std::vector<double> regrets(const std::vector<Run>& runs) {
  Workspace workspace;
  std::vector<std::vector<double>> steps;  // by run and scenario
  for (const Run& run : runs) {
    std::vector<double>& of_run = steps.emplace_back();
    for (const Run& worse : worse_hardware(run)) {
      of_run.push_back(estimate<double>(worse, workspace).step_time.si());
    }
  }
  std::vector<double> worst(runs.size(), 0);
  for (std::size_t scenario = 0; scenario < steps.front().size(); ++scenario) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& of_run : steps) best = std::min(best, of_run[scenario]);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      worst[i] = std::max(worst[i], steps[i][scenario] / best - 1);
    }
  }
  return worst;
}

void Shortlist::offer(const Proposal& p) {
  const bool full = first_.size() == kMostCompared;
  if (full && !is_more_sensible(p, first_.back())) return;
  if (full) first_.pop_back();
  first_.insert(std::upper_bound(first_.begin(), first_.end(), p, is_more_sensible), p);
}

const Proposal& Shortlist::recommended() const {
  std::vector<Run> alike;
  for (const Proposal& p : first_) {
    if (p.fit_rank == first_[0].fit_rank && p.rare == first_[0].rare) alike.push_back(p.run);
  }
  if (alike.size() == 1) return first_[0];
  const std::vector<double> regret = regrets(alike);
  return first_[static_cast<std::size_t>(std::min_element(regret.begin(), regret.end()) -
                                         regret.begin())];
}

}  // namespace orrery
