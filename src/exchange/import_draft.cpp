// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_draft.h"

#include <algorithm>

#include "exchange/argument_list.h"

namespace orrery {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty() || pattern.back() != '*') return name == pattern;
  return name.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
}

// Off, or nothing: as a log lists what a run does not use.
bool is_off(const Json& value) { return value.is_boolean() && !value.get<bool>(); }

}  // namespace

bool ImportDraft::is_without_effect(std::string_view name) const {
  return std::any_of(without_effect.begin(), without_effect.end(),
                     [&](std::string_view p) { return matches(name, p); });
}

std::int64_t ImportDraft::count_at(std::string_view path, std::int64_t otherwise) const {
  return at(path).is_number_integer() ? at(path).get<std::int64_t>() : otherwise;
}

void ImportDraft::note(const std::string& path, const std::string& value, const std::string& why) {
  out.assumed.push_back({path, value, why});
}

void ImportDraft::assume(const std::string& path, Json value, const std::string& why) {
  if (!at(path).is_null() || value.is_null()) return;
  note(path, value.is_string() ? value.get<std::string>() : value.dump(), why);
  set(path, std::move(value));
}

void ImportDraft::not_understood(const std::string& setting, const std::string& why) {
  out.not_understood.push_back({setting, why});
}

void ImportDraft::set_aside_unknown_values() {
  const auto unknown = [](const ForeignSetting& s) { return is_unknown_to_us(s.value); };
  for (const ForeignSetting& s : settings.all()) {
    if (!unknown(s)) continue;
    if (is_without_effect(s.name)) {
      out.without_effect.push_back(s.written);
    } else {
      not_understood(text_of(s), "a value only the shell knows");
    }
  }
  settings.remove_if(unknown);
}

void ImportDraft::set_aside(std::span<const NameRow> rows, const std::string& feature) {
  for (const NameRow& row : rows) {
    if (!settings.has(row.theirs)) continue;
    settings.take(row.theirs);
    out.without_effect.push_back(std::string(row.theirs) + " (without " + feature + ")");
  }
}

void ImportDraft::list_leftovers() {
  for (const ForeignSetting& s : settings.all()) {
    if (s.taken) continue;
    const bool known = is_without_effect(s.name);
    if (known || is_off(s.value)) {
      out.without_effect.push_back(s.written + (known ? "" : " (off)"));
    } else {
      not_understood(text_of(s), "no key of a run file");
    }
  }
}

}  // namespace orrery
