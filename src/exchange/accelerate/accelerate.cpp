// SPDX-License-Identifier: Apache-2.0
// Accelerate's YAML (huggingface/accelerate 1.x): how a training is launched. Model, batch and
// length are the trainer's.
#include "exchange/accelerate/accelerate.h"

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/deepspeed/names.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"
#include "exchange/yaml.h"

namespace orrery::accelerate {
namespace {

using trainer::FactId;
using trainer::FactRow;
using trainer::Facts;

constexpr std::array kAccelerateRows = {
    FactRow{"num_processes", FactId::gpus, NameKind::degree},
    FactRow{"parallelism_config.parallelism_config_tp_size", FactId::tp, NameKind::degree},
    FactRow{"tp_config.tp_size", FactId::tp, NameKind::degree},
    FactRow{"parallelism_config.parallelism_config_dp_replicate_size", FactId::replicate,
            NameKind::degree},
    FactRow{"parallelism_config.parallelism_config_dp_shard_size", FactId::shard, NameKind::degree},
    FactRow{"gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
    FactRow{"deepspeed_config.gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
};

// Settings of its plugin for Megatron-LM.
constexpr std::array kMegatronRows = {
    FactRow{"megatron_lm_config.megatron_lm_tp_degree", FactId::tp, NameKind::degree},
    FactRow{"megatron_lm_config.megatron_lm_pp_degree", FactId::pp, NameKind::degree},
    FactRow{"megatron_lm_config.megatron_lm_num_micro_batches", FactId::accumulation,
            NameKind::degree},
    FactRow{"megatron_lm_config.megatron_lm_sequence_parallelism", FactId::sequence_parallel,
            NameKind::boolean},
};

constexpr std::string_view kAccelerateWithoutEffect =
    "compute_environment debug distributed_type downcast_bf16 machine_rank "
    "main_training_function main_process_* num_machines rdzv_backend same_network tpu_* "
    "use_cpu enable_cpu_affinity gpu_ids deepspeed_config.zero3_init_flag "
    "deepspeed_config.zero3_save_16bit_model deepspeed_config.gradient_clipping "
    "deepspeed_config.deepspeed_multinode_launcher deepspeed_config.deepspeed_hostfile "
    "deepspeed_config.offload_*_nvme_path mixed_precision command_file commands "
    "use_parallelism_config mpirun_config.* ipex_config.* fp8_config.* dynamo_config.* "
    "megatron_lm_config.megatron_lm_gradient_clipping "
    "deepspeed_config.deepspeed_moe_layer_cls_names";

constexpr std::array kAccelerateNotModelled = {
    SettingNote{"parallelism_config.*", "the profile's kind is used"},
};

// Kinds of launches on devices that are no GPUs, and what they are.
struct OtherDevice {
  std::string_view type;
  const char* what;
};
constexpr std::array kOtherDevices = {
    OtherDevice{"MULTI_CPU", "processors"},
    OtherDevice{"TPU", "TPUs"},
    OtherDevice{"XLA", "TPUs or other devices of XLA"},
    OtherDevice{"MULTI_XPU", "Intel's XPUs"},
    OtherDevice{"XPU", "Intel's XPUs"},
    OtherDevice{"MULTI_NPU", "Ascend's NPUs"},
    OtherDevice{"NPU", "Ascend's NPUs"},
    OtherDevice{"MULTI_MLU", "Cambricon's MLUs"},
    OtherDevice{"MULTI_MUSA", "Moore Threads' GPUs"},
    OtherDevice{"MULTI_SDAA", "Tecorigin's SDAAs"},
    OtherDevice{"MULTI_HPU", "Gaudi's HPUs"},
    OtherDevice{"MULTI_NEURON", "Trainium"},
};
// Switches of the same.
constexpr std::array kOtherSwitches = {
    OtherDevice{"use_cpu", "processors"},
    OtherDevice{"use_xpu", "Intel's XPUs"},
    OtherDevice{"ipex_config.use_xpu", "Intel's XPUs"},
    OtherDevice{"tpu_use_cluster", "TPUs"},
};

constexpr std::array<std::array<std::string_view, 2>, 3> kParts = {
    {{"fsdp_config.", "FSDP"},
     {"deepspeed_config.", "DEEPSPEED"},
     {"megatron_lm_config.", "MEGATRON_LM"}}};

// Flags of `accelerate launch` and the part of its file that has them.
struct FlagPart {
  std::string_view begin;
  std::string_view part;
};
constexpr std::array kFlagParts = {
    FlagPart{"fsdp_", "fsdp_config."},
    FlagPart{"zero", "deepspeed_config."},
    FlagPart{"offload_", "deepspeed_config."},
    FlagPart{"gradient_", "deepspeed_config."},
    FlagPart{"deepspeed_", "deepspeed_config."},
    FlagPart{"megatron_lm_", "megatron_lm_config."},
    FlagPart{"parallelism_config_", "parallelism_config."},
    FlagPart{"dynamo_", "dynamo_config."},
    FlagPart{"num_processes", ""},
    FlagPart{"num_machines", ""},
    FlagPart{"mixed_precision", ""},
};
constexpr std::array<std::array<std::string_view, 2>, 6> kFlagTypes = {
    {{"use_deepspeed", "DEEPSPEED"},
     {"use_fsdp", "FSDP"},
     {"use_megatron_lm", "MEGATRON_LM"},
     {"tpu", "TPU"},
     {"cpu", "MULTI_CPU"},
     {"use_xpu", "MULTI_XPU"}}};

// `--recompute-activations` is selective; the distributed optimizer is ZeRO 1.
void read_megatron(Settings& settings, Facts& facts) {
  read_facts(kMegatronRows, settings, facts);
  const std::string part = "megatron_lm_config.megatron_lm_";
  const auto flag = [&](const char* name) { return settings.flag(part + name).value_or(false); };
  facts.set(FactId::framework, "megatron-core", "distributed_type MEGATRON_LM");
  facts.set(FactId::zero, flag("use_distributed_optimizer") ? 1 : 0, "use_distributed_optimizer");
  const bool again = flag("recompute_activations");
  facts.set(FactId::recompute, again ? Json("selective") : Json(false), "recompute_activations");
}

// Accelerate's own part of DeepSpeed, or the file it names: then the part is ignored.
void read_deepspeed(Settings& settings, Facts& facts) {
  const std::string file = base_name(settings.file()) + ": ";
  const auto named = settings.text("deepspeed_config.deepspeed_config_file");
  for (const char* name : {"zero_stage", "offload_optimizer_device", "offload_param_device"}) {
    settings.take(std::string("deepspeed_config.") + name);
  }
  if (named)
    return facts.set(FactId::deepspeed, base_name(*named),
                     file + "deepspeed_config_file " + *named);
  facts.set(FactId::framework, "deepspeed", file + "distributed_type DEEPSPEED");
  const auto stage = settings.count("deepspeed_config.zero_stage", 0, 3);
  if (stage) facts.set(FactId::zero, *stage, file + "zero_stage");
  facts.assume_default(FactId::zero, 2, "Accelerate@16cb6eb: zero_stage 2 of its plugin");
  const auto device = [&](const char* name, FactId fact) {
    const auto at = settings.choice(name, deepspeed::kDevices.values);
    if (at) facts.set(fact, std::string(kNamesOf<OffloadTarget>[*at]), file + name);
  };
  device("deepspeed_config.offload_optimizer_device", FactId::offload_optimizer);
  device("deepspeed_config.offload_param_device", FactId::offload_parameters);
}

void precision(Settings& settings, Facts& facts) {
  const auto word = settings.word("mixed_precision");
  if (!word) return;
  const std::string stated = base_name(settings.file()) + ": mixed_precision " + *word;
  if (*word == "no" || *word == "false")
    return facts.set_default(FactId::precision, "fp32", stated);
  if (*word == "bf16" || *word == "fp16" || *word == "fp8")
    return facts.set(FactId::precision, *word, stated);
  facts.leave_open(FactId::precision, stated, "no, fp16, bf16 or fp8");
}

// Older releases have the key at the top.
void compile(Settings& settings, Facts& facts) {
  for (const char* name : {"dynamo_config.dynamo_backend", "dynamo_backend"}) {
    const std::string backend = settings.word(name).value_or("no");
    // Eager backends trace, and compile no kernel.
    const bool eager = backend == "EAGER" || backend == "eager" || backend == "AOT_EAGER";
    if (backend != "no" && backend != "NO" && backend != "false" && !eager) {
      facts.set(FactId::compile, true, settings.written(name));
    }
  }
}

// A ring, whose parts are gathered or passed on, or Ulysses.
void context(Settings& settings, Facts& facts) {
  const std::string prefix = "parallelism_config.parallelism_config_";
  const auto ring = settings.count(prefix + "cp_size", 1, kMostDegree).value_or(1);
  const auto ulysses = settings.count(prefix + "sp_size", 1, kMostDegree).value_or(1);
  constexpr std::array<std::string_view, 2> kWays = {"allgather", "alltoall"};
  const auto way = settings.choice(prefix + "cp_comm_strategy", kWays);
  if (ring > 1 || (ulysses == 1 && settings.has(prefix + "cp_size"))) {
    facts.set(FactId::cp, ring, settings.written(prefix + "cp_size"));
    facts.set(FactId::cp_type, way.value_or(0) == 0 ? "all_gather" : "p2p", "cp_comm_strategy");
  }
  if (ulysses > 1) {
    facts.set(FactId::cp, ulysses, settings.written(prefix + "sp_size"));
    facts.set(FactId::cp_type, "a2a", settings.written(prefix + "sp_size"));
  }
}

// A run on other devices than a node's GPUs.
void devices(const std::string& type, Settings& settings, Facts& facts) {
  for (const OtherDevice& d : kOtherDevices) {
    if (d.type == type) facts.refuse_devices(d.what, "distributed_type " + type);
  }
  for (const OtherDevice& d : kOtherSwitches) {
    if (settings.flag(d.type).value_or(false))
      facts.refuse_devices(d.what, settings.written(d.type));
  }
}

// Degrees of later releases.
void other_degrees(Settings& settings, Facts& facts) {
  for (const ForeignSetting& s : settings.all()) {
    if (s.taken || !begins_with(s.name, "parallelism_config.") || !s.name.ends_with("_size"))
      continue;
    if (s.value != 1) facts.refuse(text_of(s), "a degree that no key says");
  }
}

// The script fills in its own.
void drop_automatic(Settings& settings) {
  const char* name = "deepspeed_config.gradient_accumulation_steps";
  if (settings.word(name) == "auto") settings.remove(name);
}

}  // namespace

void flags_over(Json& document, const std::vector<std::string>& words, const std::string& file) {
  const Settings flags = settings_of_words(words, file);
  for (const ForeignSetting& s : flags.all()) {
    for (const auto& [flag, type] : kFlagTypes) {
      const bool config = flag == "use_deepspeed" && s.name == "deepspeed_config_file";
      if (s.name == flag || config) document["distributed_type"] = std::string(type);
    }
    const auto part = std::find_if(kFlagParts.begin(), kFlagParts.end(),
                                   [&](const FlagPart& p) { return begins_with(s.name, p.begin); });
    const bool unknown_number = begins_with(s.name, "num_") && is_unknown_to_us(s.value);
    if (part == kFlagParts.end() || unknown_number) continue;
    const Json value = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
    set_at(document, std::string(part->part) + s.name, value.is_null() ? Json(true) : value);
  }
}

void read(const ForeignFile& file, Facts& facts) {
  Settings settings = facts.settings_of_file(read_yaml(file.text, file.name), file.name);
  drop_automatic(settings);
  read_facts(kAccelerateRows, settings, facts);
  const std::string type = settings.word("distributed_type").value_or("");
  precision(settings, facts);
  compile(settings, facts);
  context(settings, facts);
  if (type == "FSDP") set_fsdp(settings, "fsdp_config.", facts);
  if (type == "DEEPSPEED") read_deepspeed(settings, facts);
  if (type == "MEGATRON_LM") read_megatron(settings, facts);
  devices(type, settings, facts);
  other_degrees(settings, facts);
  if (type == "NO" || type == "false") facts.set_default(FactId::gpus, 1, "distributed_type NO");
  // Whole replicas, unless the training's own file shards them.
  if (type == "NO" || type == "false" || type == "MULTI_GPU")
    facts.set_default(FactId::zero, 0, base_name(settings.file()) + ": distributed_type " + type);
  // Parts of launchers that are not used.
  for (const auto& [part, of] : kParts) {
    const std::string_view prefix = part;
    if (type == of || type.empty()) continue;
    settings.remove_if([&](const ForeignSetting& s) { return begins_with(s.name, prefix); });
  }
  trainer::list_others(kAccelerateWithoutEffect, kAccelerateNotModelled, settings, facts);
}

// A launch alone says no optimizer, of which the states are.
void leave_states_open(ImportedRun& launch) {
  const char* key = "training.states";
  const Json& framework = value_at(launch.run, "framework");
  if (framework != "hf-trainer" && framework != "fsdp") return;
  erase_at(launch.run, key);
  launch.ignored.push_back(
      {key, "the program that Accelerate launches says its optimizer", key, true});
}

}  // namespace orrery::accelerate
