// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"
#include "exchange/text_lines.h"

namespace orrery::megatron {
namespace {

bool given_name(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.text(name);
  return word && *word != "None";
}

// Megatron-LM's own default is fp32; of a tool with other defaults it is open.
void no_precision(ImportDraft& d) {
  if (d.other_defaults.empty()) {
    d.assume("training.precision", "fp32", "without --bf16 and --fp16");
  } else {
    d.open("training.precision", "bf16, fp16", d.other_defaults);
  }
}

void precision(ImportDraft& d) {
  const bool bf16 = d.is_on("bf16");
  const bool fp16 = d.is_on("fp16");
  const bool fp8 = given_name(d, "fp8_format");
  const auto recipe = d.settings.text("fp8_recipe");
  const bool fp4 = given_name(d, "fp4_format");
  d.settings.take("fp4_recipe");
  if (d.is_open("training.precision")) return;
  if (fp4) return d.set("training.precision", "nvfp4");
  if (fp8) return d.set("training.precision", recipe == "mxfp8" ? "mxfp8" : "fp8");
  if (bf16 && fp16) d.settings.refuse("fp16", "true, and bf16 true", "one of them");
  if (!bf16 && !fp16) return no_precision(d);
  d.set("training.precision", bf16 ? "bf16" : "fp16");
}

// bf16 always accumulates in fp32 there; fp16 where it is told to, and otherwise the fp32 copy of
// the gradients is the optimizer's.
std::string_view default_states(ImportDraft& d) {
  auto wide = d.settings.flag("accumulate_allreduce_grads_in_fp32");
  // Primus hands its arguments to Megatron-LM, which accumulates bf16 in fp32 whatever they say.
  if (d.out.format == ForeignFormat::primus && d.is_on("bf16")) wide.reset();
  const bool half = d.is_on("grad_reduce_in_bf16") || wide == false;
  if (wide == true || (d.at("training.precision") != "fp16" && !half)) return kFp32Gradients;
  // DeepSpeed's optimizer keeps no copy of the gradients.
  if (d.is_on("deepspeed")) return "adam-mixed-16";
  if (half) return kFp16Gradients;
  d.note("training.states", std::string(kFp16Gradients),
         "fp16 without --accumulate-allreduce-grads-in-fp32");
  return kFp16Gradients;
}

bool is_adam(ImportDraft& d) {
  const auto name = d.settings.text("optimizer").value_or("adam");
  if (name == "adam" || name == "adamw" || name == "distributed_fused_adam" ||
      name == "mcore_distributed_optim" || name == "fused_adam" || name == "fusedadamw" ||
      name == "cpu_adam") {
    return true;
  }
  if (name == "sgd" || name == "lion") {
    d.set("training.optimizer", name);
  } else if (name == "muon" || name == "dist_muon") {
    d.set("training.optimizer", "muon");
  } else {
    d.open("training.optimizer", d.settings.written("optimizer"),
           "adam, sgd, lion or muon; its states are others");
  }
  return false;
}

// Bytes of a value of torch's type, as a log, a flag or a configuration names it.
double width(ImportDraft& d, std::string_view name) {
  const std::string type = d.settings.text(name).value_or("fp32");
  if (contains(type, "bf16") || contains(type, "bfloat16") || contains(type, "fp16") ||
      contains(type, "float16"))
    return 2;
  return contains(type, "fp8") || contains(type, "uint8") ? 1 : 4;
}

// Adam's states of other widths than fp32's.
Json narrow_states(double gradients, double first, double second, double master) {
  if (gradients == 4 && first == 2 && second == 2 && master == 4) return "bf16-moments";
  if (gradients == 2 && first == 4 && second == 4 && master == 4) return "adam-mixed-16";
  return {{"weights", 2},
          {"gradients", gradients},
          {"optimizer", master + first + second},
          {"reduced", gradients},
          {"gathered", 2}};
}

// Weights in fp32, computed with under autocast.
bool has_wide_weights(ImportDraft& d) {
  d.settings.take("params_dtype");
  const auto& all = d.settings.all();
  return std::any_of(all.begin(), all.end(), [](const ForeignSetting& s) {
    return s.name == "params_dtype" && s.value.is_string() &&
           contains(s.value.get<std::string>(), "float32");
  });
}

// The precision-aware optimizer keeps 16 bits beside bf16 weights, which make the fp32 master copy
// together, unless it is told not to, works on the host, or products have scales of their own
// (Megatron-LM core/optimizer/optimizer_config.py, Transformer Engine's FusedAdam).
bool keeps_remainders(ImportDraft& d) {
  const bool on = d.is_on("use_precision_aware_optimizer");
  const bool stored = d.settings.flag("store_param_remainders").value_or(true);
  const bool plain = d.settings.flag("no_store_param_remainders").value_or(false);
  const std::string scales = d.settings.text("fp8_recipe").value_or("delayed");
  const bool by_tensor = !given_name(d, "fp8_format") || scales == "delayed";
  const Json& precision = d.at("training.precision");
  return on && stored && !plain && by_tensor && !d.is_on("optimizer_cpu_offload") &&
         (precision == "bf16" || precision == "fp8");
}

void states(ImportDraft& d) {
  const bool wide_weights = has_wide_weights(d);
  d.settings.take("accumulate_allreduce_grads_in_fp32");
  d.settings.take("use_precision_aware_optimizer");
  const bool wide_reduction = d.settings.flag("accumulate_allreduce_grads_in_fp32") == true;
  const bool remainders = keeps_remainders(d);
  const bool sent_in_16 = remainders && d.is_on("grad_reduce_in_bf16");
  const double gradients = wide_reduction ? 4 : sent_in_16 ? 2 : width(d, "main_grads_dtype");
  d.settings.take("main_grads_dtype");
  d.settings.take("fsdp_grad_reduce_dtype");
  const double first = width(d, "exp_avg_dtype");
  const double second = width(d, "exp_avg_sq_dtype");
  const double given_master = width(d, "main_params_dtype");
  const double master = remainders && given_master == 4 ? 2 : given_master;
  if (!is_adam(d) || d.is_open("training.precision")) return;
  if (d.at("training.precision") == "fp32") return d.set("training.states", "fp32-adam-16");
  if (wide_weights) {
    const std::string sent = d.settings.text("fsdp_grad_reduce_dtype").value_or("16");
    const char* sharded = contains(sent, "32") ? "fsdp-amp-fp32-reduce" : "fsdp-amp";
    const char* states = d.settings.has("zero_stage") ? sharded : "fp32-adam-16";
    d.note("training.states", states, "fp32 weights under autocast, without O2 [from memory]");
    return d.set("training.states", states);
  }
  const bool wide = gradients + first + second + master == 16;
  if (d.is_on("deepspeed") && d.at("training.precision") == "bf16")
    d.note("training.states", std::string(kFp32Gradients), "without DeepSpeed's grad_accum_dtype");
  d.set("training.states", wide ? Json(std::string(default_states(d)))
                                : narrow_states(gradients, first, second, master));
}

void attention(ImportDraft& d) {
  constexpr std::array<std::string_view, 5> kBackends = {"auto", "flash", "fused", "unfused",
                                                         "local"};
  std::optional<std::size_t> backend;
  if (const auto word = d.settings.text("attention_backend")) {
    // A log has "AttnBackend.flash".
    const std::string last = word->substr(word->find('.') + 1);
    const auto found = std::find(kBackends.begin(), kBackends.end(), last);
    if (found == kBackends.end())
      d.settings.refuse("attention_backend", "auto, flash, fused, unfused or local");
    backend = static_cast<std::size_t>(found - kBackends.begin());
  }
  const bool flash = d.is_any_on({"use_flash_attn", "use_flash_attention"});
  // Megatron-DeepSpeed, and Megatron-LM before it had Transformer Engine, ask for it by name.
  const bool old = d.is_on("deepspeed") || d.settings.has("DDP_impl") ||
                   d.settings.has("checkpoint_activations") || has_old_checkpoints(d.settings);
  const auto kind = d.settings.text("transformer_impl");
  const bool forced = d.is_on("export_force_local_attention");
  const bool local = forced || (kind ? *kind == "local" : old);
  const bool fused = backend ? *backend < 3 : flash || !local;
  d.set("training.flash_attention", fused);
  if (!backend && !flash) {
    d.note("training.flash_attention", fused ? "true" : "false",
           old && !kind ? "without --use-flash-attn" : "Transformer Engine's choice");
  }
}

// Fused with its product, the loss keeps no logits.
void loss(ImportDraft& d) {
  const bool fused = d.is_on("cross_entropy_loss_fusion");
  if (fused && d.settings.word("cross_entropy_fusion_impl") == "linear")
    d.refuse(d.settings.written("cross_entropy_fusion_impl"),
             "a loss that keeps no logits, which no key says");
}

// Megatron-DeepSpeed ends by tokens where they are given; samples are then only a limit.
void tokens(ImportDraft& d) {
  if (const auto n = d.settings.count("train_tokens", 1)) {
    for (const char* name : {"train_samples", "train_iters"}) d.settings.take(name);
    return d.set("training.tokens", *n);
  }
  const auto samples = d.settings.count("train_samples", 1);
  const auto steps = d.settings.count("train_iters", 1);
  const auto length = d.at("training.sequence_length");
  const auto batch = d.at("training.global_batch");
  if (length.is_null() || (!samples && (!steps || batch.is_null()))) return;
  const double sequences =
      samples ? static_cast<double>(*samples) : static_cast<double>(*steps) * batch.get<double>();
  const double tokens = sequences * length.get<double>();
  if (tokens < 9e15) d.set("training.tokens", static_cast<std::int64_t>(tokens));
}

}  // namespace

void read_training_of(ImportDraft& d) {
  read_rows_of(kTrainingRows, d.settings, d.out.run);
  precision(d);
  states(d);
  attention(d);
  loss(d);
  tokens(d);
}

}  // namespace orrery::megatron
