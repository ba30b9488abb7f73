// SPDX-License-Identifier: Apache-2.0
#include "exchange/nemo/hooks.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/hub_names.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::nemo {
namespace {

using tools::HookCall;
using trainer::FactId;

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::string class_of_model(HookCall& call) {
  for (const char* name : {"model.config._target_", "model.config", "model._target_"}) {
    const auto word = call.settings.word(name);
    if (word && !word->empty()) return last_part(*word);
  }
  return "";
}

bool has_function(const Settings& settings) {
  return std::any_of(settings.all().begin(), settings.all().end(), [](const ForeignSetting& s) {
    return begins_with(s.name, "model.config.activation_func");
  });
}

// Defaults of the class beside the fields of its experiment.
void family(HookCall& call, const std::string& name) {
  const Json& families = value_at(call.parameters, "families");
  if (!families.contains(name))
    return call.facts.leave_open(FactId::model, "model.config._target_ " + name,
                                 "a class whose defaults are not known; --model");
  for (const auto& [setting, value] : families[name].items()) {
    const bool act = setting == "swiglu" || setting == "geglu" || setting == "squared_relu";
    if (call.facts.has_passed(setting) || call.settings.has("model.config." + setting) ||
        (act && has_function(call.settings)))
      continue;
    call.facts.pass({setting, name + "." + setting, value, call.settings.file()});
    call.facts.note_passed(setting, bare_text(value), name + "'s [from memory]");
  }
}

}  // namespace

void model_class(HookCall& call) {
  const std::string of_class = class_of_model(call);
  std::string name = of_class;
  constexpr std::string_view kConfig = "Config";
  const std::size_t config = name.find(kConfig);
  if (config != std::string::npos) name.erase(config, kConfig.size());
  const std::string ours = shipped_model(name);
  if (!ours.empty()) return call.facts.set(FactId::model, ours, "model " + name);
  if (!call.settings.has("model.config.num_layers"))
    return call.facts.leave_open(FactId::model, "model " + name,
                                 "no model of ours; --model says it");
  family(call, of_class);
}

void callbacks(HookCall& call) {
  const std::string path = "trainer.callbacks";
  const Json& known = value_at(call.parameters, "known");
  const std::string refused = value_at(call.parameters, "refused").get<std::string>();
  const std::string why = value_at(call.parameters, "why").get<std::string>();
  for (const ForeignSetting& s : std::vector<ForeignSetting>(call.settings.all())) {
    const bool own = s.name == path || begins_with(s.name, path + ".");
    const std::string last = last_part(s.name);
    const bool alone = last.find_first_not_of("0123456789") == std::string::npos;
    if (!own || !(last == "_target_" || alone || s.name == path)) continue;
    call.settings.take(s.name);
    if (!s.value.is_string()) continue;  // an empty list
    const std::string name = last_part(bare_text(s.value));
    const bool quiet = std::any_of(known.begin(), known.end(), [&](const Json& part) {
      return contains(name, part.get<std::string>());
    });
    if (contains(name, refused)) {
      call.facts.refuse(path + " " + name, why);
    } else if (!quiet) {
      call.facts.mention(path + " " + name, "a callback that is not known");
    }
  }
}

}  // namespace orrery::nemo
