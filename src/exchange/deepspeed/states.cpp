// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange/deepspeed/import_parts.h"
#include "exchange/deepspeed/names.h"
#include "memory/recipe.h"

namespace orrery::deepspeed {
namespace {

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

void narrower(ImportDraft& d, std::string_view name, std::string_view type) {
  d.not_understood(std::string(name) + " " + std::string(type),
                   "gradients of fp32 are fp32 here; --set training.states={…}");
}

}  // namespace

void read_states_of(ImportDraft& d) {
  const auto kept = d.settings.choice(kKeptGradients, kTypes);
  const auto sent = d.settings.choice(kSentGradients, kTypes);
  if (!kept && !sent) return;
  if (d.at("training.precision") == "fp32") {
    if (kept.value_or(0) != 0) narrower(d, kKeptGradients, kTypes[*kept]);
    if (sent.value_or(0) != 0) narrower(d, kSentGradients, kTypes[*sent]);
    return;
  }
  const bool sgd = d.at("training.optimizer") == "sgd";
  StateRecipe r = find_recipe(sgd ? "sgd" : "adam-mixed-16")->recipe;
  if (kept == std::size_t{0}) r.gradients = 4;
  if (sent == std::size_t{0}) r.reduced = 4;
  d.set("training.states", states_of(r, sgd));
}

}  // namespace orrery::deepspeed
