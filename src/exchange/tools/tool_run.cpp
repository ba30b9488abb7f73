// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/tool_run.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/document.h"
#include "exchange/flat.h"
#include "exchange/hub_names.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/several_runs.h"
#include "exchange/text_lines.h"
#include "exchange/tools/command_document.h"
#include "exchange/tools/formula.h"
#include "exchange/tools/hooks.h"
#include "exchange/tools/values.h"
#include "exchange/yaml.h"

namespace orrery::tools {
namespace {

using trainer::FactId;
using trainer::FactKind;
using trainer::Facts;

class Run {
 public:
  Run(const Tool& tool, const ForeignFile& file, Values& values, Settings& settings, Facts& facts)
      : tool_(tool), file_(file), values_(values), settings_(settings), facts_(facts) {}

  void all() {
    for (const ToolRule& rule : tool_.rules) one(rule);
    for (const auto& [rule, came] : adapters_) adapter(*rule, came);
  }

 private:
  void one(const ToolRule& rule) {
    const Truth truth = truth_of(rule.when, values_);
    if (truth == Truth::maybe) return doubt({&rule});
    if (truth == Truth::no) return;
    const Came came = values_.came_of(rule.when);
    for (const Assignment& a : rule.set) assign(a, rule, came, false);
    for (const Assignment& a : rule.assume) assign(a, rule, came, true);
    const ForeignSetting* const before = ground_;
    if (const ForeignSetting* own = values_.ground_of(rule.when)) ground_ = own;
    for (const Assignment& a : rule.pass) pass(a, rule);
    for (const std::string& path : rule.unset) facts_.unset_key(path);
    if (!rule.other_defaults.empty()) facts_.set_other_defaults(rule.other_defaults, rule.of);
    if (rule.each.empty()) {
      state(rule, came);
    } else {
      each(rule);
    }
    if (rule.pick_precision)
      facts_.set_picked_precision(came.setting.empty() ? rule.why : came.setting);
    if (rule.adapter) adapters_.emplace_back(&*rule.adapter, came);
    if (!rule.hook.empty()) hook(rule);
    first(rule.first);
    for (const ToolRule& part : rule.rules) one(part);
    ground_ = before;
  }

  // The first rule that holds, where no unknown value makes another one possible.
  void first(const std::vector<ToolRule>& rules) {
    std::vector<const ToolRule*> possible;
    for (const ToolRule& part : rules) {
      const Truth truth = truth_of(part.when, values_);
      if (truth == Truth::no) continue;
      possible.push_back(&part);
      if (truth == Truth::yes) break;
    }
    if (possible.empty()) return;
    const bool is_sure = holds(possible.back()->when, values_);
    const bool all_same = std::all_of(possible.begin(), possible.end(), [&](const ToolRule* rule) {
      return outcome_of(*rule) == outcome_of(*possible.back());
    });
    is_sure&& all_same ? one(*possible.back()) : doubt(possible);
  }

  // The outcome of a rule, as far as another one may have the same.
  static Json outcome_of(const ToolRule& rule) {
    Json outcome = {rule.open, rule.refuse, rule.pick_precision, rule.hook, rule.parameters};
    for (const auto* list : {&rule.set, &rule.assume, &rule.pass}) {
      for (const Assignment& a : *list)
        outcome.push_back({a.fact, a.literal, a.setting, a.formula, a.of_width});
    }
    if (rule.adapter) outcome.push_back(rule.adapter->rank + " " + rule.adapter->targets);
    for (const auto* parts : {&rule.first, &rule.rules}) {
      for (const ToolRule& part : *parts) outcome.push_back(outcome_of(part));
    }
    return outcome;
  }

  // Rules of which an unknown value says whether they hold: their keys are open.
  void doubt(const std::vector<const ToolRule*>& rules) {
    const ForeignSetting* s = nullptr;
    for (const ToolRule* rule : rules) {
      if (s == nullptr) s = values_.unknown_in(rule->when);
    }
    if (s == nullptr) return;
    for (const ToolRule* rule : rules) doubt(*rule, *s);
  }

