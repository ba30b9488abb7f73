// SPDX-License-Identifier: Apache-2.0
#include "exchange/several_runs.h"

#include <algorithm>
#include <array>

#include "core/json_path.h"
#include "exchange/import_draft.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

void add_once(Words& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string joined_values(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

std::string why(const Words& values, const Words& lines) {
  const bool one = lines.size() == 1;
  return joined_values(values) + " in the trainings that line" + (one ? " " : "s ") +
         joined_values(lines) + (one ? " starts" : " start");
}

}  // namespace

const ForeignSetting* find_setting(const Settings& settings, const std::string& name) {
  for (const ForeignSetting& s : settings.all()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::string value_text(const ForeignSetting* s) {
  return s == nullptr ? "absent" : s->value.is_null() ? "given" : bare_text(s->value);
}

std::vector<LeftOver> take_differing(const std::vector<OneRun>& runs, const SettingKinds& kinds,
                                     Settings& all) {
  Words names;
  for (const OneRun& r : runs) {
    for (const ForeignSetting& s : r.settings->all()) add_once(names, s.name);
  }
  std::vector<LeftOver> left;
  for (const std::string& name : names) {
    Words values;
    Words lines;
    const ForeignSetting* any = nullptr;
    for (const OneRun& r : runs) {
      const ForeignSetting* s = find_setting(*r.settings, name);
      if (s != nullptr) any = s;
      add_once(values, value_text(s));
      add_once(lines, std::to_string(r.line));
    }
    const std::string key = kinds.key_of(*any);
    const bool harmless = kinds.is_harmless(*any);
    if (values.size() < 2 || (harmless && key.empty())) continue;
    all.remove(name);
    if (!harmless) left.push_back({any->written, why(values, lines), key, true});
  }
  return left;
}

}  // namespace orrery
