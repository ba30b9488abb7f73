// SPDX-License-Identifier: Apache-2.0
// Hugging Face's Trainer (transformers 4, TRL's SFTTrainer, the alignment handbook, scripts such as
// run_clm.py): TrainingArguments as YAML or JSON, or behind the program of a command line.
// Training by preferences, with rewards or with a second model stops the import.
#include <algorithm>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/recognise.h"
#include "exchange/shell/shell.h"
#include "exchange/started_configs.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"
#include "exchange/yaml.h"

namespace orrery::trainer::hf_trainer {
namespace {

using Words = std::vector<std::string>;

constexpr std::array kHfTrainerRows = {
    FactRow{"per_device_train_batch_size", FactId::micro_batch, NameKind::degree},
    FactRow{"gradient_accumulation_steps", FactId::accumulation, NameKind::degree},
    FactRow{"torch_compile", FactId::compile, NameKind::boolean},
    FactRow{"gradient_checkpointing", FactId::recompute, NameKind::boolean},
    FactRow{"grad_checkpoint", FactId::recompute, NameKind::boolean},  // InternVL
};

using NamedWhy = std::array<const char*, 2>;

// Switches of TrainingArguments, and the devices they train on.
constexpr std::array kOtherDevices = {
    NamedWhy{"use_cpu", "processors"},       NamedWhy{"no_cuda", "processors"},
    NamedWhy{"use_ipex", "Intel's devices"}, NamedWhy{"use_mps_device", "Apple's devices"},
    NamedWhy{"tpu_num_cores", "TPUs"},       NamedWhy{"use_habana", "Gaudi's HPUs"},
};

// Arguments that no key says.
constexpr std::array kOtherArguments = {
    NamedWhy{"parallelism_config", "degrees that the program alone says; --tp, --cp say them"},
    NamedWhy{"split_batches", "the batch is of all replicas; --global-batch says it"},
};

constexpr std::string_view kHfTrainerWithoutEffect =
    "model_name_or_path tokenizer_* model_revision config_name trust_remote_code cache_dir "
    "chat_template* dataset* data_* train_file validation_* do_train do_eval do_predict eval_* "
    "evaluation_strategy logging_* log_* save_* output_dir overwrite_* learning_rate lr_* "
    "num_train_epochs max_steps warmup_* num_warmup_steps weight_decay adam_* max_grad_norm "
    "seed report_to run_name ddp_* dataloader_* preprocessing_* push_to_hub hub_* "
    "remove_unused_columns group_by_length label_* length_column_name per_device_eval_batch_size "
    "low_cpu_mem_usage include_* torch_dtype dtype auto_insert_empty_system_msg "
    "gradient_checkpointing_kwargs* use_reentrant resume_from_checkpoint load_best_model_at_end "
    "metric_for_best_model greater_is_better lazy_preprocess streaming with_tracking "
    "checkpointing_steps use_slow_tokenizer use_fast_tokenizer tf32 disable_tqdm prediction_* "
    "early_stopping_* system_prompt eos_token pad_token dataset_text_field max_seq_length "
    "max_length block_size model_max_length max_seq_len local_rank deepspeed fsdp "
    "lora_alpha lora_task_type lora_r lora_target_modules lora_dropout lora_modules_to_save "
    "use_rslora use_dora bnb_4bit_* use_bnb_nested_quant ddp_timeout wandb_* trackio_* "
    "ignore_data_skip no_remove_unused_columns neftune_noise_alpha config_file config version "
    "packing_strategy padding_free use_liger overwrite_cache benchmarks callbacks "
    "average_tokens_across_devices full_determinism callback* torch_compile_* concatenate_* "
    "mix_up_* shuffle keep_linebreaks reward_funcs_*";

constexpr std::array kHfTrainerNotModelled = {
    SettingNote{"optim_args", "the optimizer's own choice"},
    SettingNote{"optim_target_modules", "the optimizer's own choice"},
    SettingNote{"auto_find_batch_size", "the batch may shrink; the one given is taken"},
    SettingNote{"assistant_only_loss", "every token has a loss here"},
    SettingNote{"completion_only_loss", "every token has a loss here"},
    SettingNote{"eval_packing", "no evaluation is counted"},
};

// Settings of trainings that are no supervised ones.
constexpr std::string_view kOtherTrainings[] = {"num_generations",
                                                "max_completion_length",
                                                "reward_funcs",
                                                "reward_model_path",
                                                "reward_model",
                                                "max_prompt_length",
                                                "ref_model",
                                                "ref_model_name_or_path",
                                                "kl_coef",
                                                "num_ppo_epochs",
                                                "teacher_model_name_or_path",
                                                "precompute_ref_log_probs"};
constexpr std::string_view kOtherScripts[] = {"dpo",  "grpo", "ppo",   "kto",    "orpo",
                                              "rloo", "gkd",  "xpo",   "reward", "distill",
                                              "cpo",  "rlhf", "online"};
// Switches of scripts that train some weights alone, or other weights too.
constexpr std::string_view kOwnParts[] = {"lora_enable",         "use_lora",    "lora_dim",
                                          "vision_tower",        "use_unsloth", "freeze_backbone",
                                          "tune_mm_mlp_adapter", "bits",        "lora_modules"};

bool is_given(Settings& settings, std::string_view name) {
  const std::string word = settings.word(name).value_or("false");
  return word != "false" && word != "False" && word != "0";
}

void kind(Settings& settings, Facts& facts) {
  for (const std::string_view name : kOtherTrainings) {
    if (settings.has(name))
      return facts.refuse(settings.written(name),
                          "a training with a second model or with generation");
  }
  for (const std::string_view name : kOwnParts) {
    if (is_given(settings, name))
      facts.refuse(settings.written(name), "what is trained then, the script alone says");
  }
}

// ModelConfig of TRL: rank 16, and scales of 4 bits that are not quantised again.
void adapter(Settings& settings, Facts& facts) {
  constexpr AdapterSettings kNames = {.rank = "lora_r",
                                      .default_rank = 16,
                                      .targets = "lora_target_modules",
                                      .dropout = "lora_dropout",
                                      .default_dropout = 0.05,
                                      .dora = "use_dora",
                                      .trained = "lora_modules_to_save"};
  const bool bits4 = is_given(settings, "load_in_4bit");
  const bool bits8 = is_given(settings, "load_in_8bit");
  if (is_given(settings, "use_peft")) {
    const bool twice = is_given(settings, "use_bnb_nested_quant");
    const StoredBase four = twice ? StoredBase::nf4 : StoredBase::nf4_single;
    if (!settings.has("lora_target_modules"))
      facts.refuse("lora_target_modules", "PEFT's choice for this model; name them");
    set_adapter(kNames,
                bits4   ? four
                : bits8 ? StoredBase::int8
                        : StoredBase::half,
                "use_peft true", settings, facts);
  } else if (is_given(settings, "lora_r")) {
    facts.refuse(settings.written("lora_r"), "whether adapters are trained, the script alone says");
  } else if (bits4 || bits8) {
    facts.refuse(settings.written(bits4 ? "load_in_4bit" : "load_in_8bit"),
                 "quantised weights, and no adapter");
  }
}

// `--deepspeed --zero_stage 2`, as DeepSpeed-Chat has it: the program makes the rest of the file.
void own_deepspeed(Settings& settings, Facts& facts) {
  facts.set(FactId::framework, "deepspeed", "deepspeed");
  const auto stage = settings.count("zero_stage", 0, 3);
  stage ? facts.set(FactId::zero, *stage, settings.written("zero_stage"))
        : facts.leave_open(FactId::zero, "deepspeed", "the program alone says its file");
  if (!facts.has(FactId::precision))
    facts.leave_open(FactId::precision, "deepspeed", "the program alone says its file");
  if (settings.flag("offload").value_or(false)) {
    facts.set(FactId::offload_optimizer, "host", "offload");
    if (stage == 3) facts.set(FactId::offload_parameters, "host", "offload");
  }
}

// The keys of a file of its own.
void fsdp_config(Settings& settings, Facts& facts) {
  const auto config = settings.word("fsdp_config");
  if (!config || config->empty()) return;
  const ForeignFile* file = facts.given_file(*config);
  if (file == nullptr) {
    return facts.refuse(settings.written("fsdp_config"),
                        "is not given; what it changes is unknown; give it too");
  }
  const Settings own = facts.settings_of_file(read_yaml(file->text, file->name), file->name);
  for (ForeignSetting s : own.all()) {
    s.name = "fsdp_config." + s.name;
    settings.add(std::move(s));
  }
}

void sharding(Settings& settings, Facts& facts) {
  for (const char* name : {"deepspeed", "deepspeed_config_file"}) {
    const auto path = settings.word(name);
    if (!path || path->empty() || facts.has(FactId::deepspeed)) continue;
    if (*path == "true") return own_deepspeed(settings, facts);
    facts.set(FactId::deepspeed, base_name(*path), std::string(name) + " " + *path);
  }
  const auto fsdp = settings.words("fsdp");
  const bool own = settings.flag("use_fsdp").value_or(false);
  if (!own && (!fsdp || fsdp->empty() || fsdp->front().empty())) return;
  fsdp_config(settings, facts);
  const bool nested = std::any_of(settings.all().begin(), settings.all().end(), [](const auto& s) {
    return begins_with(s.name, "fsdp_config.");
  });
  set_fsdp(settings, nested ? "fsdp_config." : "", facts, fsdp ? joined(*fsdp) : "");
}

void length(Settings& settings, Facts& facts) {
  const bool packed = settings.flag("packing").value_or(false);
  // run_clm.py cuts the joined texts into blocks.
  set_length("block_size", true, settings, facts);
  for (const char* name : {"max_seq_length", "max_length", "model_max_length", "max_seq_len"})
    set_length(name, packed, settings, facts);
}

// Weights of a script that loads them in bf16 stay so where nothing makes them fp32, and without
// mixed precision they compute in bf16.
void weights(Settings& settings, Facts& facts) {
  for (const char* name : {"torch_dtype", "dtype"}) {
    const std::string type = settings.word(name).value_or("");
    const bool bf16 = type == "bfloat16" || type == "bf16";
    const bool fp16 = type == "float16" || type == "fp16";
    facts.loads_narrow = facts.loads_narrow || bf16;
    if (type == "auto") facts.unknown_weights = settings.written(name);
    if (bf16) facts.set_default(FactId::precision, "bf16", settings.written(name));
    if (fp16 && !facts.has(FactId::precision))
      facts.leave_open(FactId::precision, settings.written(name),
                       "weights in fp16 without a copy in fp32");
  }
}

// A configuration that is changed is no model of the hub.
void other_shape(Settings& settings, Facts& facts) {
  if (settings.has("config_overrides"))
    facts.refuse(settings.written("config_overrides"),
                 "another model than its name; give its config.json with --model");
}

// Tensor ranks of releases of 2025, where 0 and 1 are none.
void tensor_ranks(Settings& settings, Facts& facts) {
  const auto ranks = settings.count("tp_size", 0, kMostDegree);
  if (ranks && *ranks > 1) facts.set(FactId::tp, *ranks, settings.written("tp_size"));
}

// Liger patches all that it can for a model; a configuration beside it takes parts out.
// TRL's loss by chunks recomputes each chunk's logits in backward [from memory].
void liger(Settings& settings, Facts& facts) {
  for (const char* name : {"use_liger_kernel", "use_liger"}) {
    if (!settings.flag(name).value_or(false)) continue;
    const auto part = [&](const char* key, bool otherwise) {
      return settings.flag(std::string("liger_kernel_config.") + key).value_or(otherwise);
    };
    const bool plain = part("cross_entropy", false);
    set_liger(
        {part("rms_norm", true), part("rope", true), part("swiglu", true) && part("geglu", true),
         plain, part("fused_linear_cross_entropy", !plain)},
        name, facts);
  }
  const std::string loss = settings.word("loss_type").value_or("nll");
  if (loss == "chunked_nll")
    facts.set(FactId::loss, "linear-fused", settings.written("loss_type"));
  else if (loss != "nll")
    facts.mention(settings.written("loss_type"), "the loss of the next token is priced");
  const std::string offload = settings.word("activation_offloading").value_or("false");
  if (offload == "true" || offload == "True")
    facts.set(FactId::offload_activations, "host", settings.written("activation_offloading"));
}

void rest(Settings& settings, Facts& facts) {
  for (const auto& [name, devices] : kOtherDevices) {
    if (is_given(settings, name)) facts.refuse_devices(devices, settings.written(name));
  }
  for (const auto& [name, why] : kOtherArguments) {
    if (is_given(settings, name)) facts.refuse(settings.written(name), why);
  }
  if (is_given(settings, "adafactor"))
    facts.set(FactId::optimizer, "adafactor", settings.written("adafactor"));
  tensor_ranks(settings, facts);
  other_shape(settings, facts);
  facts.assume_default(FactId::micro_batch, 8,
                       "per_device_train_batch_size 8 (the Trainer's default)");
  set_precision(settings, facts);
  weights(settings, facts);
  kind(settings, facts);
  adapter(settings, facts);
  length(settings, facts);
  sharding(settings, facts);
  const std::string attention = settings.word("attn_implementation").value_or("sdpa");
  settings.take("use_flash_attn");
  facts.set(FactId::flash, attention != "eager", "attn_implementation " + attention);
  liger(settings, facts);
}

// Programs that are installed by their names.
constexpr std::string_view kInstalled[] = {"llamafactory-cli", "lmf", "trl", "axolotl"};

// The place of the program: a Python file, what stands behind -m, or one by its name; the end where
// there is none.
Words::const_iterator program_of(const Words& words) {
  const auto is_program = [](const std::string& w) { return w.ends_with(".py"); };
  const auto file = std::find_if(words.begin(), words.end(), is_program);
  if (file != words.end()) return file;
  const auto module = std::find(words.begin(), words.end(), "-m");
  if (module != words.end()) return module + 1;
  return std::find_first_of(words.begin(), words.end(), std::begin(kInstalled),
                            std::end(kInstalled));
}

// qlora.py of its authors trains adapters on every linear layer of 4 bits unless it is told
// otherwise, on samples of a source and a target [names and defaults from memory].
void qlora_words(Json& document) {
  const auto default_value = [&](const char* name, Json value) {
    if (!document.contains(name)) document[name] = std::move(value);
    return document[name];
  };
  const auto whole = [&](const char* name, std::int64_t otherwise) {
    const auto n = parse_number(bare_text(default_value(name, otherwise)));
    document.erase(name);
    return n ? *n : 0;
  };
  const double bits = whole("bits", 4);
  const double tokens = whole("source_max_len", 1024) + whole("target_max_len", 256);
  if (tokens >= 1) default_value("max_length", tokens);
  default_value("per_device_train_batch_size", 1);
  default_value("gradient_accumulation_steps", 16);
  default_value("gradient_checkpointing", true);
  default_value("optim", "paged_adamw_32bit");
  if (yaml_scalar(bare_text(default_value("full_finetune", false))) == true) return;
  document["use_peft"] = true;
  default_value("lora_r", 64);
  default_value("lora_dropout", 0);
  default_value("lora_target_modules", "all-linear");
  document.erase("lora_modules");
  if (bits == 4 || bits == 8) document[bits == 4 ? "load_in_4bit" : "load_in_8bit"] = true;
  default_value("use_bnb_nested_quant", default_value("double_quant", true));
  if (default_value("quant_type", "nf4") == "nf4") document.erase("quant_type");
  document.erase("double_quant");
}

// Defaults of TRL's own command are others from release to release [from memory].
void trl_defaults(const Settings& own, Facts& facts) {
  if (own.has("config") || own.has("accelerate_config")) return;
  const bool typed = own.has("bf16") || own.has("fp16") || own.has("dtype");
  if (!typed && !own.has("torch_dtype"))
    facts.leave_open(FactId::precision, "trl sft",
                     "without --bf16: bf16 since TRL 0.20, else fp32");
  if (!own.has("gradient_checkpointing"))
    facts.leave_open(FactId::recompute, "trl sft",
                     "without --gradient_checkpointing: on since TRL 0.20, else off");
}

bool is_argument(const std::string& word) { return begins_with(word, "-"); }

// The settings of a command, before its program and behind it, as a YAML document.
ForeignFile document_of(const ForeignFile& script, Facts& facts) {
  const ShellRun run = run_shell(script.text, script.name);
  Json document = Json::object();
  Json launch = Json::object();
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const auto program = program_of(words);
    const Settings own = settings_of_words({program, words.end()}, script.name);
    if (program == words.end() || !is_command(own)) continue;
    // `trl dpo` has its kind behind its name.
    const bool has_kind = program + 1 != words.end() && !is_argument(program[1]);
    const std::string what = base_name(*program) + (has_kind ? " " + program[1] : "");
    for (const std::string_view part : kOtherScripts) {
      if (contains(what, part))
        facts.refuse(what, "a training with a second model or with generation");
    }
    if (what == "trl sft") trl_defaults(own, facts);
    const Settings before = settings_of_words({words.begin(), program}, script.name);
    // A config file of the launcher has these flags already.
    if (std::find(words.begin(), program, "launch") != program && !before.has("config_file"))
      accelerate::flags_over(launch, {words.begin(), program}, script.name);
    for (const ForeignSetting& s : own.all())
      document[s.name] = s.value.is_null() ? Json(true) : s.value;
    if (base_name(*program) == "qlora.py") qlora_words(document);
    if (const std::int64_t gpus = launched_processes(words, run.variables); gpus > 0)
      facts.set(FactId::gpus, gpus, script.name + ": its launcher");
  }
  if (!launch.empty()) accelerate::read({script.name, write_yaml(launch)}, facts);
  return {script.name, write_yaml(document)};
}

}  // namespace

bool is_command(const Settings& settings) {
  return settings.has("per_device_train_batch_size") || settings.has("model_name_or_path") ||
         settings.has("model_name");
}

std::string take_deepspeed(ForeignFile& arguments) {
  if (!contains(arguments.text, "zero_optimization") || is_script(arguments)) return "";
  Json document = read_yaml(arguments.text, arguments.name);
  const Json own = value_at(document, "deepspeed");
  if (!own.is_object()) return "";
  document["deepspeed"] = arguments.name + ": deepspeed";
  arguments.text = write_yaml(document);
  return own.dump();
}

void read(const ForeignFile& file, Facts& facts) {
  const bool document = begins_as_yaml(file.text) || first_character(file.text) == '{';
  const ForeignFile stated = document ? file : document_of(file, facts);
  // LLaMA-Factory's settings behind its program are those of its files.
  if (contains(stated.text, "finetuning_type:")) return llama_factory::read(stated, facts);
  read_tool({kHfTrainerRows, kHfTrainerWithoutEffect, kHfTrainerNotModelled,
             "model_name_or_path model_name model_id config_name", "optim", rest},
            stated, facts);
}

}  // namespace orrery::trainer::hf_trainer