  void doubt(const ToolRule& rule, const ForeignSetting& s) {
    for (const auto* list : {&rule.set, &rule.assume}) {
      for (const Assignment& a : *list) leave_open(a.fact, s);
    }
    if (!rule.open.empty()) leave_open(rule.open, s);
    if (rule.adapter) leave_open("adapter", s);
    if (rule.pick_precision) leave_open("precision", s);
    if (!rule.hook.empty()) facts_.refuse(text_of(s), unknown_of(s));
    if (rule.refuse) facts_.mention(text_of(s), unknown_of(s) + "; it may be refused: " + rule.why);
    for (const Assignment& a : rule.pass) doubt_passed(a.fact, s);
    for (const auto* parts : {&rule.first, &rule.rules}) {
      for (const ToolRule& part : *parts) doubt(part, s);
    }
  }

  // An argument of the tool that this one speaks leaves its key open there.
  void doubt_passed(const std::string& argument, const ForeignSetting& s) {
    const Tool* spoken = facts_.tools().find(tool_.speaks);
    const auto key = spoken == nullptr ? std::nullopt : key_of(*spoken, argument);
    key ? leave_open(*key, s) : facts_.refuse(text_of(s), unknown_of(s));
  }

  std::string unknown_of(const ForeignSetting& s) const {
    return why_unknown(settings_.file_of(s));
  }

  void leave_open(const std::string& fact, const ForeignSetting& s) {
    const auto id = trainer::find_fact(fact);
    if (id == FactId::deepspeed || id == FactId::framework) return;
    facts_.leave_key_open(id ? std::string(trainer::name_of(*id)) : fact, text_of(s),
                          unknown_of(s));
  }

  void hook(const ToolRule& rule) {
    const Json& names = value_at(rule.parameters, "names");
    const Json& stated = value_at(rule.parameters, "with");
    Settings spoken(settings_.file());
    for (const auto& [own, value] : stated.items()) spoken.add({own, own, value, settings_.file()});
    for (const auto& [theirs, own] : names.items()) speak(theirs, own.get<std::string>(), spoken);
    Settings& seen = names.is_object() ? spoken : settings_;
    HookCall call{seen, facts_, file_, rule.parameters, values_.defaults_hold()};
    find_hook(rule.hook)(call);
  }

  // One of the file's settings under the name that a hook of another tool has for it.
  void speak(const std::string& theirs, const std::string& own, Settings& spoken) {
    const ForeignSetting* s = values_.given(theirs);
    if (s == nullptr || is_unknown_to_us(s->value)) return;
    const bool turned = begins_with(own, "not ");
    ForeignSetting as = *s;
    as.name = turned ? own.substr(4) : own;
    if (turned) as.value = !is_on(s->value);
    if (as.file.empty()) as.file = settings_.file();
    spoken.add(std::move(as));
  }

  // A setting of the tool that this one speaks, as it is written in the file.
  void pass(const Assignment& a, const ToolRule& rule) {
    const ForeignSetting* s = a.setting.empty() ? nullptr : values_.given(a.setting);
    if (s == nullptr && !a.setting.empty()) return;
    if (s != nullptr && is_unknown_to_us(s->value) && is_flag_of_spoken(a.fact))
      return doubt_passed(a.fact, *s);
    const auto value = passed_value(a, s);
    if (!value) return;
    const ForeignSetting* by = s == nullptr ? ground_ : s;
    const std::string written = by == nullptr ? tool_.title : by->written;
    facts_.pass(
        {a.fact, written, *value, by == nullptr ? settings_.file() : settings_.file_of(*by)});
    if (!rule.why.empty()) facts_.note_passed(a.fact, bare_text(*value), rule.why);
  }

  bool is_flag_of_spoken(const std::string& argument) const {
    const Tool* spoken = facts_.tools().find(tool_.speaks);
    return spoken != nullptr && is_flag(*spoken, argument);
  }

  std::optional<Json> passed_value(const Assignment& a, const ForeignSetting* s) {
    if (!a.formula.empty()) {
      const auto n = values_.computed(a.formula);
      return n ? std::optional(n->json) : std::nullopt;
    }
    if (s == nullptr) return a.literal;
    if (!a.words.empty()) return translated(a, {s->value, {}}).json;
    const Json& whole = *values_.at(a.setting).value;
    return whole.is_string() ? Json(cut(a, whole.get<std::string>())) : whole;
  }

  void state(const ToolRule& rule, const Came& came) {
    const std::string setting = came.setting.empty() ? tool_.title : came.setting;
    if (!rule.open.empty()) open(rule, came);
    if (rule.refuse) facts_.refuse(bare_setting(setting), rule.why);
    if (rule.note) facts_.mention(bare_setting(setting), rule.why);
    if (!rule.without_effect) return;
    const std::string bare = bare_setting(setting);
    facts_.without_effect(bare.substr(0, bare.find(' ')) + " (" + rule.why + ")");
  }

