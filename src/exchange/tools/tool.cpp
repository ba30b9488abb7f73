// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/tool.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/arguments.h"
#include "exchange/import_files.h"
#include "exchange/programs.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"
#include "exchange/yaml.h"

namespace orrery::tools {

bool Tool::starts_by_flags() const {
  return std::any_of(commands.begin(), commands.end(),
                     [](const StartCommand& c) { return c.program == "*"; });
}

namespace {

const Assignment* passing(const std::vector<ToolRule>& rules, std::string_view spoken, bool rows) {
  const Assignment* found = nullptr;
  for (const ToolRule& rule : rules) {
    for (const Assignment& a : rule.pass) {
      const bool row = rule.when.empty() && rule.about == a.setting;
      if (a.fact == spoken && !a.setting.empty() && row == rows) found = &a;
    }
    for (const auto* parts : {&rule.first, &rule.rules}) {
      if (const Assignment* a = passing(*parts, spoken, rows)) found = a;
    }
  }
  return found;
}

}  // namespace

std::string Tool::setting_for(std::string_view spoken) const {
  for (const bool rows : {true, false}) {
    if (const Assignment* a = passing(rules, spoken, rows)) return a->setting;
  }
  return "";
}

namespace {

void add_rows_of(const ToolRule& rule, std::vector<const Assignment*>& rows) {
  for (const Assignment& a : rule.set) {
    if (!a.setting.empty()) rows.push_back(&a);
  }
  for (const auto* parts : {&rule.first, &rule.rules}) {
    for (const ToolRule& part : *parts) add_rows_of(part, rows);
  }
}

void add_rows_about(const std::vector<ToolRule>& rules, std::string_view about,
                    std::vector<const Assignment*>& rows) {
  for (const ToolRule& rule : rules) {
    if (rule.about == about) {
      add_rows_of(rule, rows);
    } else {
      for (const auto* parts : {&rule.first, &rule.rules}) add_rows_about(*parts, about, rows);
    }
  }
}

}  // namespace

std::vector<const Assignment*> Tool::rows_of(std::string_view about) const {
  std::vector<const Assignment*> rows;
  add_rows_about(rules, about, rows);
  return rows;
}

std::vector<std::pair<std::string, Json>> Tool::shipped_settings(std::string_view file) const {
  std::vector<std::pair<std::string, Json>> all;
  // A circle ends after as many steps as there are files.
  for (std::size_t step = 0; step < ships.size() && !file.empty(); ++step) {
    const auto known =
        std::find_if(ships.begin(), ships.end(), [&](const auto& f) { return f.name == file; });
    if (known == ships.end()) break;
    all.insert(all.begin(), known->settings.begin(), known->settings.end());
    file = known->over;
  }
  return all;
}

const std::string* Tool::elsewhere_of(const Json& value) const {
  const auto found = std::find_if(elsewhere.begin(), elsewhere.end(),
                                  [&](const auto& e) { return e.first == value; });
  return found == elsewhere.end() ? nullptr : &found->second;
}

std::string name_in(const Tool& tool, const std::string& written) {
  for (const std::string& part : tool.below) {
    if (begins_with(written, part + ".")) return written.substr(part.size() + 1);
  }
  return written;
}

void flags_over(const Tool& launcher, const Settings& flags, Json& document) {
  for (const ForeignSetting& s : flags.all()) {
    const Json typed = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
    const auto part = std::find_if(
        launcher.below.begin(), launcher.below.end(),
        [&](const std::string& p) { return !value_at(document, p + "." + s.name).is_null(); });
    Json& place = part == launcher.below.end() ? document : document[*part];
    place[s.name] = typed.is_null() ? Json(true) : typed;
  }
}

namespace {

// The key of a rule that takes the setting for its value.
std::optional<std::string> key_of(const std::vector<ToolRule>& rules, const std::string& setting) {
  for (const ToolRule& rule : rules) {
    for (const Assignment& a : rule.set) {
      const std::vector<std::string> names = alternatives_in(a.setting);
      if (std::find(names.begin(), names.end(), setting) == names.end()) continue;
      const auto id = trainer::find_fact(a.fact);
      // The name of a file that is not known is one that is not given.
      if (id == trainer::FactId::deepspeed) return {};
      return id ? std::string(trainer::name_of(*id)) : a.fact;
    }
    for (const auto* parts : {&rule.first, &rule.rules}) {
      if (auto key = key_of(*parts, setting)) return key;
    }
  }
  return {};
}

const std::string* named(const std::vector<std::pair<std::string, std::string>>& list,
                         std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& row) { return row.first == name; });
  return found == list.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<std::string> key_of(const Tool& tool, const std::string& setting) {
  if (const std::string* stated = named(tool.says, setting)) return *stated;
  return key_of(tool.rules, setting);
}

void rename_settings(const Tool& tool, Settings& settings) {
  if (tool.renames.empty()) return;
  Settings renamed(settings.file());
  for (ForeignSetting s : settings.all()) {
    if (s.value == "None" || s.value == "null") continue;
    if (const std::string* ours = named(tool.renames, s.name)) s.name = *ours;
    if (s.value.is_array() && s.value.size() == 1) s.value = Json(s.value[0]);
    // A word behind a flag is another argument.
    if (is_flag(tool, s.name) && is_unknown_to_us(s.value)) s.value = Json();
    renamed.add(std::move(s));
  }
  settings = std::move(renamed);
}

bool is_without_effect(const Tool& tool, std::string_view setting) {
  const std::vector<std::string_view> all = fields_of(tool.without_effect, ' ');
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view pattern) { return fits_pattern(setting, pattern); });
}

