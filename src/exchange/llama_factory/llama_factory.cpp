// SPDX-License-Identifier: Apache-2.0
// LLaMA-Factory's YAML (hiyouga/LLaMA-Factory, 2026): Hugging Face's TrainingArguments and its own.
// Gradient checkpointing is on unless the file says otherwise.
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer::llama_factory {
namespace {

constexpr std::array kLlamaFactoryRows = {
    FactRow{"per_device_train_batch_size", FactId::micro_batch, NameKind::degree},
    FactRow{"gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
    FactRow{"tensor_model_parallel_size", FactId::tp, NameKind::degree},
    FactRow{"pipeline_model_parallel_size", FactId::pp, NameKind::degree},
    FactRow{"expert_model_parallel_size", FactId::ep, NameKind::degree},
    FactRow{"context_parallel_size", FactId::cp, NameKind::degree},
    FactRow{"torch_compile", FactId::compile, NameKind::boolean},
    FactRow{"pure_bf16", FactId::narrow, NameKind::boolean},
    FactRow{"ray_num_workers", FactId::gpus, NameKind::degree},
};

constexpr std::string_view kLlamaFactoryWithoutEffect =
    "trust_remote_code do_eval dataset* template max_samples overwrite_* "
    "preprocessing_* output_dir logging_* save_* plot_loss learning_rate num_train_epochs "
    "lr_scheduler_* warmup_* report_to run_name ddp_* resume_from_checkpoint eval_* "
    "per_device_eval_batch_size val_size dataloader_* max_steps seed weight_decay adam_* "
    "max_grad_norm freeze_* image_* video_* media_dir stage finetuning_type model_name_or_path "
    "cache_dir hub_* push_to_hub adapter_name_or_path mix_strategy cutoff_len streaming "
    "buffer_size tokenized_path remove_unused_columns group_by_length fp8_backend include_* "
    "optim_args use_fast_tokenizer resize_vocab rope_scaling flash_attn_* enable_thinking "
    "mask_history train_on_prompt ignore_pad_token_for_loss tool_format default_system "
    "neat_packing swanlab_* use_swanlab bf16_full_eval log_level print_param_status "
    "additional_target pissa_* pref_* kto_* ppo_* ref_model* reward_model* apollo_* badam_* "
    "galore_scale galore_proj_type galore_update_interval fp8_enable_fsdp_float8_all_gather "
    "infer_* "
    "moe_aux_loss_coef ray_* placement_strategy resources_per_worker.*";

constexpr std::array kLlamaFactoryNotModelled = {
    SettingNote{"moe_*", "the profile's exchange is used"},
    SettingNote{"sequence_parallel", "the profile's kind is used"},
};

struct Refused {
  const char* name;
  const char* why;
};
// Switches that Orrery cannot model: their training keeps other states.
constexpr std::array kRefused = {
    Refused{"use_apollo", "gradients of low rank"},
    Refused{"use_badam", "one block of weights at a time"},
    Refused{"use_adam_mini", "Adam-mini's states"},
    Refused{"use_llama_pro", "some layers alone are trained"},
    Refused{"use_unsloth", "Unsloth's kernels, which keep less memory than others"},
    Refused{"mixture_of_depths", "layers that tokens skip"},
    Refused{"use_kt", "experts on the host"},
    Refused{"use_asft_loss", "a training with a second model"},
    Refused{"freeze_language_model", "some weights are trained; ours trains all, or adapters"},
    Refused{"train_mm_proj_only", "some weights are trained; ours trains all, or adapters"},
};

// bitsandbytes stores the base model in 4 or 8 bits; scales of 4 bits in 8 unless told not to.
StoredBase stored_base(Settings& settings, Facts& facts) {
  const std::string method = settings.word("quantization_method").value_or("bnb");
  settings.take("quantization_type");
  const auto bits = settings.count("quantization_bit", 1, 16);
  const bool twice = settings.flag("double_quantization").value_or(true);
  if (!bits) return StoredBase::half;
  const bool known = (method == "bnb" || method == "bitsandbytes") && (*bits == 4 || *bits == 8);
  if (!known) facts.refuse(settings.written("quantization_bit"), "a format that is not modelled");
  if (*bits == 8) return StoredBase::int8;
  return twice ? StoredBase::nf4 : StoredBase::nf4_single;
}

// GaLore's rank is 16 by default; with galore_layerwise no gradients are kept.
void galore(Settings& settings, Facts& facts) {
  const auto rank = settings.count("galore_rank", 1, 65536);
  const bool at_once = settings.flag("galore_layerwise").value_or(false);
  const auto targets = settings.words("galore_target").value_or(std::vector<std::string>{});
  if (!settings.flag("use_galore").value_or(false)) return;
  facts.set(FactId::optimizer_rank, rank.value_or(16), "galore_rank");
  if (!rank) facts.note(FactId::optimizer_rank, "16", "without galore_rank [from memory]");
  if (at_once) facts.set(FactId::no_gradients, true, "galore_layerwise");
  if (!targets.empty() && targets.front() != "all")
    facts.refuse(settings.written("galore_target"), "all linear layers are projected here");
}

void kind(Settings& settings, Facts& facts) {
  const std::string type = settings.word("finetuning_type").value_or("lora");
  const bool stated = settings.has("finetuning_type");
  const std::string written = "finetuning_type " + type + (stated ? "" : " (its default)");
  const StoredBase base = stored_base(settings, facts);
  if (type == "lora") {
    constexpr AdapterSettings kNames = {.rank = "lora_rank",
                                        .targets = "lora_target",
                                        .dropout = "lora_dropout",
                                        .dora = "use_dora",
                                        .trained = "additional_target"};
    set_adapter(kNames, base, written, settings, facts);
    const Json& adapter = facts.at(FactId::adapter)->value;
    if (!settings.has("lora_rank"))
      facts.note(FactId::adapter, "rank " + bare_text(adapter["rank"]), "LLaMA-Factory's default");
    if (!settings.has("lora_target"))
      facts.note(FactId::adapter, "every linear layer", "LLaMA-Factory's default");
  } else if (type != "full") {
    facts.refuse(written, "some weights are trained; ours trains all, or adapters");
  } else if (base != StoredBase::half) {
    facts.refuse(settings.written("quantization_bit"), "quantised weights, and no adapter");
  }
  // Settings of adapters, which files carry where none are trained too.
  for (const char* name :
       {"lora_rank", "lora_target", "lora_alpha", "lora_dropout", "use_dora", "pissa_init",
        "use_rslora", "loraplus_lr_ratio", "oft_rank", "oft_block_size", "oft_target"})
    settings.take(name);
  const std::string stage = settings.word("stage").value_or("sft");
  if (stage == "rm")
    facts.refuse("stage rm", "another loss than that of the next token");
  else if (stage != "sft" && stage != "pt")
    facts.refuse("stage " + stage, "a training with a second model or with generation");
  for (const Refused& r : kRefused) {
    // mixture_of_depths is a word.
    const std::string word = settings.word(r.name).value_or("false");
    if (word != "false" && word != "False") facts.refuse(settings.written(r.name), r.why);
  }
  if (settings.flag("use_unsloth_gc").value_or(false))
    facts.set(FactId::offload_activations, "host", settings.written("use_unsloth_gc"));
  facts.freezes_tower = settings.flag("freeze_vision_tower").value_or(true);
  galore(settings, facts);
}

// Files of its Megatron adapter have Megatron-LM's keys beside Hugging Face's.
bool is_megatron(const Settings& settings) {
  return settings.has("use_distributed_optimizer") ||
         settings.has("pipeline_model_parallel_size") || settings.has("tensor_model_parallel_size");
}

void megatron(Settings& settings, Facts& facts) {
  constexpr std::string_view kSwitches[] = {"overlap_grad_reduce",    "overlap_param_gather",
                                            "sequence_parallel",      "moe_grouped_gemm",
                                            "bias_activation_fusion", "apply_rope_fusion"};
  facts.set(FactId::framework, "megatron-core", "Megatron's keys");
  facts.set(FactId::zero, settings.flag("use_distributed_optimizer").value_or(false) ? 1 : 0,
            "use_distributed_optimizer");
  const std::string granularity = settings.word("recompute_granularity").value_or("none");
  if (granularity == "selective") {
    facts.leave_open(FactId::recompute, "recompute_granularity selective", "--recompute says it");
  } else {
    facts.set(FactId::recompute, granularity == "full", "recompute_granularity " + granularity);
  }
  for (const std::string_view s : kSwitches) settings.take(s);
  facts.mention("overlap_grad_reduce, overlap_param_gather, sequence_parallel",
                "--set parallel.framework_options={…} and --sequence-parallel say them");
}

void sharding(Settings& settings, Facts& facts) {
  if (const auto path = settings.word("deepspeed")) {
    facts.set(FactId::deepspeed, base_name(*path), "deepspeed " + *path);
  }
  const auto fsdp = settings.words("fsdp");
  if (fsdp && !fsdp->empty() && !fsdp->front().empty())
    set_fsdp(settings, "fsdp_config.", facts, joined(*fsdp));
}

// Files that predict, merge adapters or answer have the settings of a training too.
void other_work(Settings& settings, Facts& facts) {
  const bool predicts = settings.flag("do_predict").value_or(false);
  const bool trains = settings.flag("do_train").value_or(!predicts);
  constexpr const char* kNothing = "this file trains nothing";
  if (!trains)
    facts.refuse(settings.written(settings.has("do_train") ? "do_train" : "do_predict"), kNothing);
  if (settings.has("do_train")) return;
  for (const char* name : {"export_dir", "infer_backend"}) {
    if (settings.has(name)) return facts.refuse(settings.written(name), kNothing);
  }
}

// Without mixed precision the model computes in the type of its checkpoint.
void precision(Settings& settings, Facts& facts) {
  if (facts.is_on(FactId::narrow)) facts.set(FactId::precision, "bf16", "pure_bf16");
  set_precision(settings, facts);
  const bool stated = facts.has(FactId::precision) || settings.has("bf16") ||
                      settings.has("fp16") || settings.has("pure_bf16");
  if (!stated) facts.unknown_weights = "neither bf16 nor fp16";
}

// `gradient_checkpointing` alone switches nothing off here: LLaMA-Factory has a switch of its own
// [from memory].
void checkpoints(Settings& settings, Facts& facts) {
  const bool off = settings.flag("disable_gradient_checkpointing").value_or(false);
  const bool on = settings.flag("gradient_checkpointing").value_or(false);
  if (is_megatron(settings)) return megatron(settings, facts);
  if (off && on)
    return facts.leave_open(FactId::recompute, settings.written("gradient_checkpointing"),
                            "beside disable_gradient_checkpointing true");
  if (off || on)
    return facts.set(FactId::recompute, !off, "LLaMA-Factory's gradient checkpointing");
  facts.assume_default(FactId::recompute, true,
                       "LLaMA-Factory's gradient checkpointing, on by default");
}

void rest(Settings& settings, Facts& facts) {
  other_work(settings, facts);
  facts.assume_default(FactId::micro_batch, 8,
                       "per_device_train_batch_size 8 (Hugging Face's default)");
  precision(settings, facts);
  kind(settings, facts);
  const bool packed =
      settings.flag("packing").value_or(settings.word("stage").value_or("sft") == "pt") ||
      settings.flag("neat_packing").value_or(false);
  set_length("cutoff_len", packed, settings, facts);
  checkpoints(settings, facts);
  const std::string attention = settings.word("flash_attn").value_or("auto");
  facts.set(FactId::flash, attention != "disabled", "flash_attn " + attention);
  if (settings.flag("enable_liger_kernel").value_or(false))
    facts.set(FactId::kernels, "liger", "enable_liger_kernel");
  sharding(settings, facts);
  for (const char* name : {"muon", "galore"}) {
    const std::string setting = std::string("use_") + name;
    if (settings.flag(setting).value_or(false)) facts.set(FactId::optimizer, name, setting);
  }
  settings.take("optim");
}

}  // namespace

void read(const ForeignFile& file, Facts& facts) {
  read_tool({kLlamaFactoryRows, kLlamaFactoryWithoutEffect, kLlamaFactoryNotModelled,
             "model_name_or_path", "optim", rest},
            file, facts);
}

}  // namespace orrery::trainer::llama_factory