  // Named by the setting that says it, or that a rule around this one asks for, else by its key.
  void open(const ToolRule& rule, const Came& came) {
    const auto fact = trainer::find_fact(rule.open);
    const std::string key = fact ? std::string(trainer::name_of(*fact)) : rule.open;
    const std::string by_rule = ground_ == nullptr ? key : values_.written(*ground_);
    const std::string& setting = came.setting.empty() ? by_rule : came.setting;
    const bool missing = came.setting.empty() || came.is_default;
    if (!fact) return facts_.leave_key_open(rule.open, setting, rule.why);
    missing ? facts_.leave_missing(*fact, setting, rule.why)
            : facts_.leave_open(*fact, setting, rule.why);
  }

  void each(const ToolRule& rule) {
    for (const std::string& name : rule.each) {
      for (const ForeignSetting& s : std::vector<ForeignSetting>(settings_.all())) {
        if (fits_pattern(s.name, name) && is_on(s.value)) state(rule, {values_.written(s)});
      }
    }
  }

  std::optional<FoundValue> resolved(const Assignment& a, FactKind kind, const Came& rule) {
    if (!a.formula.empty()) return values_.computed(a.formula);
    if (a.setting.empty()) return FoundValue{a.literal, rule};
    auto value = values_.value_of(a.setting, a.words.empty() ? kind : FactKind::word);
    if (value && !a.words.empty()) return translated(a, *value);
    if (value && value->json.is_number_integer() && (a.least || a.most)) {
      const auto n = value->json.get<std::int64_t>();
      value->json = std::clamp(n, a.least.value_or(n), a.most.value_or(n));
    }
    if (value && value->json.is_string()) value->json = cut(a, value->json.get<std::string>());
    return value;
  }

  static std::string cut(const Assignment& a, std::string text) {
    if (!a.last.empty()) text = text.substr(text.rfind(a.last) + 1);
    for (const std::string& end : a.without_end) {
      if (text.ends_with(end)) text.resize(text.size() - end.size());
    }
    for (const std::string& begin : a.without) {
      if (begins_with(text, begin)) return text.substr(begin.size());
    }
    return text;
  }

  FoundValue translated(const Assignment& a, const FoundValue& value) {
    std::vector<std::string> allowed;
    for (const auto& [theirs, ours] : a.words) {
      if (same_word(theirs, value.json)) return {ours, value.came};
      allowed.push_back(bare_text(theirs));
    }
    refuse_word(a, allowed);
  }

  [[noreturn]] void refuse_word(const Assignment& a, const std::vector<std::string>& allowed) {
    const ForeignSetting* s = values_.given(a.setting);
    if (s == nullptr || !s->value.is_string())
      settings_.refuse(s == nullptr ? a.setting : s->name, alternatives(allowed),
                       ErrorCode::unknown_name);
    const std::string ours = theirs_of(a, s->value);
    const std::string& written = s->value.get_ref<const std::string&>();
    throw InputError(ErrorCode::unknown_name, settings_.file_of(*s), s->written, brief(s->value),
                     alternatives(allowed), ours.empty() ? nearest_name(written, allowed) : ours);
  }

  // The tool's own word for a word of ours; "" where it is none.
  static std::string theirs_of(const Assignment& a, const Json& word) {
    for (const auto& [theirs, ours] : a.words) {
      if (ours == word) return bare_text(theirs);
    }
    return "";
  }

  void assign(const Assignment& a, const ToolRule& rule, const Came& of_rule, bool assumed) {
    const auto id = trainer::find_fact(a.fact);
    const FactKind kind = id ? trainer::kind_of(*id) : FactKind::any;
    if (is_elsewhere(a) || is_of_shell(a)) return;
    if (a.of_width > 0)
      return facts_.set_of_width({a.fact, bare_setting(of_rule.setting), rule.why, a.of_width});
    const auto value = resolved(a, kind, of_rule);
    if (!value) return unknown(a, id);
    const bool is_default = assumed || value->came.is_default;
    std::string setting = value->came.setting;
    if (is_default && !rule.why.empty()) setting = rule.why;
    if (setting.empty()) setting = rule.why.empty() ? tool_.title : rule.why;
    id ? put(*id, value->json, setting, is_default)
       : facts_.set_key(a.fact, value->json, setting, is_default);
    if (is_default || rule.why.empty()) return;
    id ? facts_.note(*id, bare_text(value->json), rule.why)
       : facts_.note_key(a.fact, bare_text(value->json), rule.why);
  }

