// SPDX-License-Identifier: Apache-2.0
// NeMo Automodel's YAML (NVIDIA-NeMo/Automodel, 2026).
#include <algorithm>

#include "core/json_path.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"
#include "exchange/yaml.h"

namespace orrery::trainer::automodel {
namespace {

constexpr std::array kAutomodelRows = {
    FactRow{"step_scheduler.global_batch_size", FactId::global_batch},
    FactRow{"compile.enabled", FactId::compile, NameKind::boolean},
};
// Below distributed, or distributed_config in older files.
constexpr std::array kAutomodelDegrees = {
    FactRow{"tp_size", FactId::tp, NameKind::degree},
    FactRow{"cp_size", FactId::cp, NameKind::degree},
    FactRow{"pp_size", FactId::pp, NameKind::degree},
    FactRow{"ep_size", FactId::ep, NameKind::degree},
    FactRow{"dp_replicate_size", FactId::replicate, NameKind::degree},
    FactRow{"activation_checkpointing", FactId::recompute, NameKind::boolean},
    FactRow{"sequence_parallel", FactId::sequence_parallel, NameKind::boolean},
};

constexpr std::string_view kAutomodelWithoutEffect =
    "recipe seed benchmark.* step_scheduler.* dist_env.* rng.* checkpoint.* loss_fn loss_fn.* "
    "dataset.* dataloader.* validation_dataset.* validation_dataloader.* optimizer.* "
    "lr_scheduler.* ci.* wandb.* logger.* model._target_ model.backend.* model.trust_remote_code "
    "model.use_* model.attn_implementation model.output_* model.is_meta_device model.load_* "
    "model.config._target_ model.config.name_or_path model.config.trust_remote_code "
    "model.text_config.output_* model.torch_dtype tokenizer.* distributed._target_ "
    "distributed.strategy distributed distributed.defer_* distributed.moe._target_ "
    "distributed.moe.wrap_* "
    "distributed.moe.mp_policy.* distributed.moe.ignore_router_* distributed.backend "
    "distributed.pipeline.* autopipeline._target_ autopipeline.pp_batch_size "
    "autopipeline.scale_grads_in_schedule "
    "distributed_config._target_ distributed_config.strategy distributed_config.defer_* "
    "distributed_config.moe._target_ "
    "distributed_config.moe.wrap_* distributed_config.moe.mp_policy.* "
    "distributed_config.moe.ignore_router_* distributed_config.backend "
    "distributed_config.pipeline.* "
    "packed_sequence.* mlflow.* compile.* peft._target_ peft.alpha peft.dropout* peft.lora_A_init "
    "peft.use_triton peft.lora_dtype "
    "qat.* slurm.* quantization.* model.quantization_config.bnb_* autonvtx cp_* teacher_model.* "
    "kd_* temperature";

constexpr std::array kAutomodelNotModelled = {
    SettingNote{"fp8.*", "the profile's fp8 is used"},
    SettingNote{"autopipeline.*", "--set parallel.vpp=N says how many stages a rank has"},
};

void precision(Settings& settings, Facts& facts) {
  std::string type = settings.word("model.torch_dtype").value_or("");
  if (type.empty()) {
    facts.note(FactId::precision, "bf16", "NeMo Automodel's default");
    type = "bf16";
  }
  if (contains(type, "bfloat16") || type == "bf16") {
    const bool fp8 = settings.flag("fp8.enabled").value_or(false);
    facts.set(FactId::precision, fp8 ? "fp8" : "bf16", fp8 ? "fp8.enabled" : "model.torch_dtype");
    return facts.set(FactId::narrow, true, "model.torch_dtype");
  }
  facts.leave_open(FactId::precision, settings.written("model.torch_dtype"),
                   "torch.bfloat16 alone is known");
}

// A pipeline cuts its local batch into micro batches of its own.
void micro_batch(Settings& settings, Facts& facts) {
  const bool pipeline = facts.count(FactId::pp, 1) > 1;
  auto part = settings.count("distributed.pipeline.pp_microbatch_size", 1, kMostDegree);
  if (!part) part = settings.count("autopipeline.pp_microbatch_size", 1, kMostDegree);
  const auto local = settings.count("step_scheduler.local_batch_size", 1, kMostDegree);
  if (pipeline) return facts.set(FactId::micro_batch, part.value_or(1), "pp_microbatch_size");
  if (local) facts.set(FactId::micro_batch, *local, "step_scheduler.local_batch_size");
}

// match_all_linear is of the head too, unless it is excluded.
void adapter(Settings& settings, Facts& facts) {
  const bool any =
      std::any_of(settings.all().begin(), settings.all().end(),
                  [](const ForeignSetting& s) { return begins_with(s.name, "peft."); });
  const auto stored = [&](const std::string& name, bool otherwise) {
    auto of_model = settings.flag("model.quantization_config." + name);
    if (!of_model) of_model = settings.flag("model." + name);
    return of_model.value_or(settings.flag("quantization." + name).value_or(otherwise));
  };
  const bool bits4 = stored("load_in_4bit", false);
  const bool bits8 = stored("load_in_8bit", false);
  // transformers' BitsAndBytesConfig has it off unless told.
  const bool twice =
      stored("bnb_4bit_use_double_quant", !settings.has("model.quantization_config.load_in_4bit"));
  if (!any && (bits4 || bits8))
    return facts.refuse("quantization", "quantised weights of the base model, and no adapter");
  if (!any) return;
  constexpr AdapterSettings kNames = {.rank = "peft.dim",
                                      .targets = "peft.target_modules",
                                      .every_linear = "peft.match_all_linear",
                                      .dropout = "peft.dropout",
                                      .dora = "peft.use_dora"};
  const StoredBase base = bits8    ? StoredBase::int8
                          : !bits4 ? StoredBase::half
                          : twice  ? StoredBase::nf4
                                   : StoredBase::nf4_single;
  bool head = settings.flag("peft.match_all_linear").value_or(false);
  for (const std::string& name :
       settings.words("peft.exclude_modules").value_or(std::vector<std::string>{})) {
    head = head && !contains(name, "lm_head");
    if (!contains(name, "lm_head") && !contains(name, "vision") && !contains(name, "visual") &&
        !contains(name, "image") && !contains(name, "audio"))
      facts.refuse("peft.exclude_modules " + name, "adapters on some layers alone");
  }
  set_adapter(kNames, base, "peft", settings, facts);
  if (!head) return;
  Json stated = facts.at(FactId::adapter)->value;
  stated["targets"] = {"query", "key", "value", "output", "gate", "up", "down", "head"};
  facts.replace(FactId::adapter, std::move(stated));
}

void distributed(Settings& settings, Facts& facts) {
  const std::string prefix =
      settings.has("distributed_config.strategy") ? "distributed_config." : "distributed.";
  for (const FactRow& row : kAutomodelDegrees) {
    const std::string name = prefix + std::string(row.setting);
    if (settings.word(name).value_or("none") == "none") continue;
    read_facts(std::array{FactRow{name, row.fact, row.kind}}, settings, facts);
  }
  // A target that stands alone is the mapping's own value.
  std::string strategy = "fsdp2";
  for (const std::string& name :
       {std::string("distributed"), prefix + "_target_", prefix + "strategy"})
    strategy = settings.word(name).value_or(strategy);
  const bool ddp = contains(strategy, "ddp") || contains(strategy, "DDP");
  // Megatron FSDP counts its stage here.
  const auto sharded = settings.count(prefix + "zero_dp_strategy", 0, 3);
  facts.set(FactId::zero, ddp ? 0 : sharded.value_or(3), prefix + "strategy");
  if (facts.count(FactId::pp, 1) == 1) return;
  const bool older = settings.has("autopipeline.pp_schedule");
  const std::string part = older ? "autopipeline." : prefix + "pipeline.";
  const std::string schedule = settings.word(part + "pp_schedule").value_or("1f1b");
  facts.leave_open(
      FactId::schedule, part + "pp_schedule " + schedule,
      "how many stages a rank has follows from layers_per_stage; --set parallel.vpp=N, --schedule");
}

// Settings by which FSDP keeps weights gathered or sends them away, perhaps those of experts alone.
void other_sharding(Settings& settings, Facts& facts) {
  for (const ForeignSetting& s : std::vector<ForeignSetting>(settings.all())) {
    if (!begins_with(s.name, "distributed")) continue;
    if (contains(s.name, ".moe.offload_policy")) {
      settings.take(s.name);
      facts.refuse(text_of(s), "experts have the offload of all layers here");
    }
    if (!s.name.ends_with(".reshard_after_forward")) continue;
    if (settings.flag(s.name).value_or(true)) continue;
    if (contains(s.name, ".moe."))
      facts.refuse(text_of(s), "experts are gathered as often as all layers here");
    else
      facts.set(FactId::keeps_gathered, true, text_of(s));
  }
}

// An optimizer with copies of the weights or moments of its own has other bytes than the weights'
// type says; Transformer Engine's has its moments in fp32 unless told [from memory].
void states(Settings& settings, Facts& facts) {
  for (const ForeignSetting& s : settings.all()) {
    if (!begins_with(s.name, "optimizer")) continue;
    const std::string value = bare_text(s.value);
    const bool own = (s.name == "optimizer._target_" || s.name == "optimizer") &&
                     contains(value, "transformer_engine");
    const bool typed = contains(s.name, "exp_avg") || contains(s.name, "master_weight") ||
                       contains(s.name, "store_param_remainders");
    if (!own && (!typed || value == "false")) continue;
    return facts.leave_open(FactId::narrow, text_of(s),
                            "--set training.states={…} says what the optimizer keeps");
  }
}

// A loss fused with the product before it keeps no logits.
void loss(Settings& settings, Facts& facts) {
  for (const char* name : {"loss_fn._target_", "loss_fn"}) {
    if (contains(settings.word(name).value_or(""), "FusedLinearCrossEntropy"))
      return facts.set(FactId::kernels, "liger", settings.written(name));
  }
}

// The job that its command line starts has a task on each GPU.
void job(Settings& settings, Facts& facts) {
  const auto nodes = settings.count("slurm.nodes", 1, kMostDegree);
  const auto each = settings.count("slurm.ntasks_per_node", 1, kMostDegree);
  if (nodes && each) facts.set_default(FactId::gpus, *nodes * *each, "slurm");
}

void attention(Settings& settings, Facts& facts) {
  const auto kind = settings.word("model.attn_implementation");
  if (kind)
    facts.set(FactId::flash, *kind != "eager", settings.written("model.attn_implementation"));
}

// Settings that compute or sum otherwise than the weights' type says.
void other_types(Settings& settings, Facts& facts) {
  if (settings.flag("qat.enabled").value_or(false))
    facts.refuse("qat", "weights that are rounded in each product, which no precision of ours is");
  for (const ForeignSetting& s : settings.all()) {
    const bool policy = contains(s.name, "mp_policy.") && s.name.ends_with("_dtype");
    if (policy && !contains(bare_text(s.value), "bf"))
      facts.refuse(text_of(s), "weights, products and gradients have one type here");
  }
}

void rest(Settings& settings, Facts& facts) {
  precision(settings, facts);
  job(settings, facts);
  attention(settings, facts);
  other_types(settings, facts);
  for (const char* name : {"packed_sequence.packed_sequence_size", "dataset.seq_len",
                           "dataset.seq_length", "dataset.max_length"})
    set_length(name, true, settings, facts);
  distributed(settings, facts);
  micro_batch(settings, facts);
  adapter(settings, facts);
  states(settings, facts);
  loss(settings, facts);
  other_sharding(settings, facts);
  facts.set(FactId::framework, "fsdp", "NeMo Automodel");
  if (settings.has("teacher_model.pretrained_model_name_or_path"))
    facts.refuse("teacher_model", "a training with a second model");
}

}  // namespace

void read(const ForeignFile& file, Facts& facts) {
  const Json document = read_yaml(file.text, file.name);
  const Json& nodes = value_at(document, "benchmark.num_nodes");
  const bool counted = nodes.is_number_integer() && nodes > 0 && nodes <= kMostDegree;
  set_gpus_of_comments(file, facts, counted ? nodes.get<std::int64_t>() : 1);
  read_tool({kAutomodelRows, kAutomodelWithoutEffect, kAutomodelNotModelled,
             "model.pretrained_model_name_or_path model.config.pretrained_model_name_or_path "
             "model.config",
             "optimizer._target_ optimizer", rest},
            file, facts);
}

}  // namespace orrery::trainer::automodel
