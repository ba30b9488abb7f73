// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/tool_run.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/flat.h"
#include "exchange/import_files.h"
#include "exchange/text_lines.h"
#include "exchange/tools/command_document.h"
#include "exchange/tools/hooks.h"
#include "exchange/yaml.h"

namespace orrery::tools {
namespace {

using trainer::FactId;
using trainer::FactKind;
using trainer::Facts;

constexpr std::int64_t kMostTokens = 100'000'000;

// How a value came about.
struct Came {
  std::string setting = {};  // as written, or as the default reads
  bool is_default = false;
};

// Tells what the file gives, else what the tool does by default.
class Run : public Seen {
 public:
  Run(const Tool& tool, const ForeignFile& file, const std::string& program, Settings& settings,
      Facts& facts)
      : tool_(tool),
        file_(file),
        program_(program),
        settings_(settings),
        facts_(facts),
        text_(file.text) {}

  void all() {
    for (const Rule& rule : tool_.rules) one(rule);
  }

  SeenValue at(const std::string& names) const override {
    if (names == "@text") return {&text_, true};
    if (names == "@program") return {&program_, program_ != ""};
    if (names.front() == '@') return fact_at(names.substr(1));
    if (const ForeignSetting* s = given(names)) return {&s->value, true};
    if (const ToolDefault* d = default_of(names)) return {&d->value, false};
    return {};
  }

 private:
  SeenValue fact_at(const std::string& word) const {
    const auto id = trainer::find_fact(word);
    if (!id || !facts_.seen(*id)) return {};
    return {&facts_.seen(*id)->value, !facts_.seen(*id)->is_default};
  }

  // The first of the names that the file gives. A null is as if it were not there.
  const ForeignSetting* given(const std::string& names) const {
    for (const std::string& name : alternatives_in(names)) {
      for (const ForeignSetting& s : settings_.all()) {
        if (fits_pattern(s.name, name)) return &s;
      }
    }
    return nullptr;
  }

  const ToolDefault* default_of(const std::string& names) const {
    for (const std::string& name : alternatives_in(names)) {
      const auto found = tool_.defaults.find(name);
      if (found != tool_.defaults.end()) return &found->second;
    }
    return nullptr;
  }

  std::string default_text(const std::string& names) const {
    for (const std::string& name : alternatives_in(names)) {
      const auto found = tool_.defaults.find(name);
      if (found == tool_.defaults.end()) continue;
      const ToolDefault& d = found->second;
      const std::string of = d.release.empty() ? d.source : d.release + ", " + d.source;
      return name + " " + bare_text(d.value) + ", " + tool_.title + "'s default (" + of + ")";
    }
    return "";
  }

  std::string written(const ForeignSetting& s) const {
    return base_name(settings_.file_of(s)) + ": " + text_of(s);
  }

