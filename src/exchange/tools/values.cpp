// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/values.h"

#include <algorithm>
#include <cmath>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/import_files.h"
#include "exchange/text_lines.h"
#include "exchange/tools/formula.h"
#include "exchange/yaml.h"

namespace orrery::tools {
namespace {

using trainer::FactKind;

constexpr std::int64_t kMostTokens = 100'000'000;

const Json& yes() {
  static const Json kTrue = true;
  return kTrue;
}

bool is_number_kind(FactKind kind) {
  return kind == FactKind::count || kind == FactKind::degree || kind == FactKind::tokens ||
         kind == FactKind::elements;
}

// "mesh[2]" is item 2 of mesh; nothing without brackets.
struct Item {
  std::string name;
  std::optional<std::size_t> place;
};

Item item_of(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || name.back() != ']') return {name, {}};
  const auto n = parse_number(name.substr(open + 1, name.size() - open - 2));
  return {name.substr(0, open),
          n && *n >= 0 ? std::optional(static_cast<std::size_t>(*n)) : std::nullopt};
}

// A file that is not known has a name all the same.
bool names_file(const std::vector<ToolRule>& rules, const std::string& setting) {
  return std::any_of(rules.begin(), rules.end(), [&](const ToolRule& rule) {
    for (const Assignment& a : rule.set) {
      const auto id = trainer::find_fact(a.fact);
      const bool is_file = id == trainer::FactId::deepspeed || id == trainer::FactId::model;
      const std::vector<std::string> names = alternatives_in(a.setting);
      if (is_file && std::find(names.begin(), names.end(), setting) != names.end()) return true;
    }
    return names_file(rule.first, setting) || names_file(rule.rules, setting);
  });
}

}  // namespace

std::string bare_setting(const std::string& setting) {
  const std::size_t file = setting.find(": ");
  return file == std::string::npos ? setting : setting.substr(file + 2);
}

void Values::set_command(const std::string& program, const ShellVariables& variables) {
  program_ = program;
  variables_ = variables;
}

void Values::set_files(bool read, bool missing) {
  config_ = read;
  unread_ = missing;
  defaults_hold_ = false;
  defaults_hold_ = tool_.defaults_when.empty() || holds(tool_.defaults_when, *this);
}

SeenValue Values::at(const std::string& names) const {
  if (names == "@text") return {&text_, true};
  if (begins_with(names, "= ")) return formula_at(names.substr(2));
  // NOLINTNEXTLINE(readability-container-size-empty): a JSON text
  if (names == "@program") return {&program_, program_ != ""};
  if (names == "@config") return {&config_, config_ == true};
  if (names == "@unread") return {&unread_, unread_ == true};
  if (begins_with(names, "@env.")) return variable_at(names.substr(5));
  if (begins_with(names, "@null.")) return null_at(names.substr(6));
  if (begins_with(names, "@open.")) return open_at(names.substr(6));
  if (names == "@defaults")
    return facts_.other_defaults().empty() ? SeenValue{&yes(), true} : SeenValue{};
  if (names == "@engine") return facts_.has_engine() ? SeenValue{&yes(), true} : SeenValue{};
  if (names == "@named") return named_model();
  if (names == "@replicas") return replicas();
  if (names == "@learners") return learners();
  if (names.front() == '@') return fact_at(names.substr(1));
  if (const ForeignSetting* s = unknown(names)) return {&s->value, true, true};
  if (const ForeignSetting* s = given(names)) return item_at(*s, names);
  if (const ToolDefault* d = default_of(names)) return {&d->value, false};
  return {};
}

// A number of the command line counts as a fact.
SeenValue Values::fact_at(const std::string& word) const {
  const auto id = trainer::find_fact(word);
  if (!id) return key_at(word);
  if (is_number_kind(trainer::kind_of(*id)) && !trainer::is_step(*id)) {
    const Json& stated = facts_.of_command_line(*id);
    if (!stated.is_null()) return {&stated, true};
  }
  const auto& seen = facts_.seen(*id);
  return seen ? SeenValue{&seen->value, !seen->is_default} : SeenValue{};
}

// A number of settings, facts and numbers; not known where one of them is not.
SeenValue Values::formula_at(const std::string& formula) const {
  SeenValue seen;
  const std::vector<std::string_view> words = words_of(formula);
  const auto n = worked({words.begin(), words.end()}, [&](const std::string& name) {
    const SeenValue part = at(name);
    seen.is_unknown = seen.is_unknown || part.is_unknown;
    return part.value == nullptr ? std::nullopt : number_of(*part.value);
  });
  items_.push_back(std::make_unique<Json>(n.value_or(0)));
  return n || seen.is_unknown ? SeenValue{items_.back().get(), true, seen.is_unknown} : SeenValue{};
}

