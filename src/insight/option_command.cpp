// SPDX-License-Identifier: Apache-2.0
#include "insight/option_command.h"

#include "core/key_access.h"
#include "estimate/run_keys.h"

namespace orrery {
namespace {

bool has_flags(const std::string& path) {
  return path.empty() || path == key_name<&RunRequest::cluster> ||
         path == key_name<&RunRequest::training> || path == kStrategyKeys.path;
}

// As a command line reads it back: text that is JSON too stands in quotes.
std::string value_text(const Json& value) {
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  return Json::accept(text) ? value.dump() : text;
}

void add_settings(const std::string& path, const Json& from, const Json& to,
                  std::vector<Setting>& list) {
  const std::string before = path.empty() ? "" : path + ".";
  for (const auto& [key, value] : to.items()) {
    const Json old = from.contains(key) ? from.at(key) : Json();
    if (from.contains(key) && old == value) continue;
    const bool goes_in =
        value.is_object() && (old.is_object() || (old.is_null() && has_flags(before + key)));
    if (goes_in) {
      add_settings(before + key, old.is_object() ? old : Json::object(), value, list);
    } else {
      list.push_back({before + key, value_text(value)});
    }
  }
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) list.push_back({before + key, "null"});
  }
}

}  // namespace

std::vector<Setting> settings_between(const Json& from, const Json& to) {
  std::vector<Setting> list;
  add_settings("", from, to, list);
  return list;
}

std::string command_of(const OptionAnswer& o) {
  if (o.plan == nullptr || o.plan->achieved || o.status != OptionStatus::fits) return "";
  const PhasePlan& phase = o.plan->phases.front();
  const std::string settings = typed(settings_between(*phase.base, *o.document));
  return "orrery estimate" + (phase.base_name.empty() ? "" : " " + quoted(phase.base_name)) +
         (settings.empty() ? "" : " " + settings);
}

}  // namespace orrery