  // The settings that a condition rests on: the first that is given, else the tool's default.
  Came came_of(const Condition& when) const {
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

  void one(const Rule& rule) {
    if (!holds(rule.when, *this)) return;
    const Came came = came_of(rule.when);
    for (const Assignment& a : rule.set) assign(a, rule, came, false);
    for (const Assignment& a : rule.assume) assign(a, rule, came, true);
    if (rule.each.empty()) {
      state(rule, came);
    } else {
      each(rule);
    }
    if (rule.pick_precision)
      facts_.set_picked_precision(came.setting.empty() ? rule.why : came.setting);
    if (rule.adapter) adapter(*rule.adapter, came);
    if (!rule.hook.empty()) {
      HookCall call{settings_, facts_, file_, rule.parameters};
      find_hook(rule.hook)(call);
    }
    const auto first = std::find_if(rule.first.begin(), rule.first.end(),
                                    [&](const Rule& part) { return holds(part.when, *this); });
    if (first != rule.first.end()) one(*first);
  }

  void state(const Rule& rule, const Came& came) {
    const std::string setting = came.setting.empty() ? tool_.title : came.setting;
    if (!rule.open.empty()) {
      const FactId fact = *trainer::find_fact(rule.open);
      came.setting.empty() || came.is_default ? facts_.leave_missing(fact, setting, rule.why)
                                              : facts_.leave_open(fact, setting, rule.why);
    }
    if (rule.refuse) facts_.refuse(bare(setting), rule.why);
    if (rule.note) facts_.mention(bare(setting), rule.why);
  }

  // Refusals and notes name the setting alone.
  static std::string bare(const std::string& setting) {
    const std::size_t file = setting.find(": ");
    return file == std::string::npos ? setting : setting.substr(file + 2);
  }

  void each(const Rule& rule) {
    for (const std::string& name : rule.each) {
      for (const ForeignSetting& s : std::vector<ForeignSetting>(settings_.all())) {
        if (fits_pattern(s.name, name) && is_on(s.value)) state(rule, {written(s)});
      }
    }
  }

  struct Value {
    Json json;
    Came came;
  };

  // The value of a setting, of the type that the fact has.
  std::optional<Value> value_of(const std::string& names, FactKind kind) {
    if (const ForeignSetting* s = given(names)) return given_value(*s, kind);
    if (const ToolDefault* d = default_of(names))
      return Value{d->value, {default_text(names), true}};
    return {};
  }

  std::optional<Value> given_value(const ForeignSetting& s, FactKind kind) {
    const std::string name = s.name;
    const Came came{written(s)};
    const std::string word = bare_text(s.value);
    const bool number = kind == FactKind::count || kind == FactKind::degree ||
                        kind == FactKind::tokens;
    if (number && (s.value.is_null() || !is_on(s.value)) && word != "0") return {};
    switch (kind) {
      case FactKind::count:
        return Value{*settings_.count(name, 0, kMostDegree), came};
      case FactKind::degree:
        return Value{*settings_.count(name, 1, kMostDegree), came};
      case FactKind::tokens: {
        const std::int64_t n = *settings_.count(name, 0, kMostTokens);
        return n == 0 ? std::nullopt : std::optional(Value{n, came});
      }
      case FactKind::boolean:
        return Value{*settings_.flag(name), came};
      case FactKind::word: {
        const auto text = settings_.word(name);
        return text && !text->empty() ? std::optional(Value{*text, came}) : std::nullopt;
      }
    }
    return {};
  }

  std::optional<Value> resolved(const Assignment& a, FactKind kind, const Came& rule) {
    if (!a.formula.empty()) return computed(a.formula);
    if (a.setting.empty()) return Value{a.literal, rule};
    auto value = value_of(a.setting, a.words.empty() ? kind : FactKind::word);
    if (value && !a.words.empty()) return translated(a, *value);
    if (value && value->json.is_string()) value->json = cut(a, value->json.get<std::string>());
    return value;
  }

  static std::string cut(const Assignment& a, std::string text) {
    if (!a.last.empty()) text = text.substr(text.rfind(a.last) + 1);
    for (const std::string& begin : a.without) {
      if (begins_with(text, begin)) return text.substr(begin.size());
    }
    return text;
  }

  Value translated(const Assignment& a, const Value& value) {
    std::vector<std::string> allowed;
    for (const auto& [theirs, ours] : a.words) {
      if (same_word(theirs, value.json)) return {ours, value.came};
      allowed.push_back(bare_text(theirs));
    }
    const ForeignSetting* s = given(a.setting);
    settings_.refuse(s == nullptr ? a.setting : s->name, alternatives(allowed),
                     ErrorCode::unknown_name);
  }

  // From left to right; nothing where a part is not known or does not divide.
  std::optional<Value> computed(const std::vector<std::string>& formula) {
    std::optional<std::int64_t> result;
    Came came;
    char sign = '*';
    for (const std::string& word : formula) {
      if (is_sign(word)) {
        sign = word.front();
        continue;
      }
      const auto literal = parse_number(word);
      const auto part = literal ? std::nullopt : value_of(word, FactKind::degree);
      if (!literal && !part) return {};
      if (part && came.setting.empty()) came = part->came;
      const std::int64_t n =
          literal ? static_cast<std::int64_t>(*literal) : part->json.get<std::int64_t>();
      if (sign == '/' && (n == 0 || *result % n != 0)) return {};
      result = !result ? n : sign == '/' ? *result / n : sign == '+' ? *result + n : *result * n;
    }
    return result ? std::optional(Value{*result, came}) : std::nullopt;
  }

  void assign(const Assignment& a, const Rule& rule, const Came& of_rule, bool assumed) {
    const auto id = trainer::find_fact(a.fact);
    const FactKind kind = id ? trainer::kind_of(*id) : FactKind::word;
    const auto value = resolved(a, kind, of_rule);
    if (!value) return;
    const bool is_default = assumed || value->came.is_default;
    std::string setting = value->came.setting;
    if (is_default && !rule.why.empty()) setting = rule.why;
    if (setting.empty()) setting = rule.why.empty() ? tool_.title : rule.why;
    if (!id) return facts_.set_key(a.fact, value->json, setting, is_default);
    put(*id, value->json, setting, is_default);
    if (!is_default && !rule.why.empty())
      facts_.note(*id, bare_text(value->json), rule.why);
  }

  void put(FactId id, Json value, const std::string& setting, bool is_default) {
    if (id == FactId::model) return trainer::set_model(bare_text(value), bare(setting), facts_);
    if (id == FactId::optimizer) value = last_part(bare_text(value));
    if (id == FactId::deepspeed) value = base_name(bare_text(value));
    if (id == FactId::sequence_length && facts_.has(id)) return;
    is_default ? facts_.assume_default(id, std::move(value), setting)
               : facts_.set(id, std::move(value), id == FactId::deepspeed ? bare(setting) : setting);
  }

  // "torch.optim.AdamW" is adamw.
  static std::string last_part(std::string written) {
    written = written.substr(written.rfind('.') + 1);
    for (char& c : written) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return written;
  }

  StoredBase base_weights() const {
    const auto& base = facts_.seen(FactId::base_weights);
    return base ? find_name<StoredBase>(bare_text(base->value)).value_or(StoredBase::half)
                : StoredBase::half;
  }

  void adapter(const AdapterRule& rule, const Came& came) {
    const ToolDefault* rank = default_of(rule.rank);
    const ToolDefault* targets = rule.targets.empty() ? nullptr : default_of(rule.targets);
    const std::string setting = came.setting.empty() ? tool_.title : bare(came.setting);
    const bool every = !rule.every_linear.empty() && settings_.has(rule.every_linear);
    if (!settings_.has(rule.rank) && rank == nullptr)
      return facts_.leave_open(FactId::adapter, setting,
                               rule.rank + " is not given, and " + tool_.title +
                                   " has no default");
    if (!settings_.has(rule.targets) && targets == nullptr && !every && !rule.none_by_default)
      return facts_.leave_open(FactId::adapter, setting,
                               rule.targets + " is PEFT's choice for this model; name them");
    AdapterSettings names;
    names.rank = rule.rank;
    names.targets = rule.targets;
    names.every_linear = rule.every_linear;
    names.dropout = rule.dropout;
    names.dora = rule.dora;
    names.trained = rule.trained;
    names.is_dora = !rule.dora_when.empty() && holds(rule.dora_when, *this);
    if (rank != nullptr) names.default_rank = rank->value.get<std::int64_t>();
    const std::string default_targets = targets == nullptr ? "" : bare_text(targets->value);
    names.default_targets = default_targets;
    if (const ToolDefault* d = rule.dropout.empty() ? nullptr : default_of(rule.dropout))
      names.default_dropout = d->value.get<double>();
    trainer::set_adapter(names, base_weights(), setting, settings_, facts_);
    adapter_defaults(rule, rank, targets);
    add_targets(rule);
  }

  void adapter_defaults(const AdapterRule& rule, const ToolDefault* rank,
                        const ToolDefault* targets) {
    if (rank != nullptr && !settings_.has(rule.rank))
      facts_.note(FactId::adapter, "rank " + bare_text(rank->value), default_text(rule.rank));
    if (targets != nullptr && !settings_.has(rule.targets))
      facts_.note(FactId::adapter, bare_text(targets->value), default_text(rule.targets));
  }

  void add_targets(const AdapterRule& rule) {
    Json stated = facts_.at(FactId::adapter)->value;
    if (rule.none_by_default && !stated.contains("targets")) stated["targets"] = Json::array();
    for (const AdapterRule::Also& also : rule.also) {
      if (!holds(also.when, *this)) continue;
      for (const std::string& target : also.targets) stated["targets"].push_back(target);
    }
    facts_.replace(FactId::adapter, std::move(stated));
  }

  const Tool& tool_;
  const ForeignFile& file_;
  Json program_;
  Settings& settings_;
  Facts& facts_;
  Json text_;
};

// Settings that any rule mentions are read, whether or not it came to be used.
void take_asked(const Tool& tool, Settings& settings) {
  for (const std::string& name : tool.asked) {
    if (name.find('*') == std::string::npos) {
      settings.take(name);
      continue;
    }
    for (const ForeignSetting& s : std::vector<ForeignSetting>(settings.all())) {
      if (fits_pattern(s.name, name)) settings.take(s.name);
    }
  }
}

CommandDocument document_of(const Tool& tool, const ForeignFile& file, Facts& facts) {
  const bool is_document = begins_as_yaml(file.text) || first_character(file.text) == '{';
  if (!is_document) return command_document(tool, file, facts);
  CommandDocument d{read_yaml(file.text, file.name), ""};
  follow_references(d.document);
  return d;
}

}  // namespace

void read_with(const Tool& tool, const ForeignFile& file, Facts& facts) {
  facts.trains = facts.trains || tool.trains;
  const CommandDocument d = document_of(tool, file, facts);
  Settings settings = facts.settings_of_file(d.document, file.name);
  Run(tool, file, d.program, settings, facts).all();
  take_asked(tool, settings);
  std::vector<SettingNote> notes;
  for (const auto& [name, why] : tool.not_modelled) notes.push_back({name, why});
  trainer::list_others(tool.without_effect, notes, settings, facts);
}

}  // namespace orrery::tools