bool is_lacking(const Tool& tool, std::string_view setting) {
  return std::any_of(tool.lacks.begin(), tool.lacks.end(),
                     [&](const std::string& name) { return name == setting; });
}

std::vector<std::string> abbreviated(const Tool& tool, std::string_view flag) {
  std::vector<std::string> names;
  if (!tool.abbreviates) return names;
  const auto add = [&](std::string_view name) {
    const bool begins = begins_with(name, flag) && name.find_first_of(".*[") == std::string::npos;
    const std::string one(name);
    if (begins && !is_lacking(tool, name) &&
        std::find(names.begin(), names.end(), one) == names.end())
      names.push_back(one);
  };
  for (const std::string& name : tool.asked) add(name);
  for (const auto& by_default : tool.defaults) add(by_default.first);
  for (const auto& note : tool.not_modelled) add(note.first);
  for (const std::string_view name : fields_of(tool.without_effect, ' ')) add(name);
  if (std::find(names.begin(), names.end(), flag) != names.end()) return {};
  return is_without_effect(tool, flag) && !is_lacking(tool, flag) ? std::vector<std::string>{}
                                                                  : names;
}

bool is_flag(const Tool& tool, std::string_view setting) {
  const std::string* type = named(tool.types, setting);
  return type != nullptr && trainer::find_fact_kind(*type) == trainer::FactKind::boolean;
}

// Each star stands for any text, the shortest first: the last star alone need be tried again.
bool fits_pattern(std::string_view name, std::string_view pattern) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t star = kNone;
  std::size_t behind = 0;  // of the name, which that star has not taken
  for (std::size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++behind;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

std::string name_of(const std::string& program, const StartCommand& command) {
  return base_name(program) + (command.word.empty() ? "" : " ") + command.word;
}

std::vector<std::string>::const_iterator program_in(const Tool& tool,
                                                    const std::vector<std::string>& words,
                                                    const StartCommand** found) {
  const auto python = words.begin() + static_cast<std::ptrdiff_t>(place_of_python(words));
  for (auto at = words.begin(); at != words.end(); ++at) {
    // Any program of Python may be a module.
    const std::string module = at == python ? *at + ".py" : "";
    for (const StartCommand& c : tool.commands) {
      if (c.program == "*" && python != words.end() && at != python) continue;
      const bool any = contains(c.program, "*") && fits_pattern(module, c.program);
      const bool in_folder = contains(c.program, "/") && at->ends_with("/" + c.program);
      const bool same =
          any || in_folder || *at == c.program || fits_pattern(base_name(*at), c.program);
      const bool word = c.word.empty() || (at + 1 != words.end() && at[1] == c.word);
      if (!same || !word) continue;
      if (found != nullptr) *found = &c;
      return at;
    }
  }
  return words.end();
}

}  // namespace orrery::tools
