// SPDX-License-Identifier: Apache-2.0
#include "insight/hypotheses.h"

#include <algorithm>
#include <array>

#include "estimate/least_recompute.h"
#include "estimate/overlap.h"
#include "estimate/resolve.h"
#include "estimate/workspace.h"
#include "hardware/cluster_links.h"
#include "insight/run_report.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

bool other_attention(Run& r) {
  r.training.fused_attention = !r.training.fused_attention;
  return true;
}

bool expose_gradients(Run& r) {
  OverlapRequest off;
  off.grad_reduce = false;
  apply_overlap(off, "", r.framework);
  return true;
}

bool halve_network(Run& r) {
  if (!(network_rate(r.cluster) > BytesPerSecond())) return false;
  scale_links(r.cluster, Links::of_network, 0.5);
  return true;
}

bool slow_devices(Run& r) {
  r.cluster.device.efficiency.power_factor *= 0.8;
  return true;
}

// The load by which steps fell once balance was forced (estimate/open_load.h).
constexpr double kUnevenLoad = 1.24;

bool uneven_experts(Run& r) {
  if (!is_moe(r.model) || r.strategy.ep == 1 || r.training.expert_load >= kUnevenLoad) return false;
  r.training.expert_load = kUnevenLoad;
  return true;
}

bool send_once_per_expert(Run& r) {
  if (!is_moe(r.model) || r.strategy.ep == 1 || !r.framework.experts.dispatch_once_per_node)
    return false;
  r.framework.experts.dispatch_once_per_node = false;
  return true;
}

bool launch_one_by_one(Run& r) {
  if (r.framework.host.graphs == GraphScope::none) return false;
  r.framework.host.graphs = GraphScope::none;
  return true;
}

constexpr std::array kHypotheses = {
    Hypothesis{"less is recomputed", "", 0.08, moves::less_recompute,
               "recompute settings that the job's first lines print"},
    Hypothesis{"more is recomputed", "", 0.08, moves::more_recompute,
               "recompute settings that the job's first lines print"},
    Hypothesis{"nothing is recomputed", "", 0.03, moves::least_recompute,
               "recompute settings that the job's first lines print"},
    Hypothesis{"all layers are recomputed", "", 0.03, moves::most_recompute,
               "recompute settings that the job's first lines print"},
    Hypothesis{"the attention kernel is another", "", 0.05, other_attention,
               "kernels named flash or fmha in a profile of one step"},
    Hypothesis{"gradients are reduced after the backward pass",
               "--set parallel.overlap.grad_reduce=false", 0.06, expose_gradients,
               "collectives beside the backward pass in a profile of one step"},
    Hypothesis{"half the rate between nodes: a link down, or another network", "", 0.06,
               halve_network, "all_reduce_perf of nccl-tests over the job's nodes"},
    Hypothesis{"GPUs at 0.8 of their rate: power, heat, or one slow GPU", kWithoutKey, 0.06,
               slow_devices, "nvidia-smi -q -d CLOCK,PERFORMANCE while the job runs"},
    Hypothesis{"micro batches of twice the size", "", 0.03, moves::double_micro_batch,
               "batch settings that the job's first lines print"},
    Hypothesis{"micro batches of half the size", "", 0.03, moves::halve_micro_batch,
               "batch settings that the job's first lines print"},
    Hypothesis{"stages hold more chunks", "", 0.03, moves::interleave,
               "pipeline settings that the job's first lines print"},
    Hypothesis{"stages hold one chunk", "", 0.03, moves::do_not_interleave,
               "pipeline settings that the job's first lines print"},
    Hypothesis{"more is sharded", "", 0.03, moves::shard_more,
               "ZeRO or FSDP settings that the job's first lines print"},
    Hypothesis{"less is sharded", "", 0.03, moves::shard_less,
               "ZeRO or FSDP settings that the job's first lines print"},
    Hypothesis{"sequence parallelism", "", 0.02, moves::sequence_parallel,
               "tensor-parallel settings that the job's first lines print"},
    Hypothesis{"experts get uneven numbers of tokens", "--set training.expert_load=1.24", 0.05,
               uneven_experts, "tokens per expert, which most trainers can log"},
    Hypothesis{"tokens are sent once per expert, not once per node",
               "--set parallel.framework_options.dispatcher=alltoall", 0.04, send_once_per_expert,
               "the job's token dispatcher (moe_token_dispatcher_type)", "dispatcher"},
    Hypothesis{"kernels are launched one by one, without a CUDA graph",
               "--set parallel.framework_options.cuda_graphs=none", 0.04, launch_one_by_one,
               "cudaGraphLaunch in a profile of one step", "cuda_graphs"},
};

bool has_option(const RunReport& r, const char* name) {
  const auto& options = r.resolved.framework.options;
  return std::any_of(options.begin(), options.end(),
                     [&](const FrameworkOption& o) { return o.name == name; });
}

}  // namespace

std::span<const Hypothesis> hypotheses() { return kHypotheses; }

bool make_hypothesis(const Hypothesis& h, const RunReport& r, Workspace& workspace, Run& run) {
  run = r.resolved.run;
  if (h.option != nullptr && !has_option(r, h.option)) return false;
  if (!make_neighbour(std::array{h.move}, run)) return false;
  const Strategy& before = r.resolved.run.strategy;
  const bool same_recompute = run.strategy.recompute == before.recompute &&
                              run.strategy.recompute_layers == before.recompute_layers;
  // A command line settles it so.
  if (r.resolved.recompute_open && same_recompute) predict_recompute(run, workspace);
  return true;
}

double prior_of(const Hypothesis& h, const RunReport& r, const Run& changed) {
  const RecomputeChoice choice = recompute_choice(changed.strategy);
  if (choice == recompute_choice(r.resolved.run.strategy)) return h.prior;
  double most = h.prior;
  for (const OpenKey& key : r.resolved.open) {
    if (key.path != key_path<&StrategyRequest::recompute>) continue;
    for (const Alternative& a : key.alternatives) {
      if (a.value == name_of(choice)) most = std::max(most, a.weight);
    }
  }
  return most;
}

// "--set parallel.overlap.grad_reduce=false"
std::vector<Setting> change_settings(const Hypothesis& h, const RunReport& r, const Run& run) {
  const std::string_view change = h.change;
  if (change == kWithoutKey) return {};
  if (change.empty()) return differences(r.resolved.run, run, r.resolved.parallel_keys);
  const std::size_t equals = change.find('=');
  const std::size_t begin = change.find(' ') + 1;
  return {
      {std::string(change.substr(begin, equals - begin)), std::string(change.substr(equals + 1))}};
}

std::string change_words(const Hypothesis& h, const RunReport& r, const Run& run) {
  const std::string change = h.change;
  if (change == kWithoutKey) return "";
  if (!change.empty()) return change;
  return typed(differences(r.resolved.run, run, r.resolved.parallel_keys));
}

}  // namespace orrery
