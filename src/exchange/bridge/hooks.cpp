// SPDX-License-Identifier: Apache-2.0
#include "exchange/bridge/hooks.h"

#include "core/json_path.h"
#include "exchange/several_runs.h"
#include "exchange/trainer/facts.h"

namespace orrery::bridge {
namespace {

std::string mark(const Json& part) {
  const std::string name = part.is_string() ? part.get<std::string>() : "";
  if (name == "embedding") return "E";
  if (name == "decoder") return "t";
  if (name == "mtp") return "m";
  return name == "loss" ? "L" : "?";
}

std::string layout_text(const Json& stages) {
  std::string text;
  for (const Json& stage : stages) {
    if (!text.empty()) text += "|";
    for (const Json& part : stage) text += mark(part);
  }
  return text;
}

std::string frequency_text(const Json& layers) {
  std::string text = "(";
  for (const Json& each : layers) text += (text.size() > 1 ? "+[" : "[") + each.dump() + "]";
  return text + ")";
}

}  // namespace

void lists(tools::HookCall& call) {
  const auto setting = [&](const char* name) {
    const std::string path = value_at(call.parameters, name).get<std::string>();
    call.settings.take(path);
    return find_setting(call.settings, path);
  };
  const auto pass = [&](const ForeignSetting& s, Json value) {
    call.facts.pass({s.name.substr(s.name.rfind('.') + 1), s.written, std::move(value),
                     call.settings.file_of(s)});
  };
  if (const ForeignSetting* layout = setting("layout")) {
    if (layout->value.is_string()) pass(*layout, layout->value);
    if (layout->value.is_array() && !layout->value.empty())
      pass(*layout, layout_text(layout->value));
  }
  const ForeignSetting* frequency = setting("frequency");
  if (frequency == nullptr || setting("experts") == nullptr) return;
  pass(*frequency, frequency->value.is_array() ? Json(frequency_text(frequency->value))
                                               : Json(bare_text(frequency->value)));
}

}  // namespace orrery::bridge
