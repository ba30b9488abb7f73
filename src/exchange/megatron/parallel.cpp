// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/modules.h"
#include "core/units.h"
#include "exchange/megatron/import.h"
#include "exchange/megatron/names.h"
#include "parallel/strategy.h"

namespace orrery::megatron {
namespace {

// A launcher's value, which may also be "gpu" or "1:4".
std::optional<std::int64_t> launched(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.text(name);
  if (!word) return {};
  if (parse_number(*word)) return d.settings.count(name, 1, kMostDegree);
  d.not_understood("--" + std::string(name) + " " + *word, "no number; --gpus says how many");
  return {};
}

// A log and the launcher know how many GPUs there are.
void world(ImportDraft& d) {
  auto world = d.settings.count("world_size", 1);
  if (const auto variable = d.settings.count("WORLD_SIZE", 1)) world = variable;
  const auto per_node = launched(d, "nproc_per_node");
  const auto nodes = launched(d, "nnodes");
  const bool counted = nodes || !d.settings.has("nnodes");
  if (!world && per_node && counted) world = *per_node * nodes.value_or(1);
  const auto dp = d.settings.count("data_parallel_size", 1);
  if (!world) return;
  d.set("cluster.gpus", *world);
  const std::int64_t others =
      d.count_at("parallel.tp", 1) * d.count_at("parallel.pp", 1) * d.count_at("parallel.cp", 1);
  if (dp && *dp * others != *world) {
    d.settings.refuse("data_parallel_size",
                      std::to_string(*dp) + ", world size " + std::to_string(*world),
                      "world size over tp x pp x cp");
  }
}

void context(ImportDraft& d) {
  const auto words = d.settings.words("cp_comm_type");
  if (!words || d.count_at("parallel.cp", 1) == 1) return;
  const auto found = std::find(kContextTypes.begin(), kContextTypes.end(), words->front());
  if (words->size() != 1 || found == kContextTypes.end()) {
    d.not_understood("--cp-comm-type", "p2p, allgather or a2a for all layers");
    return;
  }
  d.set(
      "parallel.cp_type",
      std::string(kNamesOf<ContextType>[static_cast<std::size_t>(found - kContextTypes.begin())]));
}

void dispatcher(ImportDraft& d) {
  const auto type = d.settings.choice("moe_token_dispatcher_type", kDispatchers);
  if (d.at("model.num_local_experts").is_null()) return;
  if (type && *type < 2) {
    d.set("parallel.framework_options.dispatcher", std::string(kDispatchers[*type]));
  } else {
    d.not_understood("--moe-token-dispatcher-type allgather",
                     "Megatron's default; the profile's dispatcher is used");
  }
}

void sharding(ImportDraft& d) {
  const bool fsdp =
      d.is_on("use_megatron_fsdp") || d.is_on("use_custom_fsdp") || d.is_on("use_torch_fsdp2");
  const auto strategy = d.settings.choice("data_parallel_sharding_strategy", kSharding);
  const bool optimizer = d.is_on("use_distributed_optimizer");
  const std::int64_t otherwise = optimizer ? 1 : 0;
  const std::int64_t zero = fsdp ? static_cast<std::int64_t>(strategy.value_or(3)) : otherwise;
  d.set("parallel.zero", zero);
  if (!optimizer && !fsdp) d.note("parallel.zero", "0", "without --use-distributed-optimizer");
}

// A switch that is not given is off; of what the run does not have nothing is said.
void switches(ImportDraft& d) {
  read_rows_of(kSwitchRows, d.settings, d.out.run);
  d.assume("parallel.framework_options.overlap_grad_reduce", false,
           "without --overlap-grad-reduce");
  if (d.count_at("parallel.zero", 0) > 0) {
    d.assume("parallel.framework_options.overlap_param_gather", false,
             "without --overlap-param-gather");
  }
  if (d.count_at("parallel.tp", 1) > 1) {
    d.assume("parallel.framework_options.tp_comm_overlap", false, "without --tp-comm-overlap");
  }
}

void read_modules(ImportDraft& d) {
  Json known = Json::array();
  for (const std::string& name :
       d.settings.words("recompute_modules").value_or(std::vector<std::string>{"core_attn"})) {
    if (find_name<Module>(name)) {
      known.push_back(name);
    } else {
      d.not_understood("--recompute-modules " + name, "no module of ours");
    }
  }
  d.set("parallel.recompute_modules", known);
}

void recompute(ImportDraft& d) {
  const auto granularity = d.settings.choice("recompute_granularity", kGranularities);
  const bool old_name = d.is_on("recompute_activations");
  const auto method = d.settings.choice("recompute_method", kNamesOf<RecomputeMethod>);
  const auto layers = d.settings.count("recompute_num_layers", 1);
  if (granularity == std::size_t{0} || (!granularity && old_name)) {
    d.set("parallel.recompute", "selective");
    return read_modules(d);
  }
  d.set("parallel.recompute", granularity ? "full" : "none");
  if (!granularity) return d.note("parallel.recompute", "none", "without --recompute-granularity");
  const std::size_t how = method.value_or(0);
  // Uniform groups of one layer are every layer alone.
  if (how == 0 && layers.value_or(1) == 1) return;
  d.set("parallel.recompute_method", std::string(kNamesOf<RecomputeMethod>[how]));
  d.set("parallel.recompute_layers", layers.value_or(1));
}

void offload(ImportDraft& d) {
  const double fraction = d.settings.number("optimizer_offload_fraction", 0, 1).value_or(1);
  d.set("parallel.offload", {{"optimizer", "host"}, {"optimizer_fraction", fraction}});
}

}  // namespace

void read_parallel_of(ImportDraft& d) {
  read_rows_of(kParallelRows, d.settings, d.out.run);
  for (const char* path : {"parallel.tp", "parallel.pp", "parallel.cp", "parallel.ep"}) {
    d.assume(path, 1, "not given");
  }
  d.assume("parallel.sequence_parallel", false, "without --sequence-parallel");
  d.assume("training.micro_batch", 1, "not given");
  world(d);
  context(d);
  dispatcher(d);
  sharding(d);
  switches(d);
  read_layout_of(d);
  recompute(d);
  d.set("parallel.order", d.is_on("use_tp_pp_dp_mapping") ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp");
  if (d.is_on("optimizer_cpu_offload")) offload(d);
}

}  // namespace orrery::megatron