  // A value that the file leaves to another one leaves its key open.
  bool is_elsewhere(const Assignment& a) {
    const ForeignSetting* s = a.setting.empty() ? nullptr : values_.given(a.setting);
    const std::string* why = s == nullptr ? nullptr : tool_.elsewhere_of(s->value);
    if (why == nullptr) return false;
    const auto id = trainer::find_fact(a.fact);
    facts_.leave_key_open(id ? std::string(trainer::name_of(*id)) : a.fact, text_of(*s), *why);
    return true;
  }

  // A value that only a running shell or program knows leaves its key open.
  bool is_of_shell(const Assignment& a) {
    const auto id = trainer::find_fact(a.fact);
    if (id == FactId::deepspeed || id == FactId::model) return false;  // a file, which has a name
    const ForeignSetting* s = a.setting.empty() ? nullptr : values_.unknown(a.setting);
    for (const std::string& word : a.formula) {
      const bool is_name = !is_sign(word) && !parse_number(word) && word.front() != '@';
      if (s == nullptr && is_name) s = values_.unknown(word);
    }
    if (s != nullptr) leave_open(a.fact, *s);
    return s != nullptr;
  }

  // A default that does not hold: the file that sets it is not given.
  void unknown(const Assignment& a, std::optional<FactId> id) {
    if (!id || !values_.is_unknown_default(a.setting) || values_.given(a.setting) != nullptr)
      return;
    facts_.leave_missing(*id, alternatives_in(a.setting).front(),
                         "the configuration says it, which is not given");
  }

  void put(FactId id, Json value, const std::string& setting, bool is_default) {
    if (id == FactId::model && !tool_.speaks.empty()) {
      // The dimensions that stand beside it may be all of the model.
      const std::string ours = shipped_model(bare_text(value));
      if (!ours.empty()) facts_.set(id, ours, bare_setting(setting));
      return;
    }
    if (id == FactId::model)
      return trainer::set_model(bare_text(value), bare_setting(setting), facts_);
    if (id == FactId::optimizer) value = last_part(bare_text(value));
    if (id == FactId::deepspeed) value = base_name(bare_text(value));
    if (id == FactId::sequence_length && facts_.has(id)) return;
    const bool bare = id == FactId::deepspeed;
    is_default ? facts_.assume_default(id, std::move(value), setting)
               : facts_.set(id, std::move(value), bare ? bare_setting(setting) : setting);
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
    const ToolDefault* rank = values_.default_of(rule.rank);
    const ToolDefault* targets = rule.targets.empty() ? nullptr : values_.default_of(rule.targets);
    const std::string setting = came.setting.empty() ? tool_.title : bare_setting(came.setting);
    const bool every = !rule.every_linear.empty() && settings_.has(rule.every_linear);
    if (const ForeignSetting* s = unknown_of(rule)) return leave_open("adapter", *s);
    if (!settings_.has(rule.rank) && rank == nullptr)
      return facts_.leave_open(FactId::adapter, setting,
                               rule.rank + " is not given, and " + tool_.title + " has no default");
    if (!settings_.has(rule.targets) && targets == nullptr && !every && !rule.none_by_default)
      return facts_.leave_open(FactId::adapter, setting,
                               rule.targets + " is PEFT's choice for this model; name them");
    set_adapter(rule, rank, targets, setting);
    adapter_defaults(rule, rank, targets);
    add_targets(rule);
  }

  // A setting of an adapter that only a running shell or program knows; nullptr for none.
  const ForeignSetting* unknown_of(const AdapterRule& rule) const {
    for (const std::string* name : {&rule.rank, &rule.targets, &rule.dropout, &rule.dora,
                                    &rule.every_linear, &rule.trained}) {
      const ForeignSetting* s = name->empty() ? nullptr : values_.unknown(*name);
      if (s != nullptr) return s;
    }
    if (const ForeignSetting* s = values_.unknown_in(rule.dora_when)) return s;
    for (const AdapterRule::Also& also : rule.also) {
      if (const ForeignSetting* s = values_.unknown_in(also.when)) return s;
    }
    return nullptr;
  }

