// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/tool_reader.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/units.h"
#include "estimate/config_lookup.h"
#include "exchange/text_lines.h"
#include "exchange/tools/formula.h"
#include "exchange/tools/hooks.h"
#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {
namespace {

constexpr std::int64_t kMostScore = 100;
constexpr int kMostInherited = 8;
constexpr double kMostShare = 1e6;

std::string text_or(Reader& at, const char* key, const std::string& otherwise = "") {
  const auto r = at.find(key);
  return r ? r->text() : otherwise;
}

bool flag_or(Reader& at, const char* key) {
  const auto r = at.find(key);
  return r && r->boolean();
}

std::vector<std::string> texts_at(Reader& at, const char* key) {
  std::vector<std::string> texts;
  const auto list = at.find(key);
  if (!list) return texts;
  for (const Reader& r : list->items()) texts.push_back(r.text());
  return texts;
}

std::vector<std::pair<std::string, std::string>> texts_by_name(Reader& at, const char* key) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto found = at.find(key);
  if (!found) return texts;
  Reader r = *found;
  for (const std::string& name : r.keys()) texts.emplace_back(name, r.at(name).text());
  return texts;
}

std::vector<ShippedFile> shipped_files_at(Reader& at) {
  std::vector<ShippedFile> files;
  const auto found = at.find("ships");
  if (!found) return files;
  Reader list = *found;
  for (const std::string& name : list.keys()) {
    Reader file = list.at(name);
    files.push_back({name, text_or(file, "over"), {}});
    for (const auto& [setting, value] : file.at("settings").json().items())
      files.back().settings.emplace_back(setting, value);
    file.reject_unknown();
  }
  return files;
}

void check_fact(const std::string& fact, const Reader& at) {
  if (fact.find('.') != std::string::npos || trainer::find_fact(fact)) return;
  at.fail("\"" + fact + "\"", "a fact or a key of a run",
          nearest_name(fact, trainer::fact_words()));
}

void add_words(Reader& at, Assignment& a) {
  const auto found = at.find("words");
  if (!found) return;
  Reader words = *found;
  for (const std::string& theirs : words.keys())
    a.words.emplace_back(theirs, words.at(theirs).json());
}

void read_bounds(Reader& at, Assignment& a) {
  if (const auto least = at.find("least")) a.least = least->integer(0, kMostCount);
  if (const auto most = at.find("most")) a.most = most->integer(0, kMostCount);
}

Assignment read_assignment(const std::string& fact, const Reader& at) {
  Assignment a{fact};
  if (at.json().is_object() && at.json().contains("from")) {
    Reader r = at;
    a.setting = r.at("from").text();
    add_words(r, a);
    a.last = text_or(r, "last");
    a.without = texts_at(r, "without");
    a.without_end = texts_at(r, "without_end");
    read_bounds(r, a);
    r.reject_unknown();
    return a;
  }
  if (at.json().is_object() && at.json().contains("of_width")) {
    Reader r = at;
    a.of_width = r.at("of_width").number(0, kMostShare);
    r.reject_unknown();
    return a;
  }
  const std::string text = at.json().is_string() ? at.text() : "";
  if (begins_with(text, "$")) {
    a.setting = text.substr(1);
  } else if (begins_with(text, "= ")) {
    for (const std::string_view word : words_of(std::string_view(text).substr(2)))
      a.formula.emplace_back(word);
  } else {
    a.literal = at.json();
  }
  return a;
}

std::vector<Assignment> assignments_at(Reader& at, const char* key) {
  std::vector<Assignment> all;
  const auto found = at.find(key);
  if (!found) return all;
  Reader r = *found;
  for (const std::string& fact : r.keys()) all.push_back(read_assignment(fact, r.at(fact)));
  return all;
}

std::vector<Assignment> facts_at(Reader& at, const char* key) {
  const auto found = at.find(key);
  if (found) {
    Reader r = *found;
    for (const std::string& fact : r.keys()) check_fact(fact, r.at(fact));
  }
  return assignments_at(at, key);
}

AdapterRule read_adapter_rule(Reader at) {
  AdapterRule a;
  a.rank = at.at("rank").text();
  a.targets = text_or(at, "targets");
  a.every_linear = text_or(at, "every_linear");
  a.dropout = text_or(at, "dropout");
  a.dora = text_or(at, "dora");
  a.trained = text_or(at, "trained");
  a.none_by_default = flag_or(at, "none_by_default");
  if (const auto when = at.find("dora_when")) a.dora_when = read_condition(*when);
  if (const auto also = at.find("also")) {
    for (Reader r : also->items()) {
      a.also.push_back({read_condition(r.at("when")), texts_at(r, "targets")});
      r.reject_unknown();
    }
  }
  at.reject_unknown();
  return a;
}

