// SPDX-License-Identifier: Apache-2.0
// Axolotl's YAML (axolotl-ai-cloud/axolotl, 2026).
#include <algorithm>

#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer::axolotl {
namespace {

constexpr std::array kAxolotlRows = {
    FactRow{"micro_batch_size", FactId::micro_batch, NameKind::degree},
    FactRow{"gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
    FactRow{"tensor_parallel_size", FactId::tp, NameKind::degree},
    FactRow{"context_parallel_size", FactId::cp, NameKind::degree},
    FactRow{"sequence_parallel_degree", FactId::cp, NameKind::degree},
    FactRow{"expert_parallel_size", FactId::ep, NameKind::degree},
    FactRow{"dp_replicate_size", FactId::replicate, NameKind::degree},
    FactRow{"dp_shard_size", FactId::shard, NameKind::degree},
    FactRow{"ray_num_workers", FactId::gpus, NameKind::degree},
};

// Parts of the names of plugins, and what those change.
struct Plugin {
  std::string_view part;
  const char* why;
  bool is_refused = false;
};
constexpr std::array kPlugins = {
    Plugin{"liger", ""},
    Plugin{"spectrum", ""},  // its own setting stops
    Plugin{".kd", ""},
    Plugin{"cut_cross_entropy", ""},  // its switch says whether it is on
    Plugin{"kernels", "the profile's kernels are used"},
    Plugin{"densemixer", "every expert computes every token", true},
    Plugin{"diffusion", "another loss than that of the next token", true},
    Plugin{"llm_compressor", "sparse weights, which no key says", true},
};

constexpr std::string_view kAxolotlWithoutEffect =
    "datasets dataset_* pretraining_dataset test_datasets val_set_size output_dir tokenizer_* "
    "model_type special_tokens.* tokens num_epochs max_steps lr_scheduler* learning_rate "
    "warmup_* weight_decay logging_steps saves_per_epoch evals_per_epoch eval_* save_* seed "
    "wandb_* mlflow_* strict train_on_inputs group_by_length resume_from_checkpoint "
    "min_sample_len gradient_checkpointing_kwargs.* pad_to_sequence_len plugins "
    "experts_implementation reinit_weights is_* trust_remote_code chat_template* "
    "overrides_of_model_config.rope_* overrides_of_model_config.max_position_embeddings "
    "default_system_message shuffle_* adam_* adamw_* max_grad_norm cosine_* "
    "early_stopping_patience local_rank debug hub_* "
    "remove_unused_columns dataloader_* sample_packing_* multipack_* xformers_attention "
    "use_ray auto_resume_from_checkpoints load_best_model_at_end loss_watchdog_* "
    "roles_to_train train_on_eos float16 base_model_config base_model_ignore_patterns "
    "revision_of_model processor_type use_tensorboard comet_* lora_alpha lora_fan_in_fan_out "
    "lora_on_cpu lora_model_dir lora_*_kernel lora_dropout lora_r lora_target_modules "
    "lora_target_linear lora_modules_to_save peft_use_rslora peft_init_lora_weights "
    "peft_autocast_adapter_dtype peft_use_dora peft.loftq_config.* ddp_timeout "
    "fsdp_final_state_dict_type optim_args.* torch_compile_backend nccl_* "
    "liger_use_token_scaling skip_prepare_dataset rope_theta include_tokens_per_second profiler_* "
    "fix_untrained_tokens excess_length_strategy streaming* eot_tokens "
    "loraplus_lr_* neftune_noise_alpha experimental_skip_move_to_device ddp_find_unused_parameters "
    "llama4_linearized_experts";

constexpr std::array kAxolotlNotModelled = {
    SettingNote{"tiled_mlp", "the MLP is not tiled here, and keeps more memory"},
    SettingNote{"tiled_mlp_*", "the MLP is not tiled here, and keeps more memory"},
    SettingNote{"activation_offloading", "--set parallel.offload.activations=host says it"},
    SettingNote{"flash_attn_*", "the profile's kernels are used"},
    SettingNote{"flex_attn*", "the profile's kernels are used"},
    SettingNote{"flex_attention", "the profile's kernels are used"},
    SettingNote{"s2_attention", "each token attends to all before it here"},
    SettingNote{"fp8_enable_fsdp_float8_all_gather", "weights are gathered in 16 bits here"},
    SettingNote{"use_kernels", "the profile's kernels are used"},
    SettingNote{"heads_k_stride", "the ring's own choice"},
    SettingNote{"ring_attn_func", "the ring's own choice"},
    SettingNote{"context_parallel_*", "the ring's own choice"},
};

void adapter(Settings& settings, Facts& facts) {
  const std::string kind = settings.word("adapter").value_or("");
  const bool bits4 = settings.flag("load_in_4bit").value_or(false);
  const bool bits8 = settings.flag("load_in_8bit").value_or(false);
  constexpr AdapterSettings kNames = {.rank = "lora_r",
                                      .targets = "lora_target_modules",
                                      .every_linear = "lora_target_linear",
                                      .dropout = "lora_dropout",
                                      .dora = "peft_use_dora",
                                      .trained = "lora_modules_to_save"};
  const bool low_rank = kind == "lora" || kind == "qlora";
  const bool nf4 = kind == "qlora" || bits4;
  const bool twice = settings.flag("bnb_config_kwargs.bnb_4bit_use_double_quant").value_or(true);
  if (low_rank) {
    const StoredBase four = twice ? StoredBase::nf4 : StoredBase::nf4_single;
    const StoredBase base = nf4 ? four : bits8 ? StoredBase::int8 : StoredBase::half;
    // Axolotl has no rank and no matrices of its own.
    if (!settings.has("lora_r"))
      return facts.leave_open(FactId::adapter, "adapter " + kind,
                              "lora_r is not given, and Axolotl has no default");
    if (!settings.has("lora_target_modules") && !settings.has("lora_target_linear"))
      return facts.leave_open(FactId::adapter, "adapter " + kind,
                              "lora_target_modules is PEFT's choice for this model; name them");
    set_adapter(kNames, base, "adapter " + kind, settings, facts);
  } else if (!kind.empty() && kind != "none") {
    facts.refuse("adapter " + kind, "adapters of another kind; ours are lora, qlora and dora");
  } else if (bits4 || bits8) {
    facts.refuse(settings.written(bits4 ? "load_in_4bit" : "load_in_8bit"),
                 "quantised weights of the base model, and no adapter");
  }
}

// A second model, a head of its own in place of the words' logits, and losses of another training.
void other_loss(Settings& settings, Facts& facts) {
  const std::string rl = settings.word("rl").value_or("");
  if (!rl.empty() && rl != "false")
    facts.refuse("rl " + rl, "a training with a second model or with generation");
  for (const char* name : {"reward_model", "process_reward_model", "kd_trainer"}) {
    if (settings.word(name).value_or("false") != "false")
      facts.refuse(settings.written(name), "another loss than that of the next token");
  }
  if (settings.word("model_type") == "AutoModelForSequenceClassification")
    facts.refuse(settings.written("model_type"), "another loss than that of the next token");
}

// bfloat16 is bf16 without mixed precision; a file that says nothing has bf16 auto [both from
// memory].
void precision(Settings& settings, Facts& facts) {
  const bool pure = settings.flag("bfloat16").value_or(false);
  const bool stated = settings.has("bf16") || settings.has("fp16") || settings.has("float16");
  if (pure && settings.word("bf16").value_or("false") == "false") {
    facts.set(FactId::precision, "bf16", settings.written("bfloat16"));
    facts.set(FactId::narrow, true, settings.written("bfloat16"));
  } else if (!stated && !settings.flag("fp8").value_or(false)) {
    facts.set_picked_precision("bf16 auto (Axolotl's default)");
  }
  set_precision(settings, facts);
}

// The rank is the one argument of GaLore that has a key.
void rank(Settings& settings, Facts& facts) {
  if (const auto n = settings.count("optim_args.rank", 1, kMostDegree))
    facts.set(FactId::optimizer_rank, *n, settings.written("optim_args.rank"));
}

void checkpoints(Settings& settings, Facts& facts) {
  const std::string word = settings.word("gradient_checkpointing").value_or("false");
  const std::string stated = settings.written("gradient_checkpointing");
  facts.set(FactId::recompute, word != "false", stated);
  constexpr const char* kDisk = "host or none; ours keeps none on a disk";
  if (word == "offload_disk") return facts.leave_open(FactId::offload_activations, stated, kDisk);
  // "unsloth" is the older word for it.
  if (begins_with(word, "offload") || word == "unsloth")
    facts.set(FactId::offload_activations, "host", stated);
  const std::string offload = settings.word("activation_offloading").value_or("false");
  if (offload == "disk")
    return facts.leave_open(FactId::offload_activations, settings.written("activation_offloading"),
                            kDisk);
  if (offload != "false")
    facts.set(FactId::offload_activations, "host", settings.written("activation_offloading"));
}

// Transformers' own choice is no eager one.
void attention(Settings& settings, Facts& facts) {
  const std::string kind = settings.word("attn_implementation").value_or("");
  const auto is_on = [&](const char* name) {
    return settings.word(name).value_or("false") != "false";
  };
  const bool eager = is_on("eager_attention");
  const bool other = is_on("flash_attention") || is_on("sdp_attention");
  const bool stated = !kind.empty() || eager || other || settings.has("flash_attention");
  if (!stated) return;
  facts.set(FactId::flash, kind.empty() ? other || !eager : kind != "eager",
            "attn_implementation " + kind);
}

void sharding(Settings& settings, Facts& facts) {
  const auto deepspeed = settings.word("deepspeed");
  if (deepspeed) facts.set(FactId::deepspeed, base_name(*deepspeed), "deepspeed " + *deepspeed);
  settings.take("fsdp_version");
  const auto old = settings.words("fsdp");
  bool any = old && !old->empty();
  for (const ForeignSetting& s : settings.all()) any = any || begins_with(s.name, "fsdp_config.");
  if (any && !deepspeed) set_fsdp(settings, "fsdp_config.", facts, old ? joined(*old) : "");
}

// batch_size is of one GPU, all its micro batches.
void accumulation(Settings& settings, Facts& facts) {
  const auto batch = settings.count("batch_size", 1, kMostDegree);
  const auto micro = settings.count("micro_batch_size", 1, kMostDegree);
  if (!batch || !micro || facts.has(FactId::accumulation)) return;
  facts.set(FactId::accumulation, *batch / *micro, settings.written("batch_size"));
}

// Weights stored in mxfp4 that are loaded as bf16 are a usual base.
void stored_weights(Settings& settings) {
  if (!settings.flag("model_quantization_config_kwargs.dequantize").value_or(false)) return;
  if (settings.word("model_quantization_config") != "Mxfp4Config") return;
  settings.take("model_quantization_config");
}

void compile(Settings& settings, Facts& facts) {
  const char* name = "torch_compile";
  if (settings.word(name) == "auto")
    return facts.leave_open(FactId::compile, settings.written(name), "true or false");
  if (const auto on = settings.flag(name)) facts.set(FactId::compile, *on, settings.written(name));
}

// Kernels and losses that its plugins bring, each with a switch of its own. torchtune's loss by
// chunks keeps the logits.
void kernels(Settings& settings, Facts& facts) {
  const auto is_on = [&](const char* name) { return settings.flag(name).value_or(false); };
  const bool layer_norms = is_on("liger_layer_norm");
  const LigerSwitches liger = {is_on("liger_rms_norm") || layer_norms, is_on("liger_rope"),
                               is_on("liger_glu_activation") || is_on("liger_swiglu"),
                               is_on("liger_cross_entropy"),
                               is_on("liger_fused_linear_cross_entropy")};
  const bool cut = is_on("cut_cross_entropy");
  if (cut) facts.set(FactId::loss, "linear-fused", settings.written("cut_cross_entropy"));
  set_liger(liger, "liger_*", facts);
  if (is_on("chunked_cross_entropy"))
    facts.set(FactId::loss, "fused", settings.written("chunked_cross_entropy"));
  settings.take("chunked_cross_entropy_num_chunks");
}

void plugins(Settings& settings, Facts& facts) {
  for (const std::string& p : settings.words("plugins").value_or(std::vector<std::string>{})) {
    const auto known = std::find_if(kPlugins.begin(), kPlugins.end(),
                                    [&](const Plugin& k) { return contains(p, k.part); });
    if (known == kPlugins.end()) {
      facts.mention(p, "a plugin that is not known");
    } else if (known->is_refused) {
      facts.refuse("plugins " + p, known->why);
    } else if (known->why[0] != '\0') {
      facts.mention(p, known->why);
    }
  }
  settings.take("dense_mixer");
}

// A packed row is a full one; others are as long as the longest of their batch.
void rest(Settings& settings, Facts& facts) {
  stored_weights(settings);
  const bool padded = settings.flag("pad_to_sequence_len").value_or(false);
  set_length("sequence_len", settings.flag("sample_packing").value_or(false) || padded, settings,
             facts);
  accumulation(settings, facts);
  precision(settings, facts);
  other_loss(settings, facts);
  rank(settings, facts);
  adapter(settings, facts);
  checkpoints(settings, facts);
  attention(settings, facts);
  sharding(settings, facts);
  facts.loads_narrow = true;
  const auto qat = std::find_if(settings.all().begin(), settings.all().end(),
                                [](const auto& s) { return begins_with(s.name, "qat."); });
  if (qat != settings.all().end())
    facts.refuse("qat", "weights that are rounded in each product, which no precision of ours is");
  const auto unfrozen = settings.words("unfrozen_parameters");
  if (unfrozen && !unfrozen->empty())
    facts.refuse("unfrozen_parameters", "some weights are trained; ours trains all, or adapters");
  compile(settings, facts);
  kernels(settings, facts);
  plugins(settings, facts);
}

}  // namespace

void read(const ForeignFile& file, Facts& facts) {
  read_tool(
      {kAxolotlRows, kAxolotlWithoutEffect, kAxolotlNotModelled, "base_model", "optimizer", rest},
      file, facts);
}

}  // namespace orrery::trainer::axolotl