  void set_adapter(const AdapterRule& rule, const ToolDefault* rank, const ToolDefault* targets,
                   const std::string& setting) {
    AdapterSettings names;
    names.rank = rule.rank;
    names.targets = rule.targets;
    names.every_linear = rule.every_linear;
    names.dropout = rule.dropout;
    names.dora = rule.dora;
    names.trained = rule.trained;
    names.is_dora = !rule.dora_when.empty() && holds(rule.dora_when, values_);
    if (rank != nullptr) names.default_rank = rank->value.get<std::int64_t>();
    const std::string default_targets = targets == nullptr ? "" : bare_text(targets->value);
    names.default_targets = default_targets;
    const ToolDefault* dropout = rule.dropout.empty() ? nullptr : values_.default_of(rule.dropout);
    if (dropout != nullptr) names.default_dropout = dropout->value.get<double>();
    trainer::set_adapter(names, base_weights(), setting, settings_, facts_);
  }

  void adapter_defaults(const AdapterRule& rule, const ToolDefault* rank,
                        const ToolDefault* targets) {
    if (rank != nullptr && !settings_.has(rule.rank))
      facts_.note(FactId::adapter, "rank " + bare_text(rank->value),
                  values_.default_text(rule.rank));
    if (targets != nullptr && !settings_.has(rule.targets))
      facts_.note(FactId::adapter, bare_text(targets->value), values_.default_text(rule.targets));
  }

  void add_targets(const AdapterRule& rule) {
    Json stated = facts_.at(FactId::adapter)->value;
    if (rule.none_by_default && !stated.contains("targets")) stated["targets"] = Json::array();
    for (const AdapterRule::Also& also : rule.also) {
      if (!holds(also.when, values_)) continue;
      for (const std::string& target : also.targets) stated["targets"].push_back(target);
    }
    facts_.replace(FactId::adapter, std::move(stated));
  }

  const Tool& tool_;
  const ForeignFile& file_;
  // A rule of a tool stands before those that it inherits, which may say how the base is stored.
  std::vector<std::pair<const AdapterRule*, Came>> adapters_;
  const ForeignSetting* ground_ = nullptr;  // of the rule that is read, or of one around it
  Values& values_;
  Settings& settings_;
  Facts& facts_;
};

// Settings that any rule mentions are read, whether or not it came to be used.
// One of a pattern, "freeze_*", that is off has no effect.
void take_asked(const Tool& tool, Settings& settings, Facts& facts) {
  for (const std::string& name : tool.asked) {
    if (name.find('*') == std::string::npos) {
      settings.take(name.substr(0, name.find('[')));
      continue;
    }
    for (const ForeignSetting& s : std::vector<ForeignSetting>(settings.all())) {
      if (s.taken || !fits_pattern(s.name, name)) continue;
      settings.take(s.name);
      if (!is_on(s.value)) facts.without_effect(s.name);
    }
  }
}

// A name by itself, and one that settings have without an effect under a condition.
std::string without_effect(const Tool& tool, const Values& values) {
  std::string names = tool.without_effect;
  for (const Silent& silent : tool.silent) {
    if (!holds(silent.when, values)) continue;
    for (const std::string& name : silent.settings) names += name + " ";
  }
  return names;
}

bool fits_any(std::string_view name, const std::string& patterns) {
  const std::vector<std::string_view> all = fields_of(patterns, ' ');
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view p) { return fits_pattern(name, p); });
}

// Settings of parts that stand as if at the top, over those that stand there.
void lift_parts(const Tool& tool, Settings& settings) {
  Settings lifted(settings.file());
  for (const ForeignSetting& s : settings.all()) {
    if (name_in(tool, s.name) != s.name) lifted.add(s);
  }
  settings.remove_if([&](const ForeignSetting& s) { return name_in(tool, s.name) != s.name; });
  for (ForeignSetting s : lifted.all()) {
    s.name = name_in(tool, s.name);
    settings.add(std::move(s));
  }
}