ToolRule read_rule(Reader at);

std::vector<ToolRule> rules_at(Reader& at, const char* key) {
  std::vector<ToolRule> rules;
  const auto list = at.find(key);
  if (!list) return rules;
  for (const Reader& r : list->items()) rules.push_back(read_rule(r));
  return rules;
}

ToolRule read_rule(Reader at) {
  at.must_be_object();
  ToolRule rule;
  if (const auto when = at.find("when")) rule.when = read_condition(*when);
  rule.about = text_or(at, "about");
  rule.set = facts_at(at, "set");
  rule.assume = facts_at(at, "assume");
  rule.pass = assignments_at(at, "pass");
  rule.unset = texts_at(at, "unset");
  rule.other_defaults = text_or(at, "other_defaults");
  rule.of = text_or(at, "of");
  rule.each = texts_at(at, "each");
  rule.open = text_or(at, "open");
  if (!rule.open.empty()) check_fact(rule.open, at.at("open"));
  rule.refuse = flag_or(at, "refuse");
  rule.note = flag_or(at, "note");
  rule.without_effect = flag_or(at, "without_effect");
  rule.pick_precision = flag_or(at, "pick_precision");
  if (const auto adapter = at.find("adapter")) rule.adapter = read_adapter_rule(*adapter);
  rule.hook = text_or(at, "hook");
  if (!rule.hook.empty() && find_hook(rule.hook) == nullptr)
    at.at("hook").fail("\"" + rule.hook + "\"", "a hook", nearest_name(rule.hook, hook_names()));
  if (const auto parameters = at.find("parameters")) rule.parameters = parameters->json();
  rule.first = rules_at(at, "first");
  rule.rules = rules_at(at, "rules");
  rule.why = text_or(at, "why");
  if ((rule.refuse || rule.note || !rule.open.empty()) && rule.why.empty())
    at.fail_missing("why", "why the settings are refused, noted or open");
  at.reject_unknown();
  return rule;
}

// A setting that says a fact as it stands is a rule without a condition, about that setting.
void add_rows(Reader& at, Tool& tool) {
  const auto found = at.find("settings");
  if (!found) return;
  Reader r = *found;
  for (const std::string& name : r.keys()) {
    const Reader row = r.at(name);
    ToolRule rule;
    rule.about = name;
    const bool translated = row.json().is_object();
    Reader parts = row;
    const std::string fact = translated ? parts.at("fact").text() : row.text();
    if (tool.speaks.empty()) check_fact(fact, row);
    Assignment a{fact};
    a.setting = name;
    if (translated) {
      add_words(parts, a);
      parts.reject_unknown();
    }
    (tool.speaks.empty() ? rule.set : rule.pass).push_back(std::move(a));
    tool.rules.push_back(std::move(rule));
  }
}

void add_defaults(Reader& at, Tool& tool) {
  const auto found = at.find("defaults");
  if (!found) return;
  Reader r = *found;
  for (const std::string& name : r.keys()) {
    Reader row = r.at(name);
    tool.defaults[name] = {row.at("value").json(), text_or(row, "release", tool.release),
                           row.at("source").text()};
    row.reject_unknown();
  }
}

std::vector<StartCommand> commands_at(Reader& at) {
  std::vector<StartCommand> commands;
  const auto list = at.find("commands");
  if (!list) return commands;
  for (Reader r : list->items()) {
    commands.push_back({r.at("program").text(), text_or(r, "word"), text_or(r, "config"),
                        text_or(r, "positional"), flag_or(r, "overrides"), texts_at(r, "flags"),
                        texts_at(r, "beside")});
    if (const auto found = r.find("variables")) {
      Reader variables = *found;
      for (const std::string& name : variables.keys())
        commands.back().variables.emplace_back(name, variables.at(name).text());
    }
    r.reject_unknown();
  }
  return commands;
}

// A text stands whole or as a list of lines.
std::string example_text(const Reader& at) {
  if (!at.json().is_array()) return at.text();
  std::string text;
  for (const Reader& line : at.items()) text += line.text() + "\n";
  return text;
}

