// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/hooks.h"

#include <algorithm>
#include <array>

#include "core/json_path.h"
#include "exchange/adapters.h"
#include "exchange/bridge/hooks.h"
#include "exchange/deepspeed/hooks.h"
#include "exchange/maxtext/hooks.h"
#include "exchange/megatron/hooks.h"
#include "exchange/nemo/hooks.h"
#include "exchange/text_lines.h"
#include "exchange/tools/condition.h"
#include "exchange/tools/generating_server.h"
#include "exchange/tools/layout_words.h"
#include "exchange/torchtitan/hooks.h"
#include "exchange/trainer/facts.h"
#include "exchange/yaml.h"

namespace orrery::tools {
namespace {

using trainer::FactId;

std::string parameter(const HookCall& call, const char* name) {
  const Json& value = value_at(call.parameters, name);
  return value.is_string() ? value.get<std::string>() : "";
}

// The GPUs that the command in a file's comments says; `nodes`: a setting.
void gpus_of_comments(HookCall& call) {
  const std::string nodes = parameter(call, "nodes");
  const auto n = nodes.empty() ? std::nullopt : call.settings.count(nodes, 1, kMostDegree);
  set_gpus_of_comments(call.file, call.facts, n.value_or(1));
}

// torchtune's command in the comments names the recipe, which says where it runs; a comment may
// advise another one.
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

void torchtune_recipe(HookCall& call) {
  if (!starts_single_device(call.file.text)) return set_gpus_of_comments(call.file, call.facts, 1);
  call.facts.set_default(FactId::gpus, 1, "a recipe of a single device");
  call.facts.note(FactId::gpus, "1", "a recipe of a single device");
}

bool any_begins(const Settings& settings, const std::string& prefix) {
  return std::any_of(settings.all().begin(), settings.all().end(),
                     [&](const ForeignSetting& s) { return begins_with(s.name, prefix); });
}

// FSDP's settings of Accelerate and the Trainer, below `prefix` where any stands there, and the
// older list beside them.
void fsdp(HookCall& call) {
  const std::string list = parameter(call, "list");
  const std::string prefix = parameter(call, "prefix");
  const auto words = list.empty() ? std::nullopt : call.settings.words(list);
  trainer::set_fsdp(call.settings, any_begins(call.settings, prefix) ? prefix : "", call.facts,
                    words ? trainer::joined(*words) : "");
}

// FSDP's settings in a file of their own, which `fsdp_config` names.
void fsdp_config_file(HookCall& call) {
  const auto config = call.settings.word("fsdp_config");
  if (!config || config->empty()) return;
  const ForeignFile* file = call.facts.given_file(*config);
  if (file == nullptr) {
    return call.facts.refuse(call.settings.written("fsdp_config"),
                             "is not given; what it changes is unknown; give it too");
  }
  const Settings own = call.facts.settings_of_file(read_yaml(file->text, file->name), file->name);
  for (ForeignSetting s : own.all()) {
    s.name = "fsdp_config." + s.name;
    call.settings.add(std::move(s));
  }
}

// `--deepspeed --zero_stage 2`, as DeepSpeed-Chat has it: the program makes the rest of the file.
void own_deepspeed(HookCall& call) {
  constexpr const char* kProgram = "the program alone says its file";
  trainer::Facts& facts = call.facts;
  facts.set(FactId::framework, "deepspeed", "deepspeed");
  const auto stage = call.settings.count("zero_stage", 0, 3);
  stage ? facts.set(FactId::zero, *stage, call.settings.written("zero_stage"))
        : facts.leave_open(FactId::zero, "deepspeed", kProgram);
  if (!facts.has(FactId::precision)) facts.leave_open(FactId::precision, "deepspeed", kProgram);
  if (!call.settings.flag("offload").value_or(false)) return;
  facts.set(FactId::offload_optimizer, "host", "offload");
  if (stage == 3) facts.set(FactId::offload_parameters, "host", "offload");
}

// Liger patches all that it can for a model; liger_kernel_config takes parts out.
void liger_kernel_config(HookCall& call) {
  const auto part = [&](const char* key, bool otherwise) {
    return call.settings.flag(std::string("liger_kernel_config.") + key).value_or(otherwise);
  };
  const bool plain = part("cross_entropy", false);
  const bool swiglu = part("swiglu", true);
  const bool geglu = part("geglu", true);
  trainer::set_liger({part("rms_norm", true), part("rope", true), swiglu && geglu, plain,
                      part("fused_linear_cross_entropy", !plain)},
                     "liger_kernel", call.facts);
}

// Items of a list of which none of the known parts is a part.
void unknown_items(HookCall& call) {
  const auto items = call.settings.words(parameter(call, "list"));
  if (!items) return;
  const Json& known = value_at(call.parameters, "known");
  const std::string refuse = parameter(call, "refuse");
  for (const std::string& item : *items) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const Json& part) {
      return contains(item, part.get<std::string>());
    });
    if (is_known) continue;
    refuse.empty() ? call.facts.mention(item, "is not known")
                   : call.facts.refuse(parameter(call, "list") + " " + item, refuse);
  }
}