// Several commands of one script: a setting in which they differ is of none of them.
void drop_differing(const Tool& tool, const CommandDocument& d, Settings& settings, Facts& facts) {
  if (d.each.size() < 2) return;
  std::vector<Settings> each;
  for (const OneCommand& c : d.each) {
    each.push_back(settings_of(c.document, settings.file()));
    lift_parts(tool, each.back());
  }
  std::vector<OneRun> runs;
  for (std::size_t i = 0; i < each.size(); ++i) runs.push_back({&each[i], d.each[i].line});
  const auto key = [&](const ForeignSetting& s) { return key_of(tool, s.name).value_or(""); };
  const auto harmless = [&](const ForeignSetting& s) {
    return key(s).empty() && is_without_effect(tool, s.name);
  };
  const Settings before = settings;
  for (const LeftOver& l : take_differing(runs, {key, harmless}, settings)) {
    const ForeignSetting* assumed =
        facts.is_assumed(l.setting) ? find_setting(before, l.setting) : nullptr;
    assumed != nullptr ? settings.add(*assumed) : facts.leave_key_open(l.key, l.setting, l.why);
  }
}

// The files that a document stands on.
void put_on_base(const Tool& tool, Json& document, Facts& facts) {
  if (tool.base.empty() || !document.contains(tool.base)) return;
  const Json named = document[tool.base];
  document.erase(tool.base);
  Json whole = Json::object();
  for (const Json& name : named.is_array() ? named : Json::array({named})) {
    if (!name.is_string() || name == "_self_") continue;
    const ForeignFile* file = facts.given_file(name.get<std::string>());
    if (file == nullptr) {
      facts.refuse(tool.base + " " + name.get<std::string>(), "is not given; give it too");
      continue;
    }
    facts.include(file->name);
    const Json base = read_yaml(file->text, file->name);
    if (base.is_object()) merge_over(whole, base);
  }
  merge_over(whole, document);
  document = std::move(whole);
}

// A list of one mapping stands as the mapping itself, one of several as mappings by number.
void unfold_lists(const Tool& tool, Json& document) {
  for (const std::string& path : tool.lists) {
    const Json list = value_at(document, path);
    if (!list.is_array() || list.empty()) continue;
    Json mappings = Json::object();
    for (std::size_t i = 0; i < list.size(); ++i) mappings[std::to_string(i)] = list[i];
    set_at(document, path, list.size() == 1 ? list[0] : mappings);
  }
}

// Files that stand in place of values (!include); one that is not given is asked for by its name.
void include_files(const std::string& path, int depth, Json& document, Facts& facts) {
  constexpr int kMostIncluded = 8;
  for (auto it = document.begin(); it != document.end();) {
    const std::string name = path.empty() ? it.key() : path + "." + it.key();
    const std::string text = it->is_string() ? it->get<std::string>() : "";
    if (begins_with(text, kIncludes)) {
      const ForeignFile* file = facts.given_file(text.substr(std::string_view(kIncludes).size()));
      if (file == nullptr || depth == kMostIncluded) {
        facts.refuse(name + " " + text, "is not given; give it too");
        it = document.erase(it);
        continue;
      }
      facts.include(file->name);
      *it = read_document(*file);
      ++depth;
    }
    if (it->is_object()) include_files(name, depth, *it, facts);
    ++it;
  }
}

CommandDocument document_of(const Tool& tool, const ForeignFile& file, Facts& facts) {
  CommandDocument d;
  if (is_document(file)) {
    d.document = read_document(file);
    d.has_file = true;
    if (!d.document.is_object())
      throw InputError(file.name, "", brief(d.document), "settings of " + tool.title);
  } else {
    d = command_document(tool, file, facts);
    if (d.each.empty())
      throw InputError(file.name, "", "no setting of " + tool.title,
                       "a file of its settings, or a command that starts it");
  }
  put_on_base(tool, d.document, facts);
  include_files("", 0, d.document, facts);
  follow_references(d.document);
  unfold_lists(tool, d.document);
  return d;
}

// Values that only a running shell knows are of no use to a rule; those taken out.
Settings set_aside_unknown(const Tool& tool, Settings& settings, Facts& facts) {
  Settings aside(settings.file());
  for (const ForeignSetting& s : std::vector<ForeignSetting>(settings.all())) {
    if (!is_unknown_to_us(s.value)) continue;
    const auto key = key_of(tool, s.name);
    if (!key && tool.says.empty()) continue;  // a file that is not known is one that is not given
    const bool noted = std::any_of(tool.not_modelled.begin(), tool.not_modelled.end(),
                                   [&](const auto& n) { return fits_pattern(s.name, n.first); });
    if (key) {
      facts.leave_key_open(*key, text_of(s), why_unknown(settings.file_of(s)));
    } else if (is_without_effect(tool, s.name)) {
      continue;  // whatever it is
    } else if (moves_a_number(s.name) && !noted) {
      facts.refuse(text_of(s), why_unknown(settings.file_of(s)));
    } else {
      facts.mention(text_of(s), why_unknown(settings.file_of(s)));
    }
    settings.remove(s.name);
    aside.add(s);
  }
  return aside;
}

