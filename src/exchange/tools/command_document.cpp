// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/command_document.h"

#include <algorithm>

#include "exchange/arguments.h"
#include "exchange/flat.h"
#include "exchange/import_files.h"
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
    const ShellRun run = run_shell(script_.text, script_.name);
    for (const ShellCommand& c : run.commands) one(words_of(run, c), c, run.variables);
    out_.variables = run.variables;
    if (!launch_.empty()) accelerate::read({script_.name, write_yaml(launch_)}, facts_);
    return std::move(out_);
  }

 private:
  void one(const Words& words, const ShellCommand& at, const ShellVariables& variables) {
    const StartCommand* command = nullptr;
    const auto program = program_in(tool_, words, &command);
    if (program == words.end()) return;
    const Settings own = settings_of_words({program, words.end()}, script_.name);
    // A program that any tool may have is ours by its settings.
    const bool any_program = command->program.find('*') != std::string::npos;
    if (any_program && std::none_of(own.all().begin(), own.all().end(),
                                    [&](const auto& s) { return is_asked(tool_, s.name); }))
      return;
    out_.program = base_name(*program);
    const auto behind = program + 1 + (command->word.empty() ? 0 : 1);
    if (!command->word.empty()) out_.program += " " + command->word;
    // `trl dpo` has its kind behind its name.
    if (command->word.empty() && behind != words.end() && !is_flag(*behind))
      out_.program += " " + *behind;
    document_ = Json::object();
    files(*command, own);
    positional(*command, {behind, words.end()});
    launcher({words.begin(), program});
    flags(*command, own);
    if (command->overrides) overrides({behind, words.end()});
    merge_over(out_.document, document_);
    out_.each.push_back({std::move(document_), at.line});
    if (const std::int64_t gpus = launched_processes(words, variables); gpus > 0)
      facts_.set(FactId::gpus, gpus, script_.name + ": its launcher");
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
      if (i == 0 || is_given(word) || is_config_name(word)) config(word);
    }
  }

  bool is_given(const std::string& word) const { return given(word) != nullptr; }

  static bool is_config_name(const std::string& word) {
    return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  }

  // By its name, or by its name without an ending, as Hydra has it.
  const ForeignFile* given(const std::string& name) const {
    for (const char* end : {"", ".yaml", ".yml"}) {
      if (const ForeignFile* file = facts_.given_file(name + end)) return file;
    }
    return nullptr;
  }

  void config(const std::string& name) {
    const ForeignFile* file = given(name);
    if (file == nullptr) return facts_.refuse(name, "is not given; give it too");
    const Json own = read_yaml(file->text, file->name);
    if (own.is_object()) merge_over(document_, own);
  }

  void files(const StartCommand& command, const Settings& own) {
    for (const ForeignSetting& s : own.all()) {
      if (!command.config.empty() && s.name == command.config && s.value.is_string())
        config(s.value.get<std::string>());
    }
  }

  void launcher(const Words& before) {
    const Settings flags = settings_of_words(before, script_.name);
    // A config file of the launcher has these flags already.
    if (std::find(before.begin(), before.end(), "launch") != before.end() &&
        !flags.has("config_file"))
      accelerate::flags_over(launch_, before, script_.name);
  }

  void flags(const StartCommand& command, const Settings& own) {
    for (const ForeignSetting& s : own.all()) {
      if (s.name == command.config) continue;
      const Json value = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
      document_[s.name] = s.value.is_null() ? Json(true) : value;
    }
  }

  // "a.b=c", "+a=c", "++a=c", "~a".
  void overrides(const Words& behind) {
    for (const std::string& word : behind) {
      const std::size_t first = word.find_first_not_of("+~");
      if (is_flag(word) || first == std::string::npos || first > 2) continue;
      if (word[0] == '~' || contains(word, "=")) override_with(document_, word, script_.name);
    }
  }

  const Tool& tool_;
  const ForeignFile& script_;
  Facts& facts_;
  CommandDocument out_;
  Json document_ = Json::object();  // of the command that is being read
  Json launch_ = Json::object();
};

}  // namespace

CommandDocument command_document(const Tool& tool, const ForeignFile& script, Facts& facts) {
  return Commands(tool, script, facts).document();
}

}  // namespace orrery::tools