// NeMo Automodel's mixed precision of parts: one type for all here.
void other_types(HookCall& call) {
  for (const ForeignSetting& s : call.settings.all()) {
    const bool policy = contains(s.name, "mp_policy.") && s.name.ends_with("_dtype");
    if (policy && !contains(bare_text(s.value), "bf"))
      call.facts.refuse(text_of(s), "weights, products and gradients have one type here");
  }
}

// An optimizer with copies of the weights or moments of its own has other bytes than the weights'
// type gives; Transformer Engine's has its moments in fp32 unless told [from memory].
void own_moments(HookCall& call) {
  for (const ForeignSetting& s : call.settings.all()) {
    if (!begins_with(s.name, "optimizer")) continue;
    const std::string value = bare_text(s.value);
    const bool own = (s.name == "optimizer._target_" || s.name == "optimizer") &&
                     contains(value, "transformer_engine");
    const bool typed = contains(s.name, "exp_avg") || contains(s.name, "master_weight") ||
                       contains(s.name, "store_param_remainders");
    if (!own && (!typed || value == "false")) continue;
    return call.facts.leave_open(FactId::narrow, text_of(s),
                                 "--set training.states={…} says what the optimizer keeps");
  }
}

// Stages of a rank where a stage has so many layers: ceil(L / layers) over the pipeline's ranks, as
// calculate_virtual_stages of NeMo Automodel and torchtitan has it.
void stages_of_layers(HookCall& call) {
  const auto first = [&](const char* name) -> std::string {
    for (const std::string& one : alternatives_in(parameter(call, name))) {
      if (call.settings.has(one)) return one;
    }
    return "";
  };
  const std::string layers = first("layers");
  const std::string schedule = first("schedule");
  const std::string word = schedule.empty() ? "1f1b" : call.settings.word(schedule).value_or("");
  const std::string stated = layers.empty() ? schedule : layers;
  const bool interleaved = same_word(Json(word), Json("interleaved1f1b"));
  const bool single = same_word(Json(word), Json("1f1b")) || same_word(Json(word), Json("gpipe"));
  const std::int64_t all = call.facts.layers_of_model();
  const std::int64_t pp = call.facts.count(FactId::pp, 1);
  const std::int64_t each =
      layers.empty() ? 0 : call.settings.count(layers, 1, kMostDegree).value_or(0);
  if ((!interleaved && !single) || each == 0)
    return call.facts.leave_open(FactId::schedule, schedule + " " + word,
                                 "a schedule that is not read; --schedule, --set parallel.vpp=N");
  if (all == 0)
    return call.facts.leave_open(FactId::schedule, call.settings.written(stated),
                                 "of how many layers; give --model");
  const std::int64_t stages = (all + each - 1) / each;
  if (stages % pp != 0 || (single && stages != pp))
    return call.facts.leave_open(FactId::schedule, call.settings.written(stated),
                                 std::to_string(stages) + " stages on " + std::to_string(pp) +
                                     " ranks; --schedule, --set parallel.vpp=N");
  call.facts.set(FactId::schedule, interleaved ? "interleaved" : "1f1b", schedule + " " + word);
  call.facts.set_key("parallel.vpp", stages / pp, call.settings.written(stated), false);
}