SeenValue Values::key_at(const std::string& path) const {
  const trainer::FactValue* known = facts_.key(path);
  return known == nullptr ? SeenValue{} : SeenValue{&known->value, !known->is_default};
}

SeenValue Values::open_at(const std::string& path) const {
  return facts_.is_open(path) ? SeenValue{&yes(), true} : SeenValue{};
}

SeenValue Values::named_model() const {
  const std::string kind = facts_.named_kind();
  if (kind.empty()) return {};
  items_.push_back(std::make_unique<Json>(kind));
  return {items_.back().get(), true};
}

SeenValue Values::replicas() const {
  const std::int64_t n = facts_.replicas();
  if (n == 0) return {};
  items_.push_back(std::make_unique<Json>(n));
  return {items_.back().get(), true};
}

// GPUs that learn beside a server that generates: the launcher's processes, else what it leaves.
SeenValue Values::learners() const {
  const std::int64_t serves = facts_.count_of_key("placement.rollout_gpus", 0);
  const std::int64_t rest = serves > 0 ? facts_.gpus_of_user() - serves : 0;
  const std::int64_t launched = facts_.launched();
  const std::int64_t n = launched > 0 ? launched : rest;
  if (n <= 0) return {};
  items_.push_back(std::make_unique<Json>(n));
  return {items_.back().get(), true};
}

SeenValue Values::variable_at(const std::string& name) const {
  const std::string value = shell_value(variables_, name);
  if (value.empty()) return {};
  items_.push_back(std::make_unique<Json>(value));
  return {items_.back().get(), true};
}

SeenValue Values::null_at(const std::string& path) const {
  if (document_ == nullptr) return {};
  const std::size_t dot = path.rfind('.');
  const Json& part =
      dot == std::string::npos ? *document_ : value_at(*document_, path.substr(0, dot));
  const std::string last = path.substr(dot == std::string::npos ? 0 : dot + 1);
  const auto found = part.is_object() ? part.find(last) : part.end();
  return part.is_object() && found != part.end() && found->is_null() ? SeenValue{&yes(), true}
                                                                     : SeenValue{};
}

// "list[0]" is an item; a value without items has none.
SeenValue Values::item_at(const ForeignSetting& s, const std::string& names) const {
  for (const std::string& one : alternatives_in(names)) {
    const Item item = item_of(one);
    if (!fits_pattern(s.name, item.name)) continue;
    if (!item.place) break;
    if (!s.value.is_array() || *item.place >= s.value.size()) return {};
    return {&s.value[*item.place], true};
  }
  // Given without a value.
  return {s.value.is_null() ? &yes() : &s.value, true};
}

const ForeignSetting* Values::given(const std::string& names) const {
  for (const std::string& one : alternatives_in(names)) {
    const Item item = item_of(one);
    for (const ForeignSetting& s : settings_.all()) {
      if (fits_pattern(s.name, item.name)) return &s;
    }
  }
  return nullptr;
}

const ForeignSetting* Values::unknown(const std::string& names) const {
  if (const ForeignSetting* s = given(names))
    return is_unknown_to_us(s->value) && !names_file(tool_.rules, s->name) ? s : nullptr;
  for (const std::string& one : alternatives_in(names)) {
    for (const ForeignSetting& s : aside_.all()) {
      if (fits_pattern(s.name, item_of(one).name)) return &s;
    }
  }
  return nullptr;
}

const ForeignSetting* Values::unknown_in(const Condition& when) const {
  for (const Clause& clause : when.all) {
    const ForeignSetting* s = clause.setting.front() == '@' ? nullptr : unknown(clause.setting);
    if (s != nullptr) return s;
  }
  for (const auto* parts : {&when.any, &when.none}) {
    for (const Condition& part : *parts) {
      if (const ForeignSetting* s = unknown_in(part)) return s;
    }
  }
  return nullptr;
}

const ToolDefault* Values::default_of(const std::string& names) const {
  return defaults_hold_ ? stated_default(names) : nullptr;
}

bool Values::is_unknown_default(const std::string& names) const {
  return !defaults_hold_ && stated_default(names) != nullptr;
}

const ToolDefault* Values::stated_default(const std::string& names) const {
  for (const std::string& name : alternatives_in(names)) {
    const auto found = tool_.defaults.find(name);
    if (found != tool_.defaults.end()) return &found->second;
  }
  return nullptr;
}

