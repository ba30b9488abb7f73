// SPDX-License-Identifier: Apache-2.0
#include "exchange/megatron/megatron.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include "core/json_path.h"
#include "exchange/arguments.h"
#include "exchange/programs.h"
#include "exchange/several_runs.h"
#include "exchange/shell/cursor.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"
#include "exchange/tools/condition.h"
#include "exchange/tools/tool_run.h"
#include "exchange/yaml.h"

namespace orrery::megatron {
namespace {

constexpr std::string_view kBegin = "- arguments -";
constexpr std::string_view kEnd = "- end of arguments -";
constexpr const char* kVariables[] = {"WORLD_SIZE"};

// "None", "True", "8", "['core_attn', 'mlp']", "torch.bfloat16" as Python prints them.
Json python_value(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  const bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']' &&
                    text.find('*') == std::string_view::npos;
  if (!list) return std::string(text);
  Json values = Json::array();
  for (std::string_view field : fields_of(text.substr(1, text.size() - 2), ',')) {
    const bool quoted = field.size() >= 2 && (field.front() == '\'' || field.front() == '"');
    if (quoted) field = field.substr(1, field.size() - 2);
    if (!field.empty()) values.push_back(std::string(field));
  }
  return values.empty() ? Json("None") : values;
}

// "  tensor_model_parallel_size ...................... 8", whatever the log puts before it.
void add_line(std::string_view line, Settings& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t start = line.find_last_of(" \t", dots == 0 ? 0 : dots - 1);
  const std::string name(line.substr(start == std::string_view::npos ? 0 : start + 1,
                                     dots - (start == std::string_view::npos ? 0 : start + 1)));
  const std::size_t value = line.find_first_not_of('.', dots + 1);
  if (value == std::string_view::npos || name.empty()) return;
  const std::size_t first = line.find_first_not_of(' ', value);
  const std::string_view text = first == std::string_view::npos ? "" : line.substr(first);
  if (text.empty() || text == "None") return;
  settings.add({name, name, python_value(text)});
}

Settings settings_of_log(std::string_view text, const std::string& file) {
  Settings settings(file);
  const std::size_t begin = text.find(kBegin);
  for (const std::string_view line : lines_of(text.substr(begin + kBegin.size()))) {
    if (line.find(kEnd) != std::string_view::npos) break;
    add_line(line, settings);
  }
  return settings;
}

// MODEL_ARGS of a functional test of Megatron-LM (tests/functional_tests), as words of a command:
// `--swiglu: true` is a flag, `--recompute-modules: "[a b]"` has two values.
std::vector<std::string> words_of_test(const Json& arguments) {
  std::vector<std::string> words;
  for (const auto& [name, value] : arguments.items()) {
    if (value.is_null() || value == false) continue;
    words.push_back(name);
    if (value == true) continue;
    if (value.is_array()) {
      for (const Json& each : value) words.push_back(bare_text(each));
      continue;
    }
    std::string text = bare_text(value);
    if (text.size() > 1 && text.front() == '[' && text.back() == ']')
      text = text.substr(1, text.size() - 2);
    for (const std::string_view word : orrery::words_of(text)) words.emplace_back(word);
  }
  return words;
}

NamedSettings settings_of_test(const ForeignFile& file) {
  const Json document = read_yaml(file.text, file.name);
  const Json& arguments = value_at(document, "MODEL_ARGS");
  NamedSettings named{settings_of_words(words_of_test(arguments), file.name)};
  if (const char* why = other_program("", named.settings))
    named.left.push_back({"MODEL_ARGS", why, "model", true});
  return named;
}

// A setting of a branch that may be taken, unless the script sets the same value anyway.
void add_doubt(const tools::Tool& tool, const ShellDoubt& doubt, const ForeignSetting& s,
               NamedSettings& named) {
  Settings one(named.settings.file());
  one.add(s);
  rename_settings(tool, one);
  if (one.all().empty()) return;
  const ForeignSetting& renamed = one.all().front();
  const std::string key = tools::key_of(tool, renamed.name).value_or("");
  for (const ForeignSetting& known : named.settings.all()) {
    if (known.name == s.name && known.value == s.value) return;
  }
  const std::string where = "line " + std::to_string(doubt.line) + ": whether this branch (" +
                            doubt.condition + ") is taken, only the shell knows";
  if (is_without_effect(tool, renamed.name)) return;
  if (!key.empty()) named.settings.remove(s.name);
  const bool is_refused = !key.empty() || moves_a_number(renamed.name);
  named.left.push_back({text_of(renamed), where, key, is_refused});
}

// "model.tensor_model_parallel_size=4", "+trainer.max_steps=5": Hydra's.
bool is_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::size_t first = word.find_first_not_of("+~");
  const std::string name = word.substr(0, equals);
  return equals != std::string::npos && first < equals &&
         std::isalpha(static_cast<unsigned char>(word[first])) != 0 &&
         name.find('.') != std::string::npos &&
         name.find_first_of("/:$-", first) == std::string::npos;
}

// "model.tensor_model_parallel_size" of "+model.tensor_model_parallel_size=4".
std::string path_of_override(const std::string& word) {
  const std::size_t first = word.find_first_not_of("+~");
  return word.substr(first, word.find('=') - first);
}

std::string key_of_override(const tools::Tool& tool, const ForeignSetting& s) {
  return key_of_given(tool, {s.name.substr(s.name.rfind('.') + 1), s.written, s.value});
}

// Overrides of a configuration that is not given; those in which several commands differ are open.
void add_overrides(const tools::Tool& tool, const ShellRun& run, NamedSettings& named) {
  std::vector<Settings> each;
  std::vector<std::size_t> lines;
  Settings all(named.settings.file());
  for (const ShellCommand& c : run.commands) {
    const std::vector<std::string> words = orrery::words_of(run, c);
    Settings own(named.settings.file());
    for (std::size_t i = place_of_python(words) + 1; i < words.size(); ++i) {
      if (!is_override(words[i])) continue;
      const std::string path = path_of_override(words[i]);
      own.add({path, path, words[i].substr(words[i].find('=') + 1)});
      named.overrides.push_back(words[i]);
    }
    if (own.all().empty()) continue;
    all.add_all(own);
    each.push_back(std::move(own));
    lines.push_back(c.line);
  }
  if (each.empty()) return;
  named.other_defaults = "the configuration that its overrides change is not given";
  std::vector<OneRun> runs;
  for (std::size_t i = 0; i < each.size(); ++i) runs.push_back({&each[i], lines[i]});
  const auto key = [&](const ForeignSetting& s) { return key_of_override(tool, s); };
  const auto is_harmless = [&](const ForeignSetting& s) {
    return key(s).empty() && !moves_a_number(s.name);
  };
  const auto left = take_differing(runs, {key, is_harmless}, all);
  named.left.insert(named.left.end(), left.begin(), left.end());
  std::erase_if(named.overrides,
                [&](const std::string& w) { return !all.has(path_of_override(w)); });
}

// Words behind the program that may be more arguments: "$MORE", "$(python3 more.py)". "$@" and "$1"
// are what the user adds.
void add_unknown_words(const tools::Tool& tool, const ShellRun& run, NamedSettings& named) {
  bool behind = false;
  bool value = false;  // of the argument before
  for (const std::string& w : run.words) {
    const bool argument = begins_with(w, "--");
    const bool program = w.ends_with(".py");
    const bool unknown = behind && !value && !program && w.size() > 1 && w[0] == '$';
    if (w == ";") behind = false;
    if (w == "-m" || program) behind = true;
    std::string name = argument ? w.substr(2) : "";
    std::replace(name.begin(), name.end(), '-', '_');
    value = argument && w.find('=') == std::string::npos && !is_flag(tool, name);
    if (!unknown) continue;
    const std::size_t begin = w[1] == '{' ? 2 : 1;
    const std::string variable = w.substr(begin, shell::end_of_name(w, begin) - begin);
    const bool computed = w[1] == '(';
    if (!computed && (variable.empty() || std::isdigit(static_cast<unsigned char>(variable[0]))))
      continue;
    // The branch of a doubted variable reports the values that it may have.
    if (std::find(run.doubted.begin(), run.doubted.end(), variable) != run.doubted.end()) continue;
    const bool assigned = computed || run.variables.count(variable) > 0;
    const std::string why = assigned ? "arguments that only the shell knows"
                            : run.sources.empty()
                                ? "is not set in this file: taken as no arguments"
                                : "is set elsewhere, perhaps in " + run.sources.front();
    const std::string setting = computed ? w : "$" + variable;
    if (std::any_of(named.left.begin(), named.left.end(),
                    [&](const LeftOver& l) { return l.setting == setting; }))
      continue;
    named.left.push_back({setting, why, "", assigned || !run.sources.empty()});
  }
}

bool is_log(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

// DeepSpeed's file says offload and states.
void ask_for_config(const NamedSettings& named, const ImportJob& job, trainer::Facts& facts) {
  const ForeignSetting* config = find_setting(named.settings, "deepspeed_config");
  const ForeignSetting* on = find_setting(named.settings, "deepspeed");
  const bool off = on != nullptr && !tools::is_on(on->value);
  if (config == nullptr || !config->value.is_string() || config->value == "None" || off ||
      is_unknown_to_us(config->value))
    return;
  const std::string name = base_name(config->value.get<std::string>());
  const auto same = [&](const ForeignFile& f) { return base_name(f.name) == name; };
  if (std::any_of(job.files.begin(), job.files.end(), same) ||
      std::any_of(named.files.begin(), named.files.end(), same))
    return;
  facts.refuse(text_of(*config),
               "is not given; what it says of offload and of states is unknown; give it too");
}

// A file of settings that the program takes beside its arguments, and that is not given.
void ask_for_files(const NamedSettings& named, const ImportJob& job, trainer::Facts& facts) {
  constexpr std::array<std::string_view, 6> kFlags = {"config", "config_file", "config_path",
                                                      "cfg",    "conf",        "params"};
  for (const ForeignSetting& s : named.settings.all()) {
    const std::string name = s.value.is_string() ? base_name(s.value.get<std::string>()) : "";
    const bool file = name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
    if (!file || std::find(kFlags.begin(), kFlags.end(), s.name) == kFlags.end()) continue;
    const bool given = std::any_of(job.files.begin(), job.files.end(),
                                   [&](const ForeignFile& f) { return base_name(f.name) == name; });
    if (!given) facts.refuse(text_of(s), "is not given; what it sets is unknown; give it too");
  }
}

// Settings that the readers left; --assume MORE_ARGS=none: there is no more.
void add_left(const std::vector<LeftOver>& left, ImportJob& job, trainer::Facts& facts) {
  for (const LeftOver& l : left) {
    const auto none = std::find_if(job.assumed.begin(), job.assumed.end(), [&](const auto& a) {
      return (l.setting == "$" + a.name || l.setting == a.name) && a.value == "none";
    });
    if (none != job.assumed.end()) {
      none->used = true;
      facts.note_key(l.setting, "none", "--assume");
    } else {
      l.is_refused ? facts.leave_key_open(l.key, l.setting, l.why)
                   : facts.mention(l.setting, l.why);
    }
  }
}

}  // namespace

const tools::Tool& own_tool(const tools::ToolBook& tools) {
  const tools::Tool* own = tools.find("megatron");
  if (own == nullptr) throw std::logic_error("configs/tools has no megatron");
  return *own;
}

std::string key_of_given(const tools::Tool& tool, const ForeignSetting& s) {
  Settings one("");
  one.add(s);
  rename_settings(tool, one);
  return one.all().empty() ? "" : tools::key_of(tool, one.all().front().name).value_or("");
}

NamedSettings read_named(const ForeignFile& file, const ImportJob& job) {
  const tools::Tool& tool = own_tool(job.tools);
  NamedSettings named{is_log(file.text) ? settings_of_log(file.text, file.name)
                                        : Settings(file.name)};
  if (is_log(file.text)) return named;
  if (begins_as_yaml(file.text) && contains(file.text, "MODEL_ARGS:"))
    return settings_of_test(file);
  ShellRun run = run_shell(file.text, file.name, {}, job.scripts);
  named = settings_of_script(tool, run, file.name);
  named.included = run.included;
  for (const char* name : kVariables) {
    const std::string value = shell_value(run.variables, name);
    // A launcher sets its own.
    const bool launcher = named.settings.has("nproc_per_node") && is_unknown_to_us(value);
    if (!value.empty() && !launcher && !named.settings.has(name))
      named.settings.add({name, name, value});
  }
  for (const ShellDoubt& doubt : run.doubts) {
    const Settings settings = settings_of_words(doubt.words, file.name);
    for (const ForeignSetting& s : settings.all()) add_doubt(tool, doubt, s, named);
  }
  add_overrides(tool, run, named);
  add_unknown_words(tool, run, named);
  for (ShellDocument& d : run.documents) {
    // Several runs of a loop may write the same.
    const bool is_known =
        std::any_of(named.files.begin(), named.files.end(),
                    [&](const ForeignFile& known) { return known.text == d.text; });
    if (first_character(d.text) == '{' && !is_known)
      named.files.push_back({d.target.empty() ? file.name : d.target, d.text});
  }
  return named;
}

ImportedRun import_named(NamedSettings named, ForeignFormat format, ImportJob& job) {
  trainer::Facts facts(job);
  if (!named.other_defaults.empty()) facts.set_other_defaults(named.other_defaults);
  // A file of the model's arguments says all of the model, whatever command takes it.
  if (named.is_fragment && named.settings.has("num_layers")) facts.set_other_defaults("", "model.");
  for (const std::string& s : named.without_effect) facts.without_effect(s);
  add_left(named.left, job, facts);
  ask_for_config(named, job, facts);
  ask_for_files(named, job, facts);
  if (!named.model.empty())
    facts.assume_default(trainer::FactId::model, named.model, "by the name of the file's model");
  if (!named.adapter.is_null())
    facts.set(trainer::FactId::adapter, std::move(named.adapter), "adapter");
  const std::string file = named.settings.file();
  tools::read_with(own_tool(job.tools), std::move(named.settings),
                   {true, std::string(name_of(format))}, facts);
  ImportedRun out = facts.finish(trainer::DeepSpeedFile::none);
  out.format = format;
  out.file = file;
  const std::string prefix = base_name(file) + ": ";
  for (LeftOver& l : out.ignored) {
    if (begins_with(l.setting, prefix)) l.setting.erase(0, prefix.size());
  }
  out.assumed.insert(out.assumed.end(), named.assumed.begin(), named.assumed.end());
  return out;
}

}  // namespace orrery::megatron
