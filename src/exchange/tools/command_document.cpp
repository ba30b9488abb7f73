// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/command_document.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/limits.h"
#include "exchange/arguments.h"
#include "exchange/document.h"
#include "exchange/flat.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/launcher_flags.h"
#include "exchange/shell/shell.h"
#include "exchange/started_configs.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::tools {
namespace {

using trainer::FactId;
using trainer::Facts;
using Words = std::vector<std::string>;

bool is_flag(const std::string& word) { return begins_with(word, "-"); }

bool is_asked(const Tool& tool, const std::string& name) {
  return std::any_of(tool.asked.begin(), tool.asked.end(),
                     [&](const std::string& asked) { return fits_pattern(name, asked); });
}

class Commands {
 public:
  Commands(const Tool& tool, const ForeignFile& script, Facts& facts)
      : tool_(tool), script_(script), facts_(facts) {}

  CommandDocument document() {
    const ShellRun run = run_shell(script_.text, script_.name, {}, facts_.scripts());
    // A list of arguments, line by line, is of one command.
    if (begins_with(trimmed(script_.text), "--")) {
      one(run.words, {}, run.variables);
      out_.misses_file = true;
    } else {
      for (const ShellCommand& c : run.commands) {
        around_ = c.outer == ShellCommand::kNone ? Words() : words_of(run, run.commands[c.outer]);
        one(words_of(run, c), c, seen_by(c, run));
      }
    }
    for (const ShellCommand& c : run.commands) other_training(words_of(run, c));
    out_.variables = run.variables;
    return std::move(out_);
  }

 private:
  // A command of another tool beside this one's: a second training, which is not read.
  void other_training(const Words& words) {
    if (out_.each.empty() || program_in(tool_, words) != words.end()) return;
    for (const Tool& other : facts_.tools().all()) {
      const StartCommand* command = nullptr;
      const auto program = other.trains ? program_in(other, words, &command) : words.end();
      if (program == words.end() || contains(command->program, "*")) continue;
      const std::string name = name_of(*program, *command);
      if (std::find(named_.begin(), named_.end(), name) != named_.end()) return;
      named_.push_back(name);
      return facts_.mention(name, "a training of its own (" + other.title +
                                      "), which is not read; give its command alone");
    }
  }

  void one(const Words& words, const ShellCommand& at, const ShellVariables& variables) {
    const StartCommand* command = nullptr;
    const auto program = program_in(tool_, words, &command);
    if (program == words.end()) return;
    const Settings own = settings_of_words({program, words.end()}, script_.name);
    // A program that any tool may have is ours by its settings.
    const bool any_program = command->program.find('*') != std::string::npos;
    if (any_program && !has_setting(own, *command) &&
        !(command->overrides && has_override({program, words.end()})))
      return;
    out_.program = name_of(*program, *command);
    const auto behind = program + 1 + (command->word.empty() ? 0 : 1);
    // `trl dpo` has its kind behind its name.
    if (command->word.empty() && behind != words.end() && !is_flag(*behind))
      out_.program += " " + *behind;
    document_ = Json::object();
    variables_of(*command, variables);
    files(*command, own);
    positional(*command, {behind, words.end()});
    launcher({words.begin(), program});
    for (const ForeignSetting& odd : odd_launcher_flags({words.begin(), program}, script_.name))
      facts_.mention(text_of(odd), "no flag of the launcher");
    flags(*command, own);
    if (command->overrides) overrides({behind, words.end()});
    merge_over(out_.document, document_);
    out_.each.push_back({std::move(document_), at.line});
    const std::int64_t own_gpus = launched_processes(words, variables);
    const std::int64_t gpus = own_gpus > 0 ? own_gpus : launched_processes(around_, {});
    if (gpus > 0) launch(gpus);
  }

  // A program of any name has the tool's parser where a flag of the tool's alone stands behind it.
  bool has_own_arguments(const StartCommand& command, const Settings& own) const {
    if (command.program.find('*') == std::string::npos) return true;
    const auto is_given = [&](const std::string& flag) {
      return std::any_of(own.all().begin(), own.all().end(),
                         [&](const ForeignSetting& s) { return s.written == flag; });
    };
    return std::any_of(tool_.commands.begin(), tool_.commands.end(), [&](const StartCommand& c) {
      return c.beside.empty() && std::any_of(c.flags.begin(), c.flags.end(), is_given);
    });
  }

