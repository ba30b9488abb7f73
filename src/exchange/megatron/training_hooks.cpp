// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/json_path.h"
#include "core/modules.h"
#include "estimate/training_keys.h"
#include "exchange/megatron/hooks.h"
#include "exchange/megatron/names.h"
#include "exchange/several_runs.h"
#include "exchange/text_lines.h"
#include "exchange/tools/condition.h"
#include "exchange/trainer/facts.h"
#include "parallel/strategy.h"
#include "parallel/strategy_keys.h"

namespace orrery::megatron {
namespace {

using tools::HookCall;
using trainer::FactId;

const std::string kStates = key_path<&TrainingRequest::states>;
const std::string kModules = key_path<&StrategyRequest::recompute_modules>;

// The states of one training's settings.
class States {
 public:
  explicit States(HookCall& call)
      : call_(call), precision_(bare_text(call.facts.seen(FactId::precision)->value)) {}

  void set() {
    const double master = width("main_params_dtype");
    const double gradients = gradient_width();
    const double first = width("exp_avg_dtype");
    const double second = width("exp_avg_sq_dtype");
    const bool wide_weights = contains(word("params_dtype"), "float32");
    if (precision_ == "fp32") return say("fp32-adam-16");
    if (wide_weights) return over_wide_weights();
    const double kept = keeps_remainders() && master == 4 ? 2 : master;
    if (gradients + first + second + kept == 16) return by_accumulation();
    say(narrow(gradients, first, second, kept));
  }

 private:
  bool is_on(const char* name) { return call_.settings.flag(name).value_or(false); }

  std::string word(const char* name) {
    call_.settings.take(name);
    const ForeignSetting* s = find_setting(call_.settings, name);
    return s == nullptr ? "" : bare_text(s->value);
  }

  bool has_scales() {
    const ForeignSetting* format = find_setting(call_.settings, "fp8_format");
    return format != nullptr && tools::is_on(format->value);
  }

  // Bytes of a value of torch's type, as a log, a flag or a configuration names it.
  double width(const char* name) {
    const std::string type = word(name);
    if (contains(type, "bf16") || contains(type, "bfloat16") || contains(type, "fp16") ||
        contains(type, "float16"))
      return 2;
    return contains(type, "fp8") || contains(type, "uint8") ? 1 : 4;
  }

  double gradient_width() {
    const double own = width("main_grads_dtype");
    if (is_on("accumulate_allreduce_grads_in_fp32")) return 4;
    return keeps_remainders() && is_on("grad_reduce_in_bf16") ? 2 : own;
  }

  // The precision-aware optimizer keeps 16 bits beside bf16 weights, which make the fp32 master
  // copy together, unless it is set otherwise, works on the host, or products have scales of their
  // own (Megatron-LM core/optimizer/optimizer_config.py, Transformer Engine's FusedAdam).
  bool keeps_remainders() {
    const bool stored = call_.settings.flag("store_param_remainders").value_or(true);
    const std::string scales = word("fp8_recipe");
    const bool by_tensor = !has_scales() || scales.empty() || scales == "delayed";
    return is_on("use_precision_aware_optimizer") && stored &&
           !is_on("no_store_param_remainders") && by_tensor && !is_on("optimizer_cpu_offload") &&
           (precision_ == "bf16" || precision_ == "fp8");
  }

  // bf16 always accumulates in fp32 there; fp16 where it is set, and otherwise the fp32 copy of
  // the gradients is the optimizer's.
  void by_accumulation() {
    auto wide = call_.settings.flag("accumulate_allreduce_grads_in_fp32");
    if (value_at(call_.parameters, "accumulates") == "fp32") wide = true;
    const bool half = is_on("grad_reduce_in_bf16") || wide == false;
    if (wide == true || (precision_ != "fp16" && !half)) return fp32_gradients();
    // DeepSpeed's optimizer keeps no copy of the gradients.
    if (is_on("deepspeed")) return say("adam-mixed-16");
    if (half) return say(std::string(kFp16Gradients));
    assume(std::string(kFp16Gradients),
           "fp16 without --accumulate-allreduce-grads-in-fp32 (arguments.py:1196)");
  }

  void fp32_gradients() {
    const bool engine = is_on("deepspeed") && precision_ == "bf16";
    engine ? assume(std::string(kFp32Gradients), "without DeepSpeed's grad_accum_dtype")
           : say(std::string(kFp32Gradients));
  }

  // Weights in fp32, computed with under autocast.
  void over_wide_weights() {
    const char* sharded =
        contains(word("fsdp_grad_reduce_dtype"), "32") ? "fsdp-amp-fp32-reduce" : "fsdp-amp";
    assume(call_.settings.has("zero_stage") ? sharded : "fp32-adam-16",
           "fp32 weights under autocast, without O2 [from memory]");
  }

  // Adam's states of other widths than fp32's.
  static Json narrow(double gradients, double first, double second, double master) {
    if (gradients == 4 && first == 2 && second == 2 && master == 4) return "bf16-moments";
    if (gradients == 2 && first == 4 && second == 4 && master == 4) return "adam-mixed-16";
    return {{"weights", 2},
            {"gradients", gradients},
            {"optimizer", master + first + second},
            {"reduced", gradients},
            {"gathered", 2}};
  }

  void say(Json states) { call_.facts.set_key(kStates, std::move(states), "Adam", false); }
  void assume(Json states, const std::string& why) {
    call_.facts.note_key(kStates, bare_text(states), why);
    say(std::move(states));
  }

  HookCall& call_;
  std::string precision_;
};

}  // namespace

void states(HookCall& call) {
  for (const char* name :
       {"accumulate_allreduce_grads_in_fp32", "grad_reduce_in_bf16",
        "use_precision_aware_optimizer", "store_param_remainders", "no_store_param_remainders",
        "main_grads_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"})
    call.settings.take(name);
  const auto& precision = call.facts.seen(FactId::precision);
  const std::string key(name_of(FactId::precision));
  const bool unknown =
      !precision || (precision->is_default && !call.facts.other_defaults(key).empty());
  if (!unknown && !call.facts.is_open(key)) States(call).set();
}

void recompute_modules(HookCall& call) {
  Json known = Json::array();
  const std::vector<std::string> core = {"core_attn"};
  for (const std::string& name : call.settings.words("recompute_modules").value_or(core)) {
    if (find_name<Module>(name)) {
      known.push_back(name);
    } else {
      call.facts.leave_key_open(kModules, "--recompute-modules " + name, "no module of ours");
    }
  }
  const bool experts = call.settings.flag("recompute_moe_layer").value_or(false);
  if (experts && std::find(known.begin(), known.end(), "moe") == known.end())
    known.push_back("moe");
  call.facts.set_key(kModules, known, "--recompute-modules", false);
}

// A number above the layers of a stage means all of them.
void recompute_layers(HookCall& call) {
  Settings& settings = call.settings;
  const char* name =
      settings.has("recompute_method") ? "recompute_method" : "activations_checkpoint_method";
  const std::string stated = settings.written("recompute_num_layers");
  const std::int64_t layers = settings.count("recompute_num_layers").value_or(1);
  const std::int64_t all = call.facts.layers();
  call.facts.set_key(key_path<&StrategyRequest::recompute_method>,
                     settings.text(name).value_or("uniform"), stated, false);
  call.facts.set_key(key_path<&StrategyRequest::recompute_layers>,
                     std::min(layers, all > 0 ? all : kMostDegree), stated, false);
}

}  // namespace orrery::megatron
