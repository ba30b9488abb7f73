// SPDX-License-Identifier: Apache-2.0
#include "exchange/deepspeed/hooks.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/json_path.h"
#include "exchange/deepspeed/names.h"
#include "exchange/tools/condition.h"
#include "exchange/trainer/facts.h"
#include "memory/recipe.h"

namespace orrery::deepspeed {
namespace {

using tools::HookCall;

constexpr const char* kStates = "training.states";

// The place in kTypes of a setting's word; nothing where it is not given or null.
std::optional<std::size_t> type_of(HookCall& call, std::string_view name) {
  const auto word = call.settings.word(name);
  if (!word) return {};
  const auto known = std::find_if(kTypeWords.begin(), kTypeWords.end(),
                                  [&](const TypeWord& t) { return t.word == *word; });
  return known != kTypeWords.end() ? known->type : call.settings.choice(name, kTypes);
}

// A recipe of Adam's by name; SGD's has no names for gradients in fp32.
Json states_of(const StateRecipe& r, bool sgd) {
  if (!sgd) {
    const auto named = std::find_if(kRecipes.begin(), kRecipes.end(),
                                    [&](const NamedRecipe& n) { return n.recipe == r; });
    if (named != kRecipes.end()) return std::string(named->name);
  }
  return {{"weights", r.weights},
          {"gradients", r.gradients},
          {"optimizer", r.optimizer},
          {"reduced", r.reduced},
          {"gathered", r.gathered}};
}

// Gradients of fp32 are fp32 here.
void refuse_narrower(HookCall& call, std::string_view name, std::optional<std::size_t> type) {
  if (type.value_or(0) == 0) return;
  call.facts.leave_key_open(kStates, call.settings.written(name),
                            "gradients of fp32 are fp32 here; --set training.states={…}");
}

}  // namespace

void states(HookCall& call) {
  const auto setting = [&](const char* name) {
    return value_at(call.parameters, name).get<std::string>();
  };
  const std::string kept_by = setting("kept");
  const std::string sent_by = setting("sent");
  const auto kept = type_of(call, kept_by);
  const auto sent = type_of(call, sent_by);
  const auto optimizer = call.settings.word(setting("optimizer"));
  const bool sgd = optimizer && tools::same_word(Json("sgd"), Json(*optimizer));
  const bool bare = sgd && call.settings.number(setting("momentum"), 0, 1).value_or(0) == 0;
  if (!kept && !sent && !bare) return;
  const auto set = [&](Json states) {
    call.facts.set_key(kStates, std::move(states), "gradients and optimizer", false);
  };
  const auto& precision = call.facts.seen(trainer::FactId::precision);
  if (precision && precision->value == "fp32") {
    refuse_narrower(call, kept_by, kept);
    refuse_narrower(call, sent_by, sent);
    if (bare) set(states_of({4, 4, 0, 4, 4}, true));
    return;
  }
  StateRecipe r = find_recipe(sgd ? "sgd" : "adam-mixed-16")->recipe;
  if (bare) r.optimizer = 4;  // the fp32 weights; torch.optim.SGD has momentum 0 unless told
  if (kept == std::size_t{0}) r.gradients = 4;
  if (sent == std::size_t{0}) r.reduced = 4;
  set(states_of(r, sgd));
}

}  // namespace orrery::deepspeed
