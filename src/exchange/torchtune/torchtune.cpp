// SPDX-License-Identifier: Apache-2.0
// torchtune's YAML (pytorch/torchtune 0.6): components by name. The distributed recipes are FSDP2;
// dtype is that of weights, gradients and states.
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer::torchtune {
namespace {

constexpr std::array kTorchtuneRows = {
    FactRow{"batch_size", FactId::micro_batch, NameKind::degree},
    FactRow{"gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
    FactRow{"tensor_parallel_dim", FactId::tp, NameKind::degree},
    FactRow{"context_parallel_dim", FactId::cp, NameKind::degree},
    FactRow{"expert_parallel_dim", FactId::ep, NameKind::degree},
    FactRow{"data_parallel_replicate_dim", FactId::replicate, NameKind::degree},
    FactRow{"optimizer_in_bwd", FactId::no_gradients, NameKind::boolean},
    FactRow{"compile", FactId::compile, NameKind::boolean},
    FactRow{"compile.model", FactId::compile, NameKind::boolean},
};

constexpr std::string_view kTorchtuneWithoutEffect =
    "output_dir checkpointer.* dataset.* dataset_* tokenizer.* seed shuffle optimizer.* "
    "lr_scheduler.* loss.num_output_chunks loss.ignore_index epochs max_steps_per_epoch "
    "clip_grad_norm metric_logger.* log_* "
    "device profiler.* resume_from_checkpoint model.lora_alpha save_* batch_size_val run_val_* "
    "batch_size_* collate_fn enable_async_checkpointing cudnn_deterministic_mode name "
    "model_type keep_last_n_checkpoints optim_bwd epochs_* loss validation.* "
    "tensor_parallel_plan.* parallelize_plan.* base_model_path hf_* packed max_seq_len "
    "compile.* fp8_recipe_name cast_* teacher_model.* teacher_checkpointer.* kd_* policy_model.* "
    "reward_and_value_model.* ref_checkpointer.* value_checkpointer.* reward_checkpointer.* "
    "ref_policy_checkpointer.* ppo_* memory_efficient_fsdp_wrap model.image_size";

constexpr std::array kTorchtuneNotModelled = {
    SettingNote{"custom_sharded_layers", "all weights are sharded here"},
};

// torchao's NF4 stores its scales in 8 bits.
void adapter(const std::string& component, std::string_view way, Settings& settings, Facts& facts) {
  constexpr AdapterSettings kNames = {.rank = "model.lora_rank",
                                      .targets = "model.lora_attn_modules",
                                      .dropout = "model.lora_dropout",
                                      .dora = "model.use_dora"};
  const bool packed = way == "qlora_" || settings.flag("model.quantize_base").value_or(false);
  set_adapter(kNames, packed ? StoredBase::nf4 : StoredBase::half, "model._component_ " + component,
              settings, facts);
  Json stated = facts.at(FactId::adapter)->value;
  if (!stated.contains("targets")) stated["targets"] = Json::array();
  if (settings.flag("model.apply_lora_to_mlp").value_or(false)) {
    for (const char* name : {"gate", "up", "down"}) stated["targets"].push_back(name);
  }
  if (settings.flag("model.apply_lora_to_output").value_or(false))
    stated["targets"].push_back("head");
  if (way == "dora_") stated["kind"] = "dora";
  facts.replace(FactId::adapter, std::move(stated));
}

void model(Settings& settings, Facts& facts) {
  const auto component = settings.word("model._component_");
  if (!component) return;
  std::string name = component->substr(component->rfind('.') + 1);
  for (const char* way : {"qlora_", "lora_", "dora_"}) {
    if (!begins_with(name, way)) continue;
    name = name.substr(std::string_view(way).size());
    adapter(*component, way, settings, facts);
    break;
  }
  set_model(name, "model._component_ " + *component, facts);
}

void precision(Settings& settings, Facts& facts) {
  const std::string type = settings.word("dtype").value_or("fp32");
  const bool fp8 = settings.flag("enable_fp8_training").value_or(false);
  facts.set(FactId::precision, fp8 ? "fp8" : type, fp8 ? "enable_fp8_training" : "dtype " + type);
  facts.set(FactId::narrow, type == "bf16" || type == "fp16", "dtype " + type);
}

// ac_mode counts where enable_activation_checkpointing is off.
void checkpoints(Settings& settings, Facts& facts) {
  const bool all = settings.flag("enable_activation_checkpointing").value_or(false);
  const std::string mode = settings.word("ac_mode").value_or("none");
  const std::string option = settings.word("ac_option").value_or("");
  const std::string stated = base_name(settings.file()) + ": " +
                             (all ? "enable_activation_checkpointing" : "ac_mode " + mode);
  if (all && mode != "none") {
    return facts.leave_open(FactId::recompute, settings.written("ac_mode"),
                            "beside enable_activation_checkpointing neither may count");
  }
  if (mode == "selective") {
    return facts.leave_open(FactId::recompute, stated + " " + option,
                            "some layers are checkpointed; --recompute-layers says how many");
  }
  facts.set(FactId::recompute, all || mode == "full", stated);
}

void offload(Settings& settings, Facts& facts) {
  const bool all = settings.flag("fsdp_cpu_offload").value_or(false) ||
                   settings.flag("fsdp.cpu_offload").value_or(false);
  if (all) {
    facts.set(FactId::offload_parameters, "host", "fsdp_cpu_offload");
    facts.set(FactId::offload_optimizer, "host", "fsdp_cpu_offload");
  }
  if (settings.flag("enable_activation_offloading").value_or(false))
    facts.set(FactId::offload_activations, "host", "enable_activation_offloading");
}

// Distillation, preferences and reinforcement learning have a second model beside the first.
void second_model(Settings& settings, Facts& facts) {
  for (const char* other :
       {"teacher_model._component_", "policy_model._component_", "ref_checkpointer._component_",
        "kd_loss._component_", "ref_policy_model._component_", "reward_and_value_model._component_",
        "ppo_epochs"}) {
    if (settings.has(other))
      return facts.refuse(settings.written(other), "a training with a second model");
  }
  const std::string loss = settings.word("loss._component_").value_or("");
  if (contains(loss, "rlhf"))
    facts.refuse(settings.written("loss._component_"), "a training with a second model");
  if (settings.has("early_exit_loss.scale"))
    facts.refuse("early_exit_loss", "losses of layers before the last");
}

// Parts of a model of images and text that may stay as they are.
void frozen_parts(Settings& settings, Facts& facts) {
  for (const char* part :
       {"model.decoder_trainable", "model.encoder_trainable", "model.fusion_trainable"}) {
    const std::string word = settings.word(part).value_or("true");
    if (word == "false" || word == "frozen" || word == "False")
      facts.refuse(settings.written(part),
                   "some weights are trained; ours trains all, or adapters");
  }
}

// The command in its comments names the recipe, which says where it runs; a comment may advise
// another one.
bool starts_single_device(std::string_view text) {
  bool any = false;
  bool single = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = line.find("tune run ");
    if (at == std::string_view::npos) continue;
    any = true;
    single = single || contains(line.substr(at), "_single_device");
  }
  return any ? single : contains(text, "_single_device") && !contains(text, "_distributed");
}

// Recipes of one device say so in their names.
void world(const ForeignFile& file, Facts& facts) {
  if (!starts_single_device(file.text)) return set_gpus_of_comments(file, facts);
  facts.set_default(FactId::gpus, 1, "a recipe of a single device");
  facts.note(FactId::gpus, "1", "a recipe of a single device");
}

// CEWithChunkedOutputLoss cuts the logits into chunks and keeps them and their softmax;
// LinearCrossEntropyLoss computes the logits of a chunk and keeps the softmax alone (torchtune
// 0.6, modules/loss [from memory]).
void loss(Settings& settings, Facts& facts) {
  const std::string component = settings.word("loss._component_").value_or("");
  const std::string name = component.substr(component.rfind('.') + 1);
  const std::string stated = settings.written("loss._component_");
  if (name == "LinearCrossEntropyLoss") return facts.set(FactId::loss, "chunked", stated);
  if (name == "CEWithChunkedOutputLoss") return facts.set(FactId::loss, "fused", stated);
  if (name.empty() || name == "CrossEntropyLoss") return;
  facts.mention(stated, "the profile's loss is used");
}

void rest(Settings& settings, Facts& facts) {
  second_model(settings, facts);
  frozen_parts(settings, facts);
  model(settings, facts);
  precision(settings, facts);
  set_length("tokenizer.max_seq_len", settings.flag("dataset.packed").value_or(false), settings,
             facts);
  checkpoints(settings, facts);
  offload(settings, facts);
  loss(settings, facts);
  if (const auto momentum = settings.number("optimizer.momentum", 0, 1))
    facts.set(FactId::momentum, *momentum > 0, settings.written("optimizer.momentum"));
  const bool reshard = settings.flag("fsdp_reshard_after_forward").value_or(true);
  if (!reshard) facts.set(FactId::keeps_gathered, true, "fsdp_reshard_after_forward false");
  facts.set(FactId::zero, 3, "torchtune's distributed recipes");
  facts.note(FactId::zero, "3", "the distributed recipes' FSDP2; --zero 0 for one GPU");
  facts.set(FactId::framework, "fsdp", "torchtune");
  facts.set(FactId::flash, true, "torchtune's attention");
  const auto shard = settings.number("data_parallel_shard_dim", -1, double{kMostDegree});
  if (shard && *shard > 0)
    facts.set(FactId::shard, static_cast<std::int64_t>(*shard), "data_parallel_shard_dim");
}

}  // namespace

void read(const ForeignFile& file, Facts& facts) {
  world(file, facts);
  read_tool({kTorchtuneRows, kTorchtuneWithoutEffect, kTorchtuneNotModelled, "",
             "optimizer._component_", rest},
            file, facts);
}

}  // namespace orrery::trainer::torchtune