std::vector<Example> examples_at(Reader& at) {
  std::vector<Example> all;
  const auto list = at.find("examples");
  if (!list) return all;
  for (Reader r : list->items()) {
    Example e;
    Reader files = r.at("files");
    for (const std::string& name : files.keys())
      e.files.push_back({name, example_text(files.at(name))});
    if (const auto given = r.find("given")) e.given = given->json();
    e.gives = r.at("gives").json();
    e.asks = texts_at(r, "asks");
    e.refuses = texts_at(r, "refuses");
    r.reject_unknown();
    all.push_back(std::move(e));
  }
  return all;
}

void add_asked(const Assignment& a, std::vector<std::string>& names) {
  for (std::string& name : alternatives_in(a.setting)) names.push_back(std::move(name));
  for (const std::string& word : a.formula) {
    if (!is_sign(word) && !parse_number(word) && word.front() != '@') {
      for (std::string& name : alternatives_in(word)) names.push_back(std::move(name));
    }
  }
}

// A test that a part is there, "fsdp_config.*", does not read its settings.
void add_tested(const Condition& when, std::vector<std::string>& names) {
  std::vector<std::string> all;
  add_settings(when, all);
  for (std::string& name : all) {
    if (name.find('*') == std::string::npos) names.push_back(std::move(name));
  }
}

void add_asked(const ToolRule& rule, std::vector<std::string>& names) {
  add_tested(rule.when, names);
  for (const Assignment& a : rule.set) add_asked(a, names);
  for (const Assignment& a : rule.assume) add_asked(a, names);
  for (const Assignment& a : rule.pass) add_asked(a, names);
  names.insert(names.end(), rule.each.begin(), rule.each.end());
  for (const auto& spoken : value_at(rule.parameters, "names").items()) {
    for (std::string& name : alternatives_in(spoken.key())) names.push_back(std::move(name));
  }
  if (rule.adapter) {
    const AdapterRule& a = *rule.adapter;
    for (const std::string* name :
         {&a.rank, &a.targets, &a.every_linear, &a.dropout, &a.dora, &a.trained})
      names.push_back(*name);
    add_tested(a.dora_when, names);
    for (const AdapterRule::Also& also : a.also) add_tested(also.when, names);
  }
  for (const ToolRule& part : rule.first) add_asked(part, names);
  for (const ToolRule& part : rule.rules) add_asked(part, names);
}

std::string read_type(const Reader& at) {
  const std::string word = at.text();
  if (!trainer::find_fact_kind(word))
    at.fail("\"" + word + "\"", alternatives(trainer::fact_kind_words()),
            nearest_name(word, trainer::fact_kind_words()));
  return word;
}

Tool read_tool(Reader at) {
  Tool tool;
  tool.file = at.file();
  tool.name = at.at("name").text();
  tool.title = at.at("title").text();
  tool.release = text_or(at, "release");
  tool.source = at.at("source").text();
  tool.inherits = text_or(at, "inherits");
  tool.speaks = text_or(at, "speaks");
  tool.format = text_or(at, "format", tool.name);
  tool.lists = texts_at(at, "lists");
  tool.variables = flag_or(at, "variables");
  tool.joins_files = flag_or(at, "joins_files");
  if (const auto written = at.find("written")) {
    for (const auto& [name, value] : written->json().items())
      tool.written.emplace_back(name, value);
  }
  if (const auto found = at.find("others")) {
    Reader r = *found;
    tool.others = {flag_or(r, "last"), text_or(r, "without"), texts_at(r, "refused"),
                   text_or(r, "why")};
    r.reject_unknown();
  }
  at.allow("$schema");
  if (const auto r = at.find("launches_only")) tool.trains = !r->boolean();
  if (const auto list = at.find("recognise")) {
    for (Reader r : list->items()) {
      DocumentMark mark{static_cast<int>(r.at("score").integer(1, kMostScore))};
      mark.variables = texts_at(r, "variables");
      if (mark.variables.empty()) mark.when = read_condition(r.at("when"));
      if (const auto form = r.find("form")) {
        constexpr std::array<std::string_view, 1> kForms = {"json"};
        mark.json_alone = form->choice(kForms) == 0;
      }
      tool.recognise.push_back(std::move(mark));
      r.reject_unknown();
    }
  }
  tool.commands = commands_at(at);
  add_rows(at, tool);
  add_defaults(at, tool);
  if (const auto when = at.find("defaults_when")) tool.defaults_when = read_condition(*when);
  for (ToolRule& rule : rules_at(at, "rules")) tool.rules.push_back(std::move(rule));
  for (const std::string& name : texts_at(at, "without_effect")) tool.without_effect += name + " ";
  tool.not_modelled = texts_by_name(at, "not_modelled");
  if (const auto list = at.find("without_effect_when")) {
    for (Reader r : list->items()) {
      tool.silent.push_back({read_condition(r.at("when")), texts_at(r, "settings")});
      r.reject_unknown();
    }
  }
  if (const auto types = at.find("types")) {
    Reader r = *types;
    for (const std::string& name : r.keys()) tool.types.emplace_back(name, read_type(r.at(name)));
  }
  for (const auto& [value, why] : texts_by_name(at, "elsewhere"))
    tool.elsewhere.emplace_back(value, why);
  tool.renames = texts_by_name(at, "renames");
  tool.says = texts_by_name(at, "says");
  tool.ships = shipped_files_at(at);
  tool.engine = flag_or(at, "engine");
  tool.abbreviates = flag_or(at, "abbreviates");
  tool.lacks = texts_at(at, "lacks");
  if (tool.engine) tool.trains = false;
  tool.below = texts_at(at, "below");
  tool.base = text_or(at, "base");
  tool.examples = examples_at(at);
  at.reject_unknown();
  return tool;
}