  bool has_setting(const Settings& own, const StartCommand& command) const {
    return std::any_of(own.all().begin(), own.all().end(), [&](const ForeignSetting& s) {
      return is_asked(tool_, name_in(tool_, s.name)) || s.name == command.config;
    });
  }

  // "+a.b=c" of a setting of the tool's.
  bool has_override(const Words& behind) const {
    return std::any_of(behind.begin(), behind.end(), [&](const std::string& word) {
      const std::size_t first = std::min(word.find_first_not_of('+'), word.size());
      const std::size_t equals = word.find('=');
      return equals != std::string::npos && equals > first &&
             is_asked(tool_, word.substr(first, equals - first));
    });
  }

  // The script's variables, and the GPUs that the command sees of them.
  static ShellVariables seen_by(const ShellCommand& command, const ShellRun& run) {
    ShellVariables seen = run.variables;
    if (!command.visible_gpus.empty()) seen["CUDA_VISIBLE_DEVICES"] = {command.visible_gpus};
    return seen;
  }

  // Commands of one script that start on different numbers of GPUs leave it open.
  void launch(std::int64_t gpus) {
    if (launched_ == 0) facts_.set(FactId::gpus, gpus, script_.name + ": its launcher");
    if (launched_ > 0 && gpus != launched_ && facts_.has(FactId::gpus)) {
      facts_.forget(FactId::gpus);
      facts_.leave_key_open(
          "cluster.gpus", "its commands",
          "start on " + std::to_string(launched_) + " and " + std::to_string(gpus) + " GPUs");
    }
    launched_ = gpus;
  }

  // Words that are neither flags nor their values nor overrides: the first of them, or all that
  // name a file.
  void positional(const StartCommand& command, const Words& behind) {
    if (command.positional.empty()) return;
    for (std::size_t i = 0; i < behind.size(); ++i) {
      const std::string& word = behind[i];
      const bool of_flag = i > 0 && is_flag(behind[i - 1]) && !contains(behind[i - 1], "=");
      if (is_flag(word) || contains(word, "=") || (i > 0 && of_flag && !is_given(word))) continue;
      if (command.positional != "config") {
        document_[command.positional] = word;
        return;
      }
      if (i == 0 || is_given(word) || is_config_name(word)) config(word, word);
    }
  }

  bool is_given(const std::string& word) const { return given(word) != nullptr; }

  static bool is_config_name(const std::string& word) {
    return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  }

  // Variables that the program turns into arguments.
  void variables_of(const StartCommand& command, const ShellVariables& variables) {
    for (const auto& [variable, setting] : command.variables) {
      const std::string value = shell_value(variables, variable);
      if (value.empty()) continue;
      setting == command.config ? config(value, variable + "=" + value)
                                : void(document_[setting] = yaml_scalar(value));
    }
  }

  // By its name, or by its name without an ending, as Hydra has it.
  const ForeignFile* given(const std::string& name) const {
    for (const char* end : {"", ".yaml", ".yml"}) {
      if (const ForeignFile* file = facts_.given_file(name + end)) return file;
    }
    return nullptr;
  }

  // The only TOML; nullptr where there is none, or several.
  const ForeignFile* only_toml() const {
    const auto is_toml = [](const ForeignFile& f) { return f.name.ends_with(".toml"); };
    const auto& all = facts_.files();
    const auto first = std::find_if(all.begin(), all.end(), is_toml);
    return std::count_if(all.begin(), all.end(), is_toml) == 1 ? &*first : nullptr;
  }

  void config(const std::string& name, const std::string& written) {
    const ForeignFile* file = given(name);
    if (file == nullptr && (file = only_toml()) != nullptr)
      facts_.mention(written, "is not given; " + file->name + " is taken for it");
    if (file == nullptr) {
      out_.misses_file = true;
      return facts_.refuse(written, "is not given; give it too");
    }
    facts_.include(file->name);
    const Json own = read_document(*file);
    if (!own.is_object()) return;
    merge_over(document_, own);
    out_.has_file = true;
  }