Json typed(const std::string& name, FactKind kind, Settings& settings) {
  switch (kind) {
    case FactKind::boolean:
      return *settings.flag(name);
    case FactKind::count:
      return *settings.count(name, 0, kMostDegree);
    case FactKind::degree:
      return *settings.count(name, 1, kMostDegree);
    case FactKind::tokens:
      return *settings.count(name, 0, kMostCount);
    case FactKind::elements:
      return *settings.count(name, 0, trainer::kMostElements);
    case FactKind::share:
      return *settings.number(name, 0, 1);
    case FactKind::number:
      return *settings.number(name, 0, trainer::kMostNumber);
    case FactKind::word:
      return *settings.word(name);
    case FactKind::any:
      break;
  }
  throw std::logic_error("no type that a tool may name");
}

// Values of settings whose type the tool says.
void read_types(const Tool& tool, Settings& settings) {
  for (ForeignSetting s : std::vector<ForeignSetting>(settings.all())) {
    const auto type = std::find_if(tool.types.begin(), tool.types.end(),
                                   [&](const auto& t) { return fits_pattern(s.name, t.first); });
    if (type == tool.types.end() || is_unknown_to_us(s.value) ||
        tool.elsewhere_of(s.value) != nullptr)
      continue;
    s.value = typed(s.name, *trainer::find_fact_kind(type->second), settings);
    settings.add(std::move(s));
  }
}

// Settings of the tool that this one inherits, which its own parser does not know.
void refuse_lacking(const Tool& tool, Settings& settings, Facts& facts) {
  const std::string why = "no setting of " + tool.title;
  for (const ForeignSetting& s : settings.all()) {
    if (!is_lacking(tool, s.name)) continue;
    moves_a_number(s.name) || key_of(tool, s.name) ? facts.refuse(text_of(s), why)
                                                   : facts.mention(text_of(s), why);
  }
  settings.remove_if([&](const ForeignSetting& s) { return is_lacking(tool, s.name); });
}

// Settings without an effect have none, whoever says them.
void drop_elsewhere(const Tool& tool, Settings& settings, Facts& facts) {
  const auto none = [&](const ForeignSetting& s) {
    return tool.elsewhere_of(s.value) != nullptr && is_without_effect(tool, s.name);
  };
  for (const ForeignSetting& s : settings.all()) {
    if (none(s)) facts.without_effect(s.written);
  }
  settings.remove_if(none);
}

void refuse_elsewhere(const Tool& tool, Settings& settings, Facts& facts) {
  for (const ForeignSetting& s : std::vector<ForeignSetting>(settings.all())) {
    const std::string* why = s.taken ? nullptr : tool.elsewhere_of(s.value);
    if (why == nullptr) continue;
    settings.take(s.name);
    facts.refuse(text_of(s), *why);
  }
}

void refuse_other(const Others& others, const ForeignSetting& s, Facts& facts) {
  std::string lower = s.name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool moves =
      is_on(s.value) && std::any_of(others.refused.begin(), others.refused.end(),
                                    [&](const std::string& part) { return contains(lower, part); });
  moves ? facts.refuse(text_of(s), others.why) : facts.without_effect(s.name);
}

// Settings that no rule names, under the names of the tool that is spoken.
void pass_others(const Tool& tool, const std::string& silent, const Settings& settings,
                 Facts& facts) {
  for (ForeignSetting s : settings.all()) {
    if (s.taken) continue;
    if (fits_any(s.name, silent)) {
      facts.without_effect(s.name);
      continue;
    }
    if (!tool.others.refused.empty()) {
      refuse_other(tool.others, s, facts);
      continue;
    }
    std::string name = tool.others.last ? s.name.substr(s.name.rfind('.') + 1) : s.name;
    const std::string& begin = tool.others.without;
    if (!begin.empty() && begins_with(name, begin)) name = name.substr(begin.size());
    const ForeignSetting* same = find_setting(facts.passed(), name);
    if (same != nullptr && same->value == s.value) {
      facts.without_effect(s.name + " (as " + same->written + ")");
      continue;
    }
    if (same == nullptr) s.name = name;  // another part may have a setting of the same name
    facts.pass(std::move(s));
  }
}

