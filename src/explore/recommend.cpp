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

constexpr std::int64_t kManyChunks = 4;
constexpr std::int64_t kLongSequence = 16384;
constexpr int kRare = 4;  // points; a dimension in use has one

bool offloads(const Offload& o) {
  return o.optimizer != OffloadTarget::none || o.parameters != OffloadTarget::none ||
         o.activations != OffloadTarget::none;
}

bool is_partial(const Strategy& s) {
  return s.recompute == Recompute::full && s.recompute_layers > 0 &&
         s.recompute_method == RecomputeMethod::block;
}

bool is_common(ScheduleId schedule) {
  return schedule == ScheduleId::one_f_one_b || schedule == ScheduleId::interleaved ||
         schedule == ScheduleId::deepspeed;
}

// A name: one that few people run.
struct Switch {
  int points;
  const char* name;
  bool (*used)(const Run&);
};

constexpr std::array<Switch, 17> kSwitches = {{
    {1, nullptr, [](const Run& r) { return r.strategy.tp > 1; }},
    {1, nullptr, [](const Run& r) { return r.strategy.pp > 1; }},
    {1, nullptr, [](const Run& r) { return r.strategy.vpp > 1; }},
    {1, nullptr, [](const Run& r) { return r.strategy.cp > 1; }},
    {1, nullptr, [](const Run& r) { return r.strategy.ep > 1; }},
    {1, nullptr, [](const Run& r) { return r.strategy.recompute != Recompute::none; }},
    {1, "recompute of some layers", [](const Run& r) { return is_partial(r.strategy); }},
    {kRare, "tensor parallel over nodes",
     [](const Run& r) { return r.strategy.tp > r.cluster.devices_per_node; }},
    {kRare, "tensor parallel without sequence parallel",
     [](const Run& r) { return r.strategy.tp > 1 && !r.strategy.sequence_parallel; }},
    {kRare, "context parallel of short sequences",
     [](const Run& r) { return r.strategy.cp > 1 && r.training.sequence < kLongSequence; }},
    {kRare, "more than four chunks a stage",
     [](const Run& r) { return r.strategy.vpp > kManyChunks; }},
    {kRare, "less than two layers a chunk",
     [](const Run& r) {
       return r.strategy.vpp > 1 && r.model.layers < 2 * r.strategy.pp * r.strategy.vpp;
     }},
    {kRare, "a schedule that few frameworks have",
     [](const Run& r) { return r.strategy.pp > 1 && !is_common(r.strategy.schedule); }},
    {kRare, "ZeRO 2 or 3 beside a pipeline",
     [](const Run& r) { return r.strategy.pp > 1 && r.strategy.zero > 1; }},
    {kRare, "expert tensor parallel",
     [](const Run& r) { return r.model.moe.experts > 0 && r.strategy.etp > 1; }},
    {kRare, "uneven stages", [](const Run& r) { return !r.strategy.even_stages; }},
    {kRare, "offload", [](const Run& r) { return offloads(r.strategy.offload); }},
}};

constexpr std::size_t kMostCompared = 8;  // runs whose regrets are compared

bool is_more_sensible(const Proposal& a, const Proposal& b) {
  const auto key = [](const Proposal& p) {
    return std::tuple(p.fit_rank, p.points, p.objective, p.place.unit, p.place.point.number);
  };
  return key(a) < key(b);
}

}  // namespace

int switch_points(const Run& run) {
  int points = 0;
  for (const Switch& s : kSwitches) points += s.used(run) ? s.points : 0;
  return points;
}

std::vector<std::string> rare_switches(const Run& run) {
  std::vector<std::string> names;
  for (const Switch& s : kSwitches) {
    if (s.name != nullptr && s.used(run)) names.emplace_back(s.name);
  }
  return names;
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
    if (p.fit_rank == first_[0].fit_rank && p.points == first_[0].points) alike.push_back(p.run);
  }
  if (alike.size() == 1) return first_[0];
  const std::vector<double> regret = regrets(alike);
  return first_[static_cast<std::size_t>(std::min_element(regret.begin(), regret.end()) -
                                         regret.begin())];
}

}  // namespace orrery