// The share of the layers whose activations go to the host; `layers`: the setting that counts them,
// `all`: that of the model's.
void offloaded_layers(HookCall& call) {
  const std::string setting = parameter(call, "layers");
  const std::int64_t all = call.settings.count(parameter(call, "all"), 1, kMostDegree)
                               .value_or(call.facts.layers_of_model());
  const std::int64_t some = call.settings.count(setting, 0, kMostDegree).value_or(0);
  const std::string by = call.settings.written(setting);
  if (all == 0 || some > all) {
    return call.facts.leave_open(FactId::offload_activations, by,
                                 "of how many layers; give --model");
  }
  call.facts.set(FactId::offload_activations, "host", by);
  const double share = static_cast<double>(some) / static_cast<double>(all);
  if (some < all) call.facts.set_key("parallel.offload.activations_fraction", share, by, false);
}

// An adapter of Megatron-Bridge, NeMo 2 or Primus, whose settings stand below `path`.
void megatron_adapter(HookCall& call) {
  const std::string path = parameter(call, "path");
  Json peft = Json::object();
  for (const ForeignSetting& s : std::vector<ForeignSetting>(call.settings.all())) {
    if (s.name == path) {
      peft = s.value;
    } else if (begins_with(s.name, path + ".")) {
      set_named(peft, s.name.substr(path.size() + 1), s.value, call.settings.file_of(s));
    } else {
      continue;
    }
    call.settings.take(s.name);
  }
  std::vector<LeftOver> left;
  std::vector<std::string> without_effect;
  const auto adapter = read_megatron_adapter(peft, path, left, without_effect);
  if (adapter) call.facts.set(FactId::adapter, *adapter, path);
  for (const LeftOver& l : left) {
    l.is_refused ? call.facts.refuse(l.setting, l.why) : call.facts.mention(l.setting, l.why);
  }
  for (const std::string& s : without_effect) call.facts.without_effect(s);
}

struct NamedHook {
  std::string_view name;
  Hook call;
};
constexpr std::array kHooks = {
    NamedHook{"gpus_of_comments", gpus_of_comments},
    NamedHook{"torchtune_recipe", torchtune_recipe},
    NamedHook{"fsdp", fsdp},
    NamedHook{"fsdp_config_file", fsdp_config_file},
    NamedHook{"own_deepspeed", own_deepspeed},
    NamedHook{"liger_kernel_config", liger_kernel_config},
    NamedHook{"unknown_items", unknown_items},
    NamedHook{"other_types", other_types},
    NamedHook{"own_moments", own_moments},
    NamedHook{"stages_of_layers", stages_of_layers},
    NamedHook{"layout_words", layout_words},
    NamedHook{"deepspeed_states", deepspeed::states},
    NamedHook{"megatron_adapter", megatron_adapter},
    NamedHook{"maxtext_policy", maxtext::custom_policy},
    NamedHook{"generating_server", generating_server},
    NamedHook{"offloaded_layers", offloaded_layers},
    NamedHook{"megatron_layout", megatron::layout},
    NamedHook{"megatron_expert_layers", megatron::expert_layers},
    NamedHook{"megatron_hybrid", megatron::hybrid},
    NamedHook{"megatron_window", megatron::window},
    NamedHook{"megatron_vocabulary", megatron::vocabulary},
    NamedHook{"megatron_states", megatron::states},
    NamedHook{"megatron_recompute_modules", megatron::recompute_modules},
    NamedHook{"megatron_recompute_layers", megatron::recompute_layers},
    NamedHook{"bridge_lists", bridge::lists},
    NamedHook{"nemo_class", nemo::model_class},
    NamedHook{"nemo_callbacks", nemo::callbacks},
    NamedHook{"torchtitan_model", torchtitan::model},
    NamedHook{"torchtitan_batches", torchtitan::batches},
    NamedHook{"torchtitan_stages", torchtitan::stages},
    NamedHook{"torchtitan_precision", torchtitan::precision},
    NamedHook{"torchtitan_states", torchtitan::states},
};

}  // namespace

Hook find_hook(std::string_view name) {
  const auto found = std::find_if(kHooks.begin(), kHooks.end(),
                                  [&](const NamedHook& h) { return h.name == name; });
  return found == kHooks.end() ? nullptr : found->call;
}

std::vector<std::string> hook_names() {
  std::vector<std::string> names;
  for (const NamedHook& h : kHooks) names.emplace_back(h.name);
  return names;
}

}  // namespace orrery::tools
