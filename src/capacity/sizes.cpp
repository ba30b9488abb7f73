// SPDX-License-Identifier: Apache-2.0
#include "capacity/sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "capacity/plan_keys.h"
#include "core/divide.h"
#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "estimate/open_run.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "explore/axes.h"
#include "hardware/node_keys.h"
#include "model/operators.h"

namespace orrery {
namespace {

using Counts = std::vector<std::int64_t>;

// Conditions of a phase on the number of GPUs.
struct PhaseLayout {
  std::int64_t node = 1;
  std::int64_t replica = 1;
  std::optional<std::int64_t> dp;
  std::int64_t batches = 1;  // common divisor of the batches; every dp·micro_batch divides it
  std::int64_t micro_batch = 1;
  Seconds least_gpu_time{};
  Cluster cluster;
};

// By the FLOPs of 6 a weight and token (2 forward, 4 backward; an adapter's base may have 2 alone),
// without attention and the tables of embeddings, which only add.
Seconds least_gpu_time(const PhasePlan& phase, const Run& run) {
  const FlopsPerSecond peak = peak_of(run.cluster.device, run.training.precision);
  if (!(peak > FlopsPerSecond())) return {};
  const ParameterCount n = parameter_count(run.model, run.training.sequence);
  const double weights = static_cast<double>(n.active - n.embedding);
  const double flops = run.training.adapter ? 2 : 6;
  return Flops(flops * std::max(0.0, weights) * tokens_of(phase.goal, run)) / peak;
}

std::int64_t own_size(const PhasePlan& phase) {
  Reader run(*phase.run, phase.file);
  Reader cluster = at_key<&RunRequest::cluster>(run);
  if (!cluster.json().is_object()) return 0;
  const auto gpus = find_key<&ClusterRequest::gpus>(cluster);
  return gpus ? gpus->integer(1, kMostPlanGpus) : 0;
}

PhaseLayout layout_of(const PhasePlan& phase, std::int64_t own, const PlanContext& context) {
  Json run = *phase.run;
  Json& cluster = at_key<&RunRequest::cluster>(run);
  if (cluster.is_object()) at_key<&ClusterRequest::gpus>(cluster) = std::max<std::int64_t>(1, own);
  const OpenRun open = resolve_open(run, phase.file, context.lookup);
  PhaseLayout l;
  l.cluster = open.resolved.run.cluster;
  l.node = devices_of_node(l.cluster);
  for (const auto& degree : {open.request.tp, open.request.cp, open.request.pp}) {
    l.replica = std::min(kMostLadderGpus + 1, l.replica * degree.value_or(1));
  }
  l.dp = open.request.dp;
  l.micro_batch = open.micro_batch.value_or(1);
  l.batches = open.resolved.run.training.global_batch;
  l.least_gpu_time = least_gpu_time(phase, open.resolved.run);
  for (const RampStep& step : phase.ramp) l.batches = std::gcd(l.batches, step.global_batch);
  return l;
}

bool takes(const PhaseLayout& l, std::int64_t gpus) {
  const std::int64_t dp = gpus / l.replica;
  return gpus % l.replica == 0 && l.dp.value_or(dp) == dp && l.batches % l.micro_batch == 0 &&
         l.batches / l.micro_batch % dp == 0;
}

void put_in_order(Counts& sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

Counts of_layout(const std::vector<PhaseLayout>& phases) {
  const PhaseLayout& first = phases.front();
  Counts sizes;
  for (const std::int64_t dp : divisors(first.batches)) {
    if (dp > kMostLadderGpus / first.replica) break;
    const std::int64_t gpus = dp * first.replica;
    const auto fits = [gpus](const PhaseLayout& l) { return takes(l, gpus); };
    if (std::all_of(phases.begin(), phases.end(), fits)) sizes.push_back(gpus);
  }
  return sizes;
}

Counts of_nodes(std::int64_t node) {
  Counts sizes = divisors(node);
  for (std::int64_t n = 2; n * node <= kMostLadderGpus; ++n) sizes.push_back(n * node);
  return sizes;
}

// Numbers of nodes that divide the batch, and 1, 2, 3, 4, 6, 8, ….
Counts likely_nodes(const std::vector<PhaseLayout>& phases) {
  const std::int64_t node = phases.front().node;
  std::int64_t batches = 0;
  for (const PhaseLayout& l : phases) batches = std::gcd(batches, l.batches);
  Counts sizes = divisors(node);
  for (const std::int64_t n : divisors(batches)) sizes.push_back(n * node);
  for (std::int64_t n = 1; n * node <= kMostLadderGpus; n *= 2) {
    sizes.push_back(n * node);
    sizes.push_back(3 * n * node);
  }
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(),
                             [](std::int64_t n) { return n > kMostLadderGpus; }),
              sizes.end());
  put_in_order(sizes);
  return sizes;
}

Counts thinned(const Counts& sizes) {
  if (sizes.size() <= kMostRungs) return sizes;
  Counts some;
  const std::size_t step = divided_up(sizes.size(), kMostRungs);
  for (std::size_t i = 0; i < sizes.size(); i += step) some.push_back(sizes[i]);
  some.push_back(sizes.back());
  return some;
}

}  // namespace

