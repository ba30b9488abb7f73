// SPDX-License-Identifier: Apache-2.0
#include "exchange/torchtitan/hooks.h"

#include <algorithm>
#include <array>

#include "core/divide.h"
#include "estimate/training_keys.h"
#include "exchange/text_lines.h"
#include "exchange/tools/condition.h"
#include "exchange/torchtitan/names.h"
#include "exchange/trainer/facts.h"
#include "parallel/strategy_keys.h"

namespace orrery::torchtitan {
namespace {

using tools::HookCall;
using tools::same_word;
using trainer::FactId;

bool is_one_of(std::string_view theirs, const std::optional<std::string>& stated) {
  return stated && same_word(Json(std::string(theirs)), Json(*stated));
}

// Names have no case: "13b" of 2024 is "13B" of 2025.
const ModelName* model_named(const std::optional<std::string>& module,
                             const std::optional<std::string>& flavor,
                             const std::optional<std::string>& config) {
  const auto found = std::find_if(kModels.begin(), kModels.end(), [&](const ModelName& m) {
    const bool same = flavor ? is_one_of(m.flavor, flavor) : config && *config == m.config;
    return same && (!module || *module == m.module);
  });
  return found == kModels.end() ? nullptr : &*found;
}

// Tokens that are whole sequences.
std::optional<std::int64_t> sequences(HookCall& call, const char* name) {
  const auto tokens = call.settings.count(name, 1);
  if (!tokens) return {};
  const std::int64_t length = call.facts.degree(FactId::sequence_length, 0);
  if (length == 0 || *tokens % length != 0)
    call.settings.refuse(name, "a multiple of seq_len " + std::to_string(length));
  return *tokens / length;
}

constexpr const char* kLocal = "local_batch_size";
constexpr const char* kOldLocal = "batch_size";
constexpr const char* kParts = "pipeline_parallel_microbatches";
constexpr std::int64_t kDefaultLocal = 8;

// Older files say into how many parts a pipeline cuts the batch of a rank, not how large they are.
std::int64_t part_of(HookCall& call, std::int64_t local) {
  const auto size = call.settings.count("pipeline_parallel_microbatch_size", 1, kMostDegree);
  const auto parts = call.settings.count(kParts, 1, kMostDegree);
  if (!parts) return size.value_or(1);
  if (local % *parts != 0)
    call.settings.refuse(kParts, std::to_string(*parts),
                         "a divisor of the local batch " + std::to_string(local));
  return local / *parts;
}

// Embedding and head count for so many layers; for one each where nothing is set.
struct Ends {
  std::int64_t first = 1;
  std::int64_t last = 1;
};

Ends ends_of(HookCall& call) {
  const auto stated = [&](const char* name) {
    return call.settings.count(name, 0, kMostDegree).value_or(1);
  };
  return {stated("pipeline_parallel_first_stage_less_layers"),
          stated("pipeline_parallel_last_stage_less_layers")};
}

void read_ends(const Ends& ends, HookCall& call) {
  if (ends.first == 1 && ends.last == 1) return;
  const char* setting = "fewer layers on the first and the last stage";
  if (ends.first == 0 && ends.last == 0)
    return call.facts.set_key(key_path<&StrategyRequest::layer_split>, "even", setting, false);
  call.facts.leave_key_open(key_path<&StrategyRequest::stage_layers>, setting,
                            "layers of each stage");
}

// Stages of a rank; whether the file says them.
bool read_stage_size(const Ends& ends, HookCall& call) {
  constexpr const char* kName = "pipeline_parallel_layers_per_stage";
  constexpr const char* kKey = key_path<&StrategyRequest::vpp>;
  const auto n = call.settings.count(kName, 1, kMostDegree);
  if (!n) return false;
  const std::string stated = call.settings.written(kName);
  const std::int64_t layers = call.facts.layers_of_model();
  const std::int64_t pp = call.facts.degree(FactId::pp);
  const std::int64_t stages = divided_up(layers + ends.first + ends.last, *n);
  if (layers == 0) {
    call.facts.leave_key_open(kKey, stated, "of how many layers; give --model");
    return true;
  }
  if (stages % pp != 0)
    call.settings.refuse(kName, std::to_string(*n) + ", layers " + std::to_string(layers),
                         "stages that are a multiple of the ranks");
  call.facts.set_key(kKey, stages / pp, stated, false);
  return true;
}

const ScheduleName* schedule_named(const std::string& name) {
  const auto is = [&](const ScheduleName& s) { return is_one_of(s.theirs, name); };
  const auto found = std::find_if(kSchedules.begin(), kSchedules.end(), is);
  if (found != kSchedules.end()) return &*found;
  return is(kOldInterleaved) ? &kOldInterleaved : nullptr;
}

// The list has a converter of this kind: of experts, or of all linear layers.
bool converts(const std::vector<std::string>& converters, std::string_view kind, bool experts) {
  return std::any_of(converters.begin(), converters.end(), [&](const std::string& c) {
    return contains(c, kind) && contains(c, "grouped_mm") == experts;
  });
}

// Tables of converters that no list names.
void converters_off(HookCall& call) {
  for (const ForeignSetting& s : std::vector<ForeignSetting>(call.settings.all())) {
    if (!begins_with(s.name, "quantize.") && !begins_with(s.name, "float8.") &&
        !begins_with(s.name, "mx."))
      continue;
    call.settings.remove(s.name);
    call.facts.without_effect(s.written + " (no converter)");
  }
}

// Scales of whole tensors gather weights in 8 bits only where FSDP is told to.
void read_float8(HookCall& call, bool rowwise) {
  const char* key = "parallel.framework_options.float8";
  std::optional<bool> gathers;
  for (const char* table : {"float8.", "quantize.linear.float8."}) {
    if (const auto given = call.settings.flag(std::string(table) + kGathersFloat8)) gathers = given;
  }
  call.facts.set(FactId::precision, "fp8", "a converter to float8");
  if (rowwise) return call.facts.set_key(key, "rowwise", "recipe_name rowwise", false);
  const std::string without = std::string("without ") + kGathersFloat8 + " [from memory]";
  call.facts.set_key(key, gathers.value_or(false) ? "tensorwise" : "none", without, !gathers);
}

}  // namespace

void model(HookCall& call) {
  auto module = call.settings.text("module");
  const auto config = call.settings.text("config");
  if (!module) module = call.settings.text("model.name");
  const auto flavor = call.settings.text("model.flavor");
  if (module || config) {
    const std::string stated =
        "model " + module.value_or("") + " " + flavor.value_or(config.value_or(""));
    if (const ModelName* m = model_named(module, flavor, config)) {
      call.facts.set(FactId::model, std::string(m->ours), stated);
    } else {
      call.facts.leave_open(FactId::model, stated,
                            "no model of ours by that name; --model says it");
    }
  }
  if (config && !call.facts.has(FactId::ep) && call.facts.model_has_experts())
    call.facts.leave_open(FactId::ep, "expert_parallel_degree of the configuration",
                          "the registered configuration says it, which is not given");
}

void batches(HookCall& call) {
  trainer::Facts& facts = call.facts;
  const auto tokens = sequences(call, "num_tokens_per_microbatch_per_dp_rank");
  const auto step = sequences(call, "num_tokens_per_train_step");
  const char* name = call.settings.has(kLocal) ? kLocal : kOldLocal;
  auto local = call.settings.count(name, 1, kMostDegree);
  const bool is_default = !local && call.defaults_hold && !tokens;
  if (is_default) local = kDefaultLocal;
  const std::string stated = is_default ? "local_batch_size 8, torchtitan's default "
                                          "(torchtitan/config/job_config.py)"
                                        : call.settings.written(name);
  const auto put = [&](FactId fact, std::int64_t value) {
    is_default ? facts.assume_default(fact, value, stated) : facts.set(fact, value, stated);
  };
  if (tokens) {
    facts.set(FactId::micro_batch, *tokens, "num_tokens_per_microbatch_per_dp_rank");
  } else if (facts.degree(FactId::pp) > 1) {
    facts.set(FactId::micro_batch, part_of(call, local.value_or(0)), stated);
    if (local) put(FactId::schedule_batch, *local);
  } else if (local) {
    put(FactId::micro_batch, *local);
  }
  const auto global = call.settings.number("global_batch_size", -1, 1e12);
  if (step) return facts.set(FactId::global_batch, *step, "num_tokens_per_train_step");
  if (global && *global > 0)
    return facts.set(FactId::global_batch, static_cast<std::int64_t>(*global),
                     call.settings.written("global_batch_size"));
  if (local) put(FactId::replica_batch, *local);
}

void stages(HookCall& call) {
  const auto name = call.settings.text("pipeline_parallel_schedule");
  const Ends ends = ends_of(call);
  if (call.facts.degree(FactId::pp) == 1) return;
  const ScheduleName* known = name ? schedule_named(*name) : &kSchedules.front();
  if (known == nullptr)
    return call.facts.leave_open(FactId::schedule, "pipeline_parallel_schedule " + *name,
                                 "no schedule of ours");
  const std::string ours(known->ours);
  if (name) {
    call.facts.set(FactId::schedule, ours, "pipeline_parallel_schedule " + *name);
  } else {
    call.facts.assume_default(FactId::schedule, ours, "without pipeline_parallel_schedule");
  }
  read_ends(ends, call);
  if (!read_stage_size(ends, call) && ours != "1f1b" && ours != "gpipe")
    call.facts.set_key(key_path<&StrategyRequest::vpp>, 2, "torchtitan's two stages a rank", true);
}

void precision(HookCall& call) {
  constexpr std::array<std::string_view, 2> kTypes = {"bfloat16", "float32"};
  constexpr std::array<std::string_view, 2> kRecipes = {"tensorwise", "rowwise"};
  const auto type = call.settings.choice("mixed_precision_param", kTypes);
  auto recipe = call.settings.choice("quantize.linear.float8.recipe_name", kRecipes);
  if (!recipe) recipe = call.settings.choice("float8.recipe_name", kRecipes);
  const auto converters =
      call.settings.words("model.converters").value_or(std::vector<std::string>{});
  for (const std::string& c : converters) {
    if (!contains(c, "float8") && !contains(c, "mx"))
      call.facts.refuse("model.converters " + c, "a converter that is not read");
  }
  const std::string first = call.settings.word("fp8_linear").value_or("");
  const bool old = call.settings.flag("float8.enable_float8_linear").value_or(false) ||
                   (!first.empty() && first != "false");
  if (converts(converters, "mx", false))
    return call.facts.set(FactId::precision, "mxfp8", call.settings.written("model.converters"));
  if (old || converts(converters, "float8", false))
    return read_float8(call, recipe == std::size_t{1});
  if (converts(converters, "float8", true) || converts(converters, "mx", true))
    return call.facts.leave_open(FactId::precision, call.settings.written("model.converters"),
                                 "the experts alone; all layers are of one precision here");
  converters_off(call);
  if (type)
    return call.facts.set(FactId::precision, *type == 0 ? "bf16" : "fp32",
                          call.settings.written("mixed_precision_param"));
  if (call.defaults_hold)
    return call.facts.assume_default(FactId::precision, "bf16", "FSDP's mixed_precision_param");
  call.facts.leave_missing(FactId::precision, "mixed_precision_param and converters",
                           "the configuration says it, which is not given");
}

void states(HookCall& call) {
  constexpr std::array<std::string_view, 2> kTypes = {"float32", "bfloat16"};
  const auto width = [&](const char* name) {
    return call.settings.choice(name, kTypes).value_or(0) == 0 ? 4.0 : 2.0;
  };
  const double weights = width("dtype");
  const double sent = width("mixed_precision_reduce");
  const bool at_once = call.settings.flag("optimizer.early_step_in_backward").value_or(false);
  call.facts.set(FactId::states_of_profile, true, "torchtitan");
  if (weights == 4 && sent == 4 && !at_once) return;
  const auto& precision = call.facts.seen(FactId::precision);
  const double gathered = precision && precision->value == "fp32" ? 4 : 2;
  call.facts.set_key(key_path<&TrainingRequest::states>,
                     {{"weights", weights},
                      {"gradients", at_once ? 0 : weights},
                      {"optimizer", 2 * weights},
                      {"reduced", sent},
                      {"gathered", gathered}},
                     "dtype, mixed_precision_reduce, early_step_in_backward", false);
}

}  // namespace orrery::torchtitan