constexpr double kMostStrange = 0.6;  // of a file's settings, in a file of the tool [judgement]
constexpr std::size_t kFewSettings = 12;

bool is_strange(const Tool& tool, const std::string& silent, const ForeignSetting& s) {
  return !s.taken && is_on(s.value) && !fits_any(s.name, silent) &&
         std::none_of(tool.not_modelled.begin(), tool.not_modelled.end(),
                      [&](const auto& note) { return fits_pattern(s.name, note.first); });
}

// A file most of whose settings the tool does not have is of another program, which shares a few
// names with it: what the tool does by default is not what that program does.
void refuse_strange(const Tool& tool, const std::string& silent, const Settings& settings) {
  const auto& all = settings.all();
  std::vector<std::string> strange;
  for (const ForeignSetting& s : all) {
    if (is_strange(tool, silent, s)) strange.push_back(s.written);
  }
  const auto most = kMostStrange * static_cast<double>(all.size());
  if (strange.size() < kFewSettings || static_cast<double>(strange.size()) < most) return;
  throw InputError(
      settings.file(), "",
      std::to_string(strange.size()) + " of " + std::to_string(all.size()) + " settings that " +
          tool.title + " does not have (" + strange[0] + ", " + strange[1] + ", ...)",
      "a file of a tool of `orrery list tools`; else the run by flags or as a run file");
}

// Settings of one file, or of a command with the files that it names.
void read_settings(const Tool& tool, const ForeignFile& file, const CommandDocument& d,
                   Settings settings, Facts& facts) {
  rename_settings(tool, settings);
  facts.trains = facts.trains || tool.trains;
  if (tool.trains) facts.set_tool(tool.title + (tool.release.empty() ? "" : " " + tool.release));
  lift_parts(tool, settings);
  const bool speaks = !tool.speaks.empty();
  // --assume and values that a shell alone knows are of the tool that is spoken.
  if (!speaks) facts.assume_settings(settings);
  drop_differing(tool, d, settings, facts);
  Settings aside(settings.file());
  if (!speaks) aside = set_aside_unknown(tool, settings, facts);
  refuse_lacking(tool, settings, facts);
  drop_elsewhere(tool, settings, facts);
  read_types(tool, settings);
  Values values(tool, file, settings, facts);
  values.set_aside(aside);
  values.set_command(d.program.empty() ? facts.program_of(file.name) : d.program, d.variables);
  values.set_files(d.has_file, d.misses_file);
  values.set_document(d.document);
  Run(tool, file, values, settings, facts).all();
  take_asked(tool, settings, facts);
  if (speaks) return pass_others(tool, without_effect(tool, values), settings, facts);
  refuse_elsewhere(tool, settings, facts);
  std::vector<SettingNote> notes;
  for (const auto& [name, why] : tool.not_modelled) notes.push_back({name, why});
  const std::string silent = without_effect(tool, values);
  if (d.program.empty()) refuse_strange(tool, silent, settings);
  trainer::list_others(silent, notes, settings, facts);
}

}  // namespace

void read_with(const Tool& tool, const ForeignFile& file, Facts& facts) {
  const CommandDocument d = document_of(tool, file, facts);
  if (d.launcher != nullptr)
    read_settings(*d.launcher, file, {}, settings_of(d.launch, file.name), facts);
  read_settings(tool, file, d, settings_of(d.document, file.name), facts);
}

void read_with(const Tool& tool, Json document, const std::string& file, Facts& facts) {
  CommandDocument d;
  d.has_file = true;
  d.document = std::move(document);
  follow_references(d.document);
  unfold_lists(tool, d.document);
  const ForeignFile none{file, ""};
  read_settings(tool, none, d, settings_of(d.document, file), facts);
}

void read_with(const Tool& tool, Settings settings, const SettingsOrigin& origin, Facts& facts) {
  CommandDocument d;
  d.program = origin.of;
  d.has_file = origin.has_all;
  d.misses_file = !origin.has_all;
  const ForeignFile none{settings.file(), ""};
  read_settings(tool, none, d, std::move(settings), facts);
}

}  // namespace orrery::tools