std::vector<std::int64_t> near_batches(std::int64_t batch, std::int64_t unit) {
  const auto most = static_cast<std::int64_t>(kOtherBatch * static_cast<double>(batch));
  std::vector<std::int64_t> all;
  std::int64_t above = divided_up(batch, unit) * unit;
  std::int64_t below = above - unit;
  while (all.size() < kMostOtherBatches) {
    const bool can_rise = above - batch <= most;
    const bool can_fall = below > 0 && batch - below <= most;
    if (!can_rise && !can_fall) break;
    const bool rises = can_rise && (!can_fall || above - batch <= batch - below);
    all.push_back(rises ? above : below);
    (rises ? above : below) += rises ? unit : -unit;
  }
  return all;
}

OptionPlan with_batch(OptionPlan option, std::int64_t global_batch) {
  PhasePlan& phase = option.phases.front();
  Json run = *phase.run;
  at_key<&Training::global_batch>(at_key<&RunRequest::training>(run)) = global_batch;
  phase.run = std::move(run);
  return option;
}

OptionPlan with_power_cap(OptionPlan option, Watts cap) {
  for (PhasePlan& phase : option.phases) {
    Json run = *phase.run;
    at_key<&Cluster::power_cap>(at_key<&RunRequest::cluster>(run)) =
        std::to_string(std::llround(cap.si())) + " W";
    phase.run = std::move(run);
  }
  return option;
}

namespace {

[[noreturn]] void ask_for_size(const PhasePlan& phase) {
  throw InputError(ErrorCode::missing_key, phase.file, key_path<&ClusterRequest::gpus>, "nothing",
                   "GPUs, which are halved and doubled: --gpus N");
}

// From an eighth of the run's own size to eight times it, by twos.
Counts of_rl(std::int64_t own) {
  constexpr std::int64_t kMost = 8;
  Counts sizes;
  for (std::int64_t part = kMost; part > 1; part /= 2) {
    if (own % part == 0) sizes.push_back(own / part);
  }
  for (std::int64_t times = 1; times <= kMost; times *= 2) sizes.push_back(own * times);
  return sizes;
}

}  // namespace

LadderSizes ladder_sizes(const OptionPlan& option, const PlanContext& context) {
  LadderSizes s;
  s.own = own_size(option.phases.front());
  if (has_rl(*option.phases.front().run)) {
    if (s.own == 0) ask_for_size(option.phases.front());
    s.all = s.rungs = of_rl(s.own);
    return s;
  }
  std::vector<PhaseLayout> phases;
  for (const PhasePlan& phase : option.phases) phases.push_back(layout_of(phase, s.own, context));
  for (const PhaseLayout& l : phases) s.least_gpu_time += l.least_gpu_time;
  s.cluster = phases.front().cluster;
  s.all = option.search ? of_nodes(phases.front().node) : of_layout(phases);
  const bool lone = phases.size() == 1 && option.phases.front().ramp.empty();
  const PhaseLayout& first = phases.front();
  if (lone && !first.dp) {
    s.global_batch = first.batches;
    s.grid = option.search ? first.node : first.replica;
    s.batch_of = option.search ? first.node : first.micro_batch;
  }
  s.rungs = thinned(option.search ? likely_nodes(phases) : s.all);
  for (Counts* sizes : {&s.all, &s.rungs}) {
    if (s.own > 0) sizes->push_back(s.own);
    put_in_order(*sizes);
  }
  return s;
}

}  // namespace orrery
