// SPDX-License-Identifier: Apache-2.0
#include "estimate/training_json.h"

#include <algorithm>

#include "core/error.h"

namespace orrery {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 30;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 53;
constexpr double kMostBytes = 1024;
constexpr std::array<std::string_view, 2> kOptimizers = {"adam", "sgd"};

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const NamedRecipe& r : kRecipes) names.emplace_back(r.name);
  return names;
}

std::vector<std::string> precisions_of(const Device& d) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    if (has_precision(d, static_cast<Precision>(i))) names.emplace_back(kNamesOf<Precision>[i]);
  }
  return names;
}

Precision default_precision(const Device& d) {
  for (const Precision p : {Precision::bf16, Precision::fp16}) {
    if (has_precision(d, p)) return p;
  }
  return Precision::fp32;
}

void read_precision(Reader& r, const Device& device, ResolvedTraining& out) {
  if (auto given = r.find("precision")) {
    out.training.precision = given->choice<Precision>();
    if (!has_precision(device, out.training.precision)) {
      given->fail("what the device computes in: " + alternatives(precisions_of(device)));
    }
    return;
  }
  out.training.precision = default_precision(device);
  out.assumed.push_back({"training.precision", std::string(name_of(out.training.precision)),
                         "the device's 16-bit format"});
}

StateRecipe read_recipe(Reader r) {
  StateRecipe recipe;
  recipe.weights = r.at("weights").number(0.125, kMostBytes);
  recipe.gradients = r.at("gradients").number(0, kMostBytes);
  recipe.optimizer = r.at("optimizer").number(0, kMostBytes);
  recipe.reduced = recipe.gradients;
  recipe.gathered = recipe.weights;
  if (auto v = r.find("reduced")) recipe.reduced = v->number(0.0625, kMostBytes);
  if (auto v = r.find("gathered")) recipe.gathered = v->number(0.0625, kMostBytes);
  if (auto v = r.find("unsaved")) recipe.unsaved = v->number(0, recipe.optimizer);
  r.reject_unknown();
  return recipe;
}

std::string default_states(const ResolvedTraining& t, const FrameworkStates& framework_states) {
  if (t.optimizer == "sgd") return "sgd";
  const Precision p = t.training.precision;
  if (p == Precision::fp32 || p == Precision::tf32) return "fp32-adam-16";
  return p == Precision::fp16 ? framework_states.in_fp16 : framework_states.usual;
}

void read_states(Reader& r, const FrameworkStates& framework_states, bool optimizer_given,
                 ResolvedTraining& out) {
  auto given = r.find("states");
  if (given && given->json().is_object()) {
    out.training.recipe = read_recipe(*given);
    return;
  }
  out.states_name = given ? given->text() : default_states(out, framework_states);
  const NamedRecipe* recipe = find_recipe(out.states_name);
  if (recipe == nullptr) {
    const bool in_fp16 = out.training.precision == Precision::fp16 &&
                         framework_states.in_fp16 != framework_states.usual;
    const char* field = in_fp16 ? "framework.fp16_states" : "framework.states";
    throw InputError(r.file(), given ? given->path() : field, "\"" + out.states_name + "\"",
                     alternatives(recipe_names()) + ", or an object of bytes a parameter",
                     nearest_name(out.states_name, recipe_names()));
  }
  const bool is_sgd = out.states_name == "sgd";
  if (given && optimizer_given && is_sgd != (out.optimizer == "sgd")) {
    given->fail("states that go with optimizer " + out.optimizer);
  }
  out.training.recipe = recipe->recipe;
  if (!given) {
    out.assumed.push_back({"training.states", out.states_name, "the framework's, by precision"});
  }
}

}  // namespace

ResolvedTraining read_training(Reader r, const Device& device,
                               const FrameworkStates& framework_states) {
  ResolvedTraining out;
  Training& t = out.training;
  t.sequence = r.at("sequence_length").integer(1, kLongest);
  t.global_batch = r.at("global_batch").integer(1, kLongest);
  if (auto v = r.find("micro_batch")) {
    out.micro_batch = v->integer(1, t.global_batch);
  } else {
    out.assumed.push_back({"training.micro_batch", "1", "default"});
  }
  if (auto v = r.find("tokens")) t.tokens = v->integer(1, kMostTokens);
  read_precision(r, device, out);
  if (auto v = r.find("flash_attention")) {
    t.fused_attention = v->boolean();
  } else {
    out.assumed.push_back({"training.flash_attention", "true", "default"});
  }
  out.optimizer = "adam";
  if (auto v = r.find("optimizer"))
    out.optimizer = std::string(kOptimizers[v->choice(kOptimizers)]);
  read_states(r, framework_states, r.has("optimizer"), out);
  r.reject_unknown();
  return out;
}

}  // namespace orrery