std::string Values::default_text(const std::string& names) const {
  for (const std::string& name : alternatives_in(names)) {
    const auto found = tool_.defaults.find(name);
    if (found == tool_.defaults.end()) continue;
    const ToolDefault& d = found->second;
    const std::string of = d.release.empty() ? d.source : d.release + ", " + d.source;
    return name + " " + bare_text(d.value) + ", " + tool_.title + "'s default (" + of + ")";
  }
  return "";
}

std::string Values::written(const ForeignSetting& s) const {
  return base_name(settings_.file_of(s)) + ": " + text_of(s);
}

const ForeignSetting* Values::ground_of(const Condition& when) const {
  for (const Clause& clause : when.all) {
    if (clause.setting.front() == '@') continue;
    if (const ForeignSetting* s = given(clause.setting)) return s;
  }
  for (const Condition& part : when.any) {
    const ForeignSetting* s = holds(part, *this) ? ground_of(part) : nullptr;
    if (s != nullptr) return s;
  }
  return nullptr;
}

Came Values::came_of(const Condition& when) const {
  Came came;
  for (const Clause& clause : when.all) {
    if (clause.setting == "@program") came.setting = bare_text(program_);
    if (clause.setting.front() == '@') continue;
    if (const ForeignSetting* s = given(clause.setting)) return {written(*s)};
    came.is_default = true;
    if (came.setting.empty()) came.setting = default_text(clause.setting);
  }
  for (const Condition& part : when.any) {
    if (!holds(part, *this)) continue;
    Came of = came_of(part);
    if (!of.is_default) return of;
    if (came.setting.empty()) came = of;
  }
  return came;
}

std::optional<FoundValue> Values::value_of(const std::string& names, FactKind kind) {
  for (const std::string& one : alternatives_in(names)) {
    const ForeignSetting* s = given(one);
    if (s == nullptr) continue;
    const Item item = item_of(one);
    if (!item.place) return given_value(*s, kind);
    if (!s->value.is_array() || *item.place >= s->value.size()) return {};
    const Json& value = s->value[*item.place];
    const auto n = number_of(value);
    if (is_number_kind(kind) && !(n && *n >= 1 && *n == std::floor(*n))) return {};
    return FoundValue{is_number_kind(kind) ? Json(static_cast<std::int64_t>(*n)) : value,
                      {written(*s)}};
  }
  if (const ToolDefault* d = default_of(names))
    return FoundValue{d->value, {default_text(names), true}};
  return {};
}

std::optional<FoundValue> Values::given_value(const ForeignSetting& s, FactKind kind) {
  const std::string name = s.name;
  const Came came{written(s)};
  if (is_number_kind(kind) && !is_on(s.value) && bare_text(s.value) != "0") return {};
  switch (kind) {
    case FactKind::count:
      return FoundValue{*settings_.count(name, 0, kMostDegree), came};
    case FactKind::degree:
      return FoundValue{*settings_.count(name, 1, kMostDegree), came};
    case FactKind::tokens: {
      const std::int64_t n = *settings_.count(name, 0, kMostTokens);
      return n == 0 ? std::nullopt : std::optional(FoundValue{n, came});
    }
    case FactKind::elements:
      return FoundValue{*settings_.count(name, 0, trainer::kMostElements), came};
    case FactKind::share:
      return FoundValue{*settings_.number(name, 0, 1), came};
    case FactKind::number:
      return FoundValue{*settings_.number(name, 0, trainer::kMostNumber), came};
    case FactKind::boolean:
      return FoundValue{*settings_.flag(name), came};
    case FactKind::word: {
      const auto text = settings_.word(name);
      return text && !text->empty() ? std::optional(FoundValue{*text, came}) : std::nullopt;
    }
    case FactKind::any: {
      settings_.take(name);
      const Json typed = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
      return typed.is_null() ? std::nullopt : std::optional(FoundValue{typed, came});
    }
  }
  return {};
}

std::optional<double> Values::number_at(const std::string& name, Came& came) {
  if (name.front() == '@') {
    const SeenValue seen = at(name);
    if (seen.value == nullptr) return {};
    came.is_default = came.is_default && !seen.is_given;
    return number_of(*seen.value);
  }
  const auto found = value_of(name, FactKind::any);
  if (!found) return {};
  if (came.setting.empty()) came.setting = found->came.setting;
  came.is_default = came.is_default && found->came.is_default;
  return number_of(found->json);
}

// A result is a default where all of its parts are.
std::optional<FoundValue> Values::computed(const std::vector<std::string>& formula) {
  Came came{"", true};
  const auto n = worked(formula, [&](const std::string& name) { return number_at(name, came); });
  return n ? std::optional(FoundValue{*n, came}) : std::nullopt;
}

}  // namespace orrery::tools
