// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/json_path.h"
#include "core/modules.h"
#include "core/units.h"
#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"
#include "exchange/text_lines.h"
#include "parallel/strategy.h"

namespace orrery::megatron {
namespace {

constexpr const char* kDispatcher = "parallel.framework_options.dispatcher";

// A launcher's value, which may also be "gpu" or "1:4".
std::optional<std::int64_t> launched(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.word(name);
  if (!word) return {};
  if (parse_number(*word)) return d.settings.count(name, 1, kMostDegree);
  d.ignored("--" + std::string(name) + " " + *word, "no number; --gpus says how many");
  return {};
}

// Degrees that are not given are 1 if another degree is given.
void degrees(ImportDraft& d) {
  const bool overrides =
      d.out.format == ForeignFormat::bridge || d.out.format == ForeignFormat::nemo;
  const bool recipe = overrides && !d.other_defaults.empty();
  const bool any = !recipe && (!d.at("parallel.tp").is_null() || !d.at("parallel.pp").is_null());
  // Primus's files of models say the ranks of their experts, and no others.
  const bool dense = d.layers_of_named > 0 && !d.experts_of_named;
  const bool primus = d.out.format == ForeignFormat::primus && !dense;
  const char* ranks = "parallel.ep";
  const bool named = d.experts_of_named || d.at("model").is_string();
  if (primus && (named || !d.other_defaults.empty()) && d.at(ranks).is_null() && !d.is_open(ranks))
    d.open(ranks, ranks, "the file of the model says it, which is not given");
  for (const char* path : {"parallel.tp", "parallel.pp", "parallel.cp", ranks}) {
    if (any && d.at(path).is_null() && !d.is_open(path)) {
      d.note(path, "1", "not given");
      d.set(path, 1);
    }
    d.assume(path, 1, "not given");
  }
  // One tensor rank has no sequence to share.
  if (d.at("parallel.tp") == 1) return d.set("parallel.sequence_parallel", false);
  d.assume("parallel.sequence_parallel", false, "without --sequence-parallel");
}

// A log and the launcher know how many GPUs there are.
void world(ImportDraft& d) {
  if (d.is_open("cluster.gpus")) {
    for (const char* name : {"nnodes", "nproc_per_node", "WORLD_SIZE"}) d.settings.take(name);
    return;
  }
  auto world = d.settings.count("world_size", 1);
  if (const auto variable = d.settings.count("WORLD_SIZE", 1)) world = variable;
  const auto per_node = launched(d, "nproc_per_node");
  d.out.gpus.job_node = per_node.value_or(0);
  const auto nodes = launched(d, "nnodes");
  const bool counted = nodes || !d.settings.has("nnodes");
  // A launcher sets WORLD_SIZE itself.
  if (per_node && counted) world = *per_node * nodes.value_or(1);
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

// Data-parallel replicas; 0 where the GPUs or a degree are not known.
std::int64_t replicas(const ImportDraft& d) {
  const Json& stated = d.at("cluster.gpus");
  const Json& gpus = stated.is_null() ? value_at(d.given, "cluster.gpus") : stated;
  for (const char* path : {"parallel.tp", "parallel.pp", "parallel.cp"}) {
    if (d.is_open(path)) return 0;
  }
  if (!gpus.is_number_integer()) return 0;
  return gpus.get<std::int64_t>() / (d.count_at("parallel.tp", 1) * d.count_at("parallel.pp", 1) *
                                     d.count_at("parallel.cp", 1));
}

// Without --global-batch-size a step is one micro batch of each replica; MLPerf counts sequences of
// a replica.
void global_batch(ImportDraft& d) {
  const auto of_replica = d.settings.count("batch_of_replica", 1, kMostDegree);
  const char* key = "training.global_batch";
  if (!d.at(key).is_null() || d.is_open(key) || !value_at(d.given, key).is_null()) return;
  const std::int64_t dp = replicas(d);
  if (of_replica && dp > 0) return d.set(key, dp * *of_replica);
  if (of_replica) {
    return d.open(key, d.settings.written("batch_of_replica"), "of how many replicas; give --gpus");
  }
  const bool own_default = d.other_defaults.empty() && !d.is_on("deepspeed");
  if (dp == 0 || !own_default || d.at("training.micro_batch").is_null()) return;
  d.assume(key, dp * d.count_at("training.micro_batch", 1),
           "micro batch x replicas, without --global-batch-size");
}

// MindSpeed's words for the exchange between ranks of a sequence.
void context_of_mindspeed(ImportDraft& d, const std::string& way) {
  const bool ulysses = way == "ulysses_cp_algo";
  if (ulysses || way == "megatron_cp_algo")
    return d.set("parallel.cp_type", ulysses ? "a2a" : "p2p");
  d.open("parallel.cp_type", d.settings.written("context_parallel_algo"),
         "ulysses_cp_algo or megatron_cp_algo");
}

void context(ImportDraft& d) {
  const auto mindspeed = d.settings.word("context_parallel_algo");
  if (mindspeed && d.count_at("parallel.cp", 1) > 1) return context_of_mindspeed(d, *mindspeed);
  const auto words = d.settings.words("cp_comm_type");
  const bool ulysses = !words && d.is_on("deepspeed") && d.count_at("parallel.cp", 1) > 1;
  if (ulysses) return d.set("parallel.cp_type", "a2a");
  if (!words || d.count_at("parallel.cp", 1) == 1) return;
  // The help of Megatron-LM says it without the underscore, Transformer Engine takes it with one.
  const std::string word = words->front() == "allgather" ? "all_gather" : words->front();
  const auto found = std::find(kContextTypes.begin(), kContextTypes.end(), word);
  if (words->size() != 1 || found == kContextTypes.end()) {
    d.settings.take("hierarchical_context_parallel_sizes");
    return d.open("parallel.cp_type", d.settings.written("cp_comm_type"),
                  "p2p, all_gather or a2a for all layers");
  }
  d.set(
      "parallel.cp_type",
      std::string(kNamesOf<ContextType>[static_cast<std::size_t>(found - kContextTypes.begin())]));
}

void dispatcher(ImportDraft& d) {
  const auto type = d.settings.choice("moe_token_dispatcher_type", kDispatchers);
  if (d.is_any_on({"moe_enable_deepep", "use_turbo_deepep"})) return d.set(kDispatcher, "flex");
  if (d.count_at("parallel.ep", 1) == 1 || d.is_open("parallel.ep")) return;
  // DeepSpeed has one, which exchanges tokens all to all.
  if (!type && d.is_on("deepspeed")) return;
  if (type && *type < 2) return d.set(kDispatcher, std::string(kDispatchers[*type]));
  if (!type && !d.other_defaults.empty()) return;
  if (!type && d.experts_of_named)
    return d.open(kDispatcher, "moe_token_dispatcher_type",
                  "the model's own file or class says it, which is not read: flex or alltoall");
  d.open(kDispatcher,
         type ? d.settings.written("moe_token_dispatcher_type") : "moe_token_dispatcher_type",
         "allgather is Megatron-LM's default, and no dispatcher of ours: flex or alltoall");
}

// All experts of a rank are one launch here; Megatron-LM runs them one by one unless it is told
// (SequentialMLP). MegaBlocks always groups them.
void grouped_experts(ImportDraft& d) {
  constexpr std::string_view kName = "moe_grouped_gemm";
  const bool own = d.out.format == ForeignFormat::megatron && d.other_defaults.empty() &&
                   !d.is_on("deepspeed") &&
                   !begins_with(d.settings.written("num_experts"), "--moe-num-experts");
  const std::int64_t experts = d.count_at("model.num_local_experts", 0);
  if (!own || experts <= d.count_at("parallel.ep", 1)) return;
  const auto& all = d.settings.all();
  const bool on = std::any_of(all.begin(), all.end(), [&](const ForeignSetting& s) {
    return s.name == kName &&
           (s.value.is_null() || bare_text(s.value) == "True" || bare_text(s.value) == "true");
  });
  if (on) return;
  const bool given = d.settings.has(kName);
  d.ignored(given ? d.settings.written(kName) : "no --moe-grouped-gemm",
            "Megatron-LM runs a rank's experts one by one; they are one launch here");
  d.settings.take(kName);
}

// The stage of ZeRO that a sharding strategy is.
std::int64_t fsdp_stage(ImportDraft& d, std::int64_t optimizer) {
  const auto strategy = d.settings.choice("data_parallel_sharding_strategy", kSharding);
  if (!strategy) d.note("parallel.zero", std::to_string(optimizer), "Megatron FSDP's no_shard");
  return std::max(optimizer, static_cast<std::int64_t>(strategy.value_or(0)));
}

void sharding(ImportDraft& d) {
  const bool megatron = d.is_any_on({"use_megatron_fsdp", "use_custom_fsdp"});
  const bool torch = d.is_on("use_torch_fsdp2");
  const auto stage = d.settings.count("zero_stage", 0, 3);
  const std::int64_t optimizer = d.is_on("use_distributed_optimizer") ? 1 : 0;
  if (d.is_open("parallel.zero")) return d.settings.take("data_parallel_sharding_strategy");
  if (stage) return d.set("parallel.zero", *stage);
  if (torch) {
    d.settings.take("data_parallel_sharding_strategy");
    return d.set("parallel.zero", 3);
  }
  if (megatron) return d.set("parallel.zero", fsdp_stage(d, optimizer));
  d.settings.take("data_parallel_sharding_strategy");
  if (d.is_on("deepspeed")) {
    return d.open("parallel.zero", "--deepspeed_config",
                  "its file says the stage of ZeRO; give it too");
  }
  // Whole layers' states are spread over the replicas [from memory].
  const bool by_layer = d.is_on("use_layer_wise_distributed_optimizer");
  const bool muon = d.settings.word("optimizer") == "dist_muon";
  if (by_layer || muon) return d.set("parallel.zero", 1);
  if (d.settings.has("use_distributed_optimizer")) return d.set("parallel.zero", optimizer);
  d.assume("parallel.zero", 0, "without --use-distributed-optimizer");
}

// Named once, by the setting that switches them on.
void cuda_graphs(ImportDraft& d) {
  const std::string kind = d.settings.word("cuda_graph_impl").value_or("none");
  const bool off = kind == "none" || kind == "False" || kind == "false" || kind == "0";
  const char* name = d.is_on("enable_cuda_graph")     ? "enable_cuda_graph"
                     : d.is_on("external_cuda_graph") ? "external_cuda_graph"
                     : off                            ? nullptr
                                                      : "cuda_graph_impl";
  if (name != nullptr) {
    d.ignored(d.settings.written(name),
              "kernels are launched one by one without parallel.framework_options.cuda_graphs");
  }
}

// Interleaved stages hide their messages unless they are told not to.
void stage_messages(ImportDraft& d) {
  const bool hidden = d.settings.flag("overlap_p2p_comm").value_or(true);
  const bool off = d.is_on("no_overlap_p2p_communication") || !hidden;
  if (off && d.count_at("parallel.vpp", 1) > 1)
    d.ignored(d.settings.written(hidden ? "no_overlap_p2p_communication" : "overlap_p2p_comm"),
              "messages between stages are hidden here");
}

// Several optimizers, each of which shards over a part of the replicas.
void optimizer_instances(ImportDraft& d) {
  const char* name = "num_distributed_optimizer_instances";
  const auto n = d.settings.count(name, 1, kMostDegree);
  const bool shards = d.count_at("parallel.zero", 0) > 0 || d.is_open("parallel.zero");
  if (!n || *n == 1 || !shards) return;
  const std::int64_t ranks = replicas(d) * d.count_at("parallel.cp", 1);
  const char* key = "parallel.zero_shard_group";
  if (ranks == 0) return d.open(key, d.settings.written(name), "of how many GPUs; give --gpus");
  if (ranks % *n != 0) d.settings.refuse(name, "a divisor of " + std::to_string(ranks));
  d.set(key, ranks / *n);
}

// A switch that is not given is off; of what the run does not have nothing is said.
void switches(ImportDraft& d) {
  read_rows_of(kSwitchRows, d.settings, d.out.run);
  if (!d.other_defaults.empty()) return;
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

// `experts`: the layer of experts too.
void read_modules(ImportDraft& d, bool experts) {
  Json known = Json::array();
  for (const std::string& name :
       d.settings.words("recompute_modules").value_or(std::vector<std::string>{"core_attn"})) {
    if (find_name<Module>(name)) {
      known.push_back(name);
    } else {
      d.open("parallel.recompute_modules", "--recompute-modules " + name, "no module of ours");
    }
  }
  const bool named = std::find(known.begin(), known.end(), "moe") != known.end();
  if (experts && !named) known.push_back("moe");
  d.set("parallel.recompute_modules", known);
}

// --moe-layer-recompute, before the modules had names: the layer of experts alone.
void read_moe_recompute(ImportDraft& d) {
  d.set("parallel.recompute", "selective");
  d.set("parallel.recompute_modules", Json::array({"moe"}));
}

void full_recompute(ImportDraft& d) {
  d.set("parallel.recompute", "full");
  const auto method = d.settings.choice("recompute_method", kNamesOf<RecomputeMethod>);
  const auto layers = d.settings.count("recompute_num_layers");
  const std::size_t how = method.value_or(0);
  if (layers == 0) return d.set("parallel.recompute", "none");
  // Uniform groups of one layer are every layer alone.
  if (how == 0 && layers.value_or(1) == 1) return;
  d.set("parallel.recompute_method", std::string(kNamesOf<RecomputeMethod>[how]));
  // A number above the layers of a stage means all of them.
  const std::int64_t all = d.layers() > 0 ? d.layers() : kMostDegree;
  d.set("parallel.recompute_layers", std::min(layers.value_or(1), all));
}

// --partition-activations shares what is kept over tensor ranks; --checkpoint-in-cpu sends it away.
void old_recompute(ImportDraft& d) {
  full_recompute(d);
  if (d.is_on("cpu_checkpointing")) d.set("parallel.offload.activations", "host");
  const bool tp = d.count_at("parallel.tp", 1) > 1;
  if (d.is_on("partition_activations") && tp && d.at("parallel.offload.activations").is_null()) {
    d.refuse(d.settings.written("partition_activations"),
             "kept activations are whole on each tensor rank here");
  }
}

// Tensor ranks then share what is kept, as with --sequence-parallel.
void shared_inputs(ImportDraft& d) {
  const bool whole = d.count_at("parallel.tp", 1) > 1 && d.at("parallel.sequence_parallel") != true;
  if (d.is_on("distribute_saved_activations") && whole)
    d.refuse(d.settings.written("distribute_saved_activations"),
             "kept activations are whole on each tensor rank here");
}

void recompute(ImportDraft& d) {
  // Before --recompute-granularity the method alone said it.
  const bool old = d.is_on("checkpoint_activations") || has_old_checkpoints(d.settings);
  const bool selective = d.is_on("recompute_activations");
  const auto granularity = d.settings.text("recompute_granularity").value_or("");
  const bool experts = d.is_on("recompute_moe_layer");
  if (d.is_open("parallel.recompute")) return;
  if (experts && granularity == "full")
    d.settings.refuse("recompute_moe_layer", "true, and full recompute", "one of them");
  if (experts && granularity.empty() && !selective) return read_moe_recompute(d);
  if (old && granularity.empty()) return old_recompute(d);
  if (granularity == "full") {
    shared_inputs(d);
    return full_recompute(d);
  }
  if (granularity == "none") return d.set("parallel.recompute", "none");
  if (granularity == "selective" || selective) {
    d.set("parallel.recompute", "selective");
    d.settings.take("recompute_method");
    d.settings.take("recompute_num_layers");
    return read_modules(d, experts);
  }
  if (!granularity.empty()) d.settings.choice("recompute_granularity", kGranularities);
  for (const char* name : {"recompute_method", "recompute_num_layers", "recompute_modules",
                           "partition_activations", "cpu_checkpointing"}) {
    d.settings.take(name);
  }
  if (d.settings.has("recompute_granularity")) return d.set("parallel.recompute", "none");
  d.assume("parallel.recompute", "none", "without --recompute-granularity");
}

// Layers whose activations go to the host: all of them, or an open question.
void layer_offload(ImportDraft& d) {
  // The number of layers alone switches offload on, unless a dump says it is off [from memory].
  const char* layers = "cpu_offloading_num_layers";
  if (!d.settings.has("cpu_offloading") && d.settings.count(layers).value_or(0) > 0)
    return d.open("parallel.offload.activations", d.settings.written(layers),
                  "all layers or none go to the host here");
  if (!d.is_on("cpu_offloading")) {
    for (const char* name :
         {layers, "cpu_offloading_activations", "cpu_offloading_weights",
          "cpu_offloading_double_buffering", "cpu_offloading_retain_pinned_cpu_buffers"}) {
      d.settings.take(name);
    }
    return;
  }
  d.open("parallel.offload.activations", d.settings.written("cpu_offloading"),
         "all layers or none go to the host here");
}

void offload(ImportDraft& d) {
  const double fraction = d.settings.number("optimizer_offload_fraction", 0, 1).value_or(1);
  d.set("parallel.offload", {{"optimizer", "host"}, {"optimizer_fraction", fraction}});
}

// A log lists what a run could have had, at its default or beside a switch that is off.
void unused(ImportDraft& d) {
  struct Default {
    std::string_view name, value;
  };
  constexpr std::array kDefaults = {Default{"outer_dp_sharding_strategy", "no_shard"},
                                    Default{"muon_num_ns_steps", "5"}};
  for (const Default& default_value : kDefaults) {
    const ImportDraft& read = d;
    const bool same = std::any_of(
        read.settings.all().begin(), read.settings.all().end(), [&](const ForeignSetting& s) {
          return s.name == default_value.name && s.value == default_value.value;
        });
    if (same) d.settings.take(default_value.name);
  }
  const auto take_all = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) d.settings.take(name);
  };
  if (!d.is_on("first_last_layers_bf16")) {
    take_all({"num_layers_at_start_in_bf16", "num_layers_at_end_in_bf16"});
  } else {
    d.ignored(d.settings.written("first_last_layers_bf16"), "all layers are of one precision here");
  }
  cuda_graphs(d);
  take_all({"cuda_graph_scope", "cuda_graph_warmup_steps"});
  if (!d.settings.has("linear_attention_freq")) {
    take_all({"linear_conv_kernel_dim", "linear_key_head_dim", "linear_num_key_heads",
              "linear_num_value_heads", "linear_value_head_dim"});
  }
}

}  // namespace

bool has_old_checkpoints(const Settings& settings) {
  // On a command line, or in a log.
  const std::string written = settings.written("recompute_method");
  return begins_with(written, "--activations-checkpoint") ||
         begins_with(written, "activations_checkpoint");
}

void read_parallel_of(ImportDraft& d) {
  unused(d);
  if (d.is_on("retro_add_retriever"))
    d.refuse(d.settings.written("retro_add_retriever"), "an encoder of what it finds");
  read_rows_of(kParallelRows, d.settings, d.out.run);
  // A log has the tensor ranks of experts of every model.
  const bool dense = d.at("model").is_object() && d.at("model.num_local_experts").is_null();
  if (dense && value_at(d.given, "model").is_null()) erase_at(d.out.run, "parallel.etp");
  degrees(d);
  world(d);
  global_batch(d);
  context(d);
  dispatcher(d);
  grouped_experts(d);
  sharding(d);
  optimizer_instances(d);
  switches(d);
  read_layout_of(d);
  stage_messages(d);
  recompute(d);
  d.set("parallel.order", d.is_on("use_tp_pp_dp_mapping") ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp");
  if (d.is_on("optimizer_cpu_offload")) offload(d);
  d.settings.take("optimizer_offload_fraction");
  if (d.is_on("cpu_optimizer")) {
    d.open("parallel.offload.optimizer", d.settings.written("cpu_optimizer"),
           "whether its states are on the host, DeepSpeed's file says");
  }
  layer_offload(d);
}

}  // namespace orrery::megatron