  void files(const StartCommand& command, const Settings& own) {
    for (const ForeignSetting& s : own.all()) {
      if (command.config.empty() || s.name != command.config) continue;
      // Overrides may stand behind its name.
      const Json& name = s.value.is_array() && !s.value.empty() ? s.value[0] : s.value;
      if (name.is_string()) config(name.get<std::string>(), s.written + " " + bare_text(name));
    }
  }

  void launcher(const Words& before) {
    const Tool* launcher = facts_.tools().launcher_in(before);
    if (launcher == nullptr) return;
    const Settings flags = settings_of_words(before, script_.name);
    // A config file of the launcher has these flags already.
    if (flags.has(launcher->commands.front().config)) return;
    out_.launcher = launcher;
    flags_over(*launcher, flags, out_.launch);
  }

  void flags(const StartCommand& command, const Settings& own) {
    for (const ForeignSetting& s : own.all()) {
      if (s.name == command.config) continue;
      const Json value = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
      const std::string name = has_own_arguments(command, own) ? argument_of(s) : s.name;
      if (s.value.is_null() && key_of(tool_, name) == "model") {
        facts_.mention(s.written, "given without a value");
        continue;
      }
      if (!name.empty()) document_[name] = s.value.is_null() ? Json(true) : value;
    }
  }

  // The argument that a flag is, or that it begins; "" of the beginning of several that differ in
  // what they move.
  std::string argument_of(const ForeignSetting& s) {
    const std::vector<std::string> all = abbreviated(tool_, s.name);
    if (all.empty()) return s.name;
    if (all.size() == 1) {
      const bool first = std::find(named_.begin(), named_.end(), text_of(s)) == named_.end();
      if (first)
        facts_.mention(text_of(s), "is taken for --" + all.front() + ", whose beginning it is");
      named_.push_back(text_of(s));
      return all.front();
    }
    const bool moves =
        moves_a_number(s.name) || std::any_of(all.begin(), all.end(), [&](const std::string& name) {
          return key_of(tool_, name).has_value();
        });
    if (!moves) return s.name;
    facts_.refuse(text_of(s), "begins several arguments: " + alternatives(all));
    return "";
  }

  // "a.b=c", "+a=c", "++a=c", "~a".
  void overrides(const Words& behind) {
    const std::set<std::string, std::less<>> groups = groups_set(behind);
    for (const std::string& word : behind) {
      const std::size_t first = word.find_first_not_of("+~");
      if (is_flag(word) || first == std::string::npos || first > 2) continue;
      if (word[0] == '~' || contains(word, "="))
        override_with(document_, with_group(word, groups), script_.name);
    }
  }

  // The groups of settings within which words set one: "engine" and "engine.optim" of
  // "engine.optim.lr=1".
  static std::set<std::string, std::less<>> groups_set(const Words& all) {
    std::set<std::string, std::less<>> groups;
    for (const std::string& word : all) {
      const std::size_t first = std::min(word.find_first_not_of('+'), word.size());
      const std::string_view name =
          std::string_view(word).substr(first, word.find('=', first) - first);
      int levels = 0;
      for (std::size_t dot = name.find('.');
           dot != std::string_view::npos && levels < kDeepestNesting;
           dot = name.find('.', dot + 1), ++levels)
        groups.emplace(name.substr(0, dot));
    }
    return groups;
  }

  // Hydra's choice of a file for a group of settings, of which others are set behind it:
  // "engine=megatron engine.pipeline_model_parallel_size=2" is "engine._group=megatron …".
  static std::string with_group(const std::string& word,
                                const std::set<std::string, std::less<>>& groups) {
    const std::size_t equals = word.find('=');
    const bool group = equals != std::string::npos && groups.count(word.substr(0, equals)) > 0;
    return group ? word.substr(0, equals) + "._group" + word.substr(equals) : word;
  }

  const Tool& tool_;
  const ForeignFile& script_;
  Facts& facts_;
  CommandDocument out_;
  Json document_ = Json::object();  // of the command that is being read
  Words named_;                     // what was said once
  Words around_;                    // the command that starts the text in which this one stands
  std::int64_t launched_ = 0;       // processes of the command before
};

}  // namespace

CommandDocument command_document(const Tool& tool, const ForeignFile& script, Facts& facts) {
  return Commands(tool, script, facts).document();
}

}  // namespace orrery::tools