// The tool's own rows go before its parent's.
void inherit(const Tool& parent, Tool& tool) {
  const auto overridden = [&](const ToolRule& rule) {
    return !rule.about.empty() &&
           std::any_of(tool.rules.begin(), tool.rules.end(),
                       [&](const ToolRule& own) { return own.about == rule.about; });
  };
  std::vector<ToolRule> theirs;
  std::copy_if(parent.rules.begin(), parent.rules.end(), std::back_inserter(theirs),
               [&](const ToolRule& rule) { return !overridden(rule); });
  tool.rules.insert(tool.rules.end(), theirs.begin(), theirs.end());
  tool.defaults.insert(parent.defaults.begin(), parent.defaults.end());
  tool.abbreviates = tool.abbreviates || parent.abbreviates;
  if (tool.defaults_when.empty()) tool.defaults_when = parent.defaults_when;
  tool.without_effect += parent.without_effect;
  tool.silent.insert(tool.silent.end(), parent.silent.begin(), parent.silent.end());
  tool.not_modelled.insert(tool.not_modelled.end(), parent.not_modelled.begin(),
                           parent.not_modelled.end());
}

// A tool that speaks another one gives its settings, and of facts the model and its adapters alone.
void check_spoken(const ToolRule& rule, const Reader& at) {
  for (const auto* all : {&rule.set, &rule.assume}) {
    for (const Assignment& a : *all) {
      if (a.fact != "model" && a.fact != "base_weights" && a.fact != "adapter")
        at.fail("\"" + a.fact + "\"", "model, adapter, base_weights, or `pass`, beside `speaks`");
    }
  }
  for (const auto* parts : {&rule.first, &rule.rules}) {
    for (const ToolRule& part : *parts) check_spoken(part, at);
  }
}

// With those it inherits, `depth` of which were read.
std::optional<Tool> tool_named(const std::string& name, const ConfigLookup& lookup, int depth) {
  const auto text = lookup.tool ? lookup.tool(name) : std::nullopt;
  if (!text) return {};
  const Json document = parse_json(text->text, text->file);
  Reader at(document, text->file);
  Tool tool = read_tool(at);
  for (const ToolRule& rule : tool.rules) {
    if (!tool.speaks.empty()) check_spoken(rule, at);
  }
  if (const auto parent = at.find("inherits")) {
    const auto theirs =
        depth < kMostInherited ? tool_named(parent->text(), lookup, depth + 1) : std::nullopt;
    if (!theirs) parent->fail(brief(parent->json()), "a tool of configs/tools");
    inherit(*theirs, tool);
  }
  return tool;
}

}  // namespace

std::optional<Tool> tool_named(const std::string& name, const ConfigLookup& lookup) {
  std::optional<Tool> tool = tool_named(name, lookup, 0);
  if (!tool) return {};
  for (const ToolRule& rule : tool->rules) add_asked(rule, tool->asked);
  add_tested(tool->defaults_when, tool->asked);
  for (const Silent& silent : tool->silent) add_tested(silent.when, tool->asked);
  return tool;
}

}  // namespace orrery::tools
