// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange/megatron/import.h"
#include "exchange/megatron/names.h"

namespace orrery::megatron {
namespace {

bool given_name(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.text(name);
  return word && *word != "None";
}

void precision(ImportDraft& d) {
  const bool bf16 = d.is_on("bf16");
  const bool fp16 = d.is_on("fp16");
  d.settings.take("params_dtype");
  std::string word = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
  if (!bf16 && !fp16) d.note("training.precision", "fp32", "without --bf16 and --fp16");
  const bool fp8 = given_name(d, "fp8_format") || given_name(d, "fp8");
  const auto recipe = d.settings.text("fp8_recipe");
  if (fp8) word = recipe == "mxfp8" ? "mxfp8" : "fp8";
  const bool fp4 = given_name(d, "fp4_format") || given_name(d, "fp4");
  d.settings.take("fp4_recipe");
  if (fp4) word = "nvfp4";
  d.set("training.precision", word);
}

// bf16 always accumulates in fp32 there; fp16 where it is told to, and otherwise the fp32 copy of
// the gradients is the optimizer's.
std::string_view usual_states(ImportDraft& d) {
  const bool wide = d.is_on("accumulate_allreduce_grads_in_fp32");
  if (wide || d.at("training.precision") != "fp16") return kFp32Gradients;
  d.note("training.states", std::string(kFp16Gradients),
         "fp16 without --accumulate-allreduce-grads-in-fp32");
  return kFp16Gradients;
}

void states(ImportDraft& d) {
  d.settings.take("accumulate_allreduce_grads_in_fp32");
  constexpr std::array<std::string_view, 2> kOptimizers = {"adam", "sgd"};
  if (d.settings.choice("optimizer", kOptimizers).value_or(0) == 1)
    return d.set("training.optimizer", "sgd");
  const bool half = d.at("training.precision") != "fp32";
  const auto dtype = [&](std::string_view name) {
    return d.settings.text(name).value_or("fp32").find("bf16") != std::string::npos;
  };
  const bool gradients = dtype("main_grads_dtype");
  const bool moments = dtype("exp_avg_dtype");
  const bool second = dtype("exp_avg_sq_dtype");
  d.settings.take("use_precision_aware_optimizer");
  if (moments != second || (gradients && moments)) {
    d.not_understood("--main-grads-dtype, --exp-avg-dtype, --exp-avg-sq-dtype",
                     "no recipe has these together; --set training.states={…}");
  }
  d.set("training.states", !half       ? "fp32-adam-16"
                           : gradients ? "adam-mixed-16"
                           : moments   ? "bf16-moments"
                                       : std::string(usual_states(d)));
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
  const bool flash = d.is_on("use_flash_attn");
  const bool local = d.settings.text("transformer_impl") == "local";
  const bool fused = backend ? *backend < 3 : flash || !local;
  d.set("training.flash_attention", fused);
  if (!backend && !flash) {
    d.note("training.flash_attention", fused ? "true" : "false", "Transformer Engine's choice");
  }
}

void tokens(ImportDraft& d) {
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
  tokens(d);
}

}  // namespace orrery::megatron
