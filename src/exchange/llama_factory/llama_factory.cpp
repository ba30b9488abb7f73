// SPDX-License-Identifier: Apache-2.0
// LLaMA-Factory's YAML (hiyouga/LLaMA-Factory, 2026): Hugging Face's TrainingArguments and its own.
// Gradient checkpointing is on unless the file says otherwise.
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer::llama_factory {
namespace {

constexpr std::array kLlamaFactoryRows = {
    SaidRow{"per_device_train_batch_size", Said::micro_batch, NameKind::degree},
    SaidRow{"gradient_accumulation_steps", Said::accumulation, NameKind::degree},
    SaidRow{"tensor_model_parallel_size", Said::tp, NameKind::degree},
    SaidRow{"pipeline_model_parallel_size", Said::pp, NameKind::degree},
    SaidRow{"expert_model_parallel_size", Said::ep, NameKind::degree},
    SaidRow{"context_parallel_size", Said::cp, NameKind::degree},
    SaidRow{"torch_compile", Said::compile, NameKind::boolean},
    SaidRow{"pure_bf16", Said::narrow, NameKind::boolean},
    SaidRow{"ray_num_workers", Said::gpus, NameKind::degree},
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
// Switches whose trainings ours has no states for.
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
  if (!known) facts.stop(settings.written("quantization_bit"), "a format that is not modelled");
  if (*bits == 8) return StoredBase::int8;
  return twice ? StoredBase::nf4 : StoredBase::nf4_single;
}

// GaLore's rank is 16 by default; with galore_layerwise no gradients are kept.
void galore(Settings& settings, Facts& facts) {
  const auto rank = settings.count("galore_rank", 1, 65536);
  const bool at_once = settings.flag("galore_layerwise").value_or(false);
  const auto targets = settings.words("galore_target").value_or(std::vector<std::string>{});
  if (!settings.flag("use_galore").value_or(false)) return;
  facts.say(Said::optimizer_rank, rank.value_or(16), "galore_rank");
  if (!rank) facts.note(Said::optimizer_rank, "16", "without galore_rank [from memory]");
  if (at_once) facts.say(Said::no_gradients, true, "galore_layerwise");
  if (!targets.empty() && targets.front() != "all")
    facts.stop(settings.written("galore_target"), "all linear layers are projected here");
}

void kind(Settings& settings, Facts& facts) {
  const std::string type = settings.word("finetuning_type").value_or("lora");
  const bool said = settings.has("finetuning_type");
  const std::string written = "finetuning_type " + type + (said ? "" : " (its default)");
  const StoredBase base = stored_base(settings, facts);
  if (type == "lora") {
    constexpr AdapterSettings kNames = {.rank = "lora_rank",
                                        .targets = "lora_target",
                                        .dropout = "lora_dropout",
                                        .dora = "use_dora",
                                        .trained = "additional_target"};
    say_adapter(kNames, base, written, settings, facts);
    const Json& adapter = facts.at(Said::adapter)->value;
    if (!settings.has("lora_rank"))
      facts.note(Said::adapter, "rank " + bare_text(adapter["rank"]), "LLaMA-Factory's default");
    if (!settings.has("lora_target"))
      facts.note(Said::adapter, "every linear layer", "LLaMA-Factory's default");
  } else if (type != "full") {
    facts.stop(written, "some weights are trained; ours trains all, or adapters");
  } else if (base != StoredBase::half) {
    facts.stop(settings.written("quantization_bit"), "quantised weights, and no adapter");
  }
  // Settings of adapters, which files carry where none are trained too.
  for (const char* name :
       {"lora_rank", "lora_target", "lora_alpha", "lora_dropout", "use_dora", "pissa_init",
        "use_rslora", "loraplus_lr_ratio", "oft_rank", "oft_block_size", "oft_target"})
    settings.take(name);
  const std::string stage = settings.word("stage").value_or("sft");
  if (stage == "rm")
    facts.stop("stage rm", "another loss than that of the next token");
  else if (stage != "sft" && stage != "pt")
    facts.stop("stage " + stage, "a training with a second model or with generation");
  for (const Refused& r : kRefused) {
    // mixture_of_depths is a word.
    const std::string word = settings.word(r.name).value_or("false");
    if (word != "false" && word != "False") facts.stop(settings.written(r.name), r.why);
  }
  if (settings.flag("use_unsloth_gc").value_or(false))
    facts.say(Said::offload_activations, "host", settings.written("use_unsloth_gc"));
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
  facts.say(Said::framework, "megatron-core", "Megatron's keys");
  facts.say(Said::zero, settings.flag("use_distributed_optimizer").value_or(false) ? 1 : 0,
            "use_distributed_optimizer");
  const std::string granularity = settings.word("recompute_granularity").value_or("none");
  if (granularity == "selective") {
    facts.leave_open(Said::recompute, "recompute_granularity selective", "--recompute says it");
  } else {
    facts.say(Said::recompute, granularity == "full", "recompute_granularity " + granularity);
  }
  for (const std::string_view s : kSwitches) settings.take(s);
  facts.mention("overlap_grad_reduce, overlap_param_gather, sequence_parallel",
                "--set parallel.framework_options={…} and --sequence-parallel say them");
}

void sharding(Settings& settings, Facts& facts) {
  if (const auto path = settings.word("deepspeed")) {
    facts.say(Said::deepspeed, base_name(*path), "deepspeed " + *path);
  }
  const auto fsdp = settings.words("fsdp");
  if (fsdp && !fsdp->empty() && !fsdp->front().empty())
    say_fsdp(settings, "fsdp_config.", facts, joined(*fsdp));
}

// Files that predict, merge adapters or answer have the settings of a training too.
void other_work(Settings& settings, Facts& facts) {
  const bool predicts = settings.flag("do_predict").value_or(false);
  const bool trains = settings.flag("do_train").value_or(!predicts);
  constexpr const char* kNothing = "this file trains nothing";
  if (!trains)
    facts.stop(settings.written(settings.has("do_train") ? "do_train" : "do_predict"), kNothing);
  if (settings.has("do_train")) return;
  for (const char* name : {"export_dir", "infer_backend"}) {
    if (settings.has(name)) return facts.stop(settings.written(name), kNothing);
  }
}

// Without mixed precision the model computes in the type of its checkpoint.
void precision(Settings& settings, Facts& facts) {
  if (facts.is_on(Said::narrow)) facts.say(Said::precision, "bf16", "pure_bf16");
  say_precision(settings, facts);
  const bool said = facts.has(Said::precision) || settings.has("bf16") || settings.has("fp16") ||
                    settings.has("pure_bf16");
  if (!said) facts.unknown_weights = "neither bf16 nor fp16";
}

// `gradient_checkpointing` alone switches nothing off here: LLaMA-Factory has a switch of its own
// [from memory].
void checkpoints(Settings& settings, Facts& facts) {
  const bool off = settings.flag("disable_gradient_checkpointing").value_or(false);
  const bool on = settings.flag("gradient_checkpointing").value_or(false);
  if (is_megatron(settings)) return megatron(settings, facts);
  if (off && on)
    return facts.leave_open(Said::recompute, settings.written("gradient_checkpointing"),
                            "beside disable_gradient_checkpointing true");
  if (off || on) return facts.say(Said::recompute, !off, "LLaMA-Factory's gradient checkpointing");
  facts.say_usual(Said::recompute, true, "LLaMA-Factory's gradient checkpointing, on by default");
}

void rest(Settings& settings, Facts& facts) {
  other_work(settings, facts);
  facts.say_usual(Said::micro_batch, 8, "per_device_train_batch_size 8 (Hugging Face's default)");
  precision(settings, facts);
  kind(settings, facts);
  const bool packed =
      settings.flag("packing").value_or(settings.word("stage").value_or("sft") == "pt") ||
      settings.flag("neat_packing").value_or(false);
  say_length("cutoff_len", packed, settings, facts);
  checkpoints(settings, facts);
  const std::string attention = settings.word("flash_attn").value_or("auto");
  facts.say(Said::flash, attention != "disabled", "flash_attn " + attention);
  if (settings.flag("enable_liger_kernel").value_or(false))
    facts.say(Said::kernels, "liger", "enable_liger_kernel");
  sharding(settings, facts);
  for (const char* name : {"muon", "galore"}) {
    const std::string setting = std::string("use_") + name;
    if (settings.flag(setting).value_or(false)) facts.say(Said::optimizer, name, setting);
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
