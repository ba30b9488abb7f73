// SPDX-License-Identifier: Apache-2.0
//
// Completions for shells and the manual page, made from the declarations of the commands, the table
// of keys and the names of documents.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/tool.h"
#include "cli/words.h"
#include "core/json.h"
#include "core/unknown_name.h"
#include "document/words.h"
#include "engine/command_engine.h"
#include "engine/commands/commands.h"
#include "engine/config_source.h"
#include "engine/overrides.h"
#include "orrery/version.h"

namespace orrery {
namespace {

// The flags that every command has.
constexpr std::array kCommon = {"--json",     "--csv",   "--output",  "--config-dir",
                                "--no-color", "--quiet", "--verbose", "--help"};

using Words = std::vector<std::string>;

Json rows_of(const char* list, const ConfigSource& configs) {
  return Json::parse(
      CommandEngine(configs).call("list", Json{{"what", list}}, Asker::request).text.str());
}

Words keys_to_set(const ConfigSource& configs) {
  Words keys;
  for (const Json& row : rows_of("keys", configs)) {
    if (row["document"] == "run") keys.push_back(row["path"].get<std::string>() + "=");
  }
  return keys;
}

// The names of a kind of document, or of a list of `orrery list`: those that are one word.
Words names_by(std::string_view what, const ConfigSource& configs) {
  for (const ConfigKind kind : kAllOf<ConfigKind>) {
    if (name_of(kind) == what) return config_names(configs, kind);
  }
  Words names;
  for (const Json& row : rows_of(std::string(what).c_str(), configs)) {
    const auto name = row.front().get<std::string>();
    if (name.find(' ') == std::string::npos) names.push_back(name);
  }
  return names;
}

// The words that may follow a flag, by flag: names of documents and choices.
std::map<std::string, Words> values_of_flags(const ConfigSource& configs) {
  std::map<std::string, Words> values;
  for (const CommandRow* row : command_rows()) {
    for (const Option& o : row->options) {
      if (*o.names != '\0') values[o.name] = names_by(o.names, configs);
    }
  }
  for (const RunFlag& f : run_flags()) {
    if (!f.names.empty()) values[f.name] = names_by(f.names, configs);
    const Json schema = key_schema(f.path);
    for (const Json& choice : schema.value("enum", Json::array())) {
      if (choice.is_string()) values[f.name].push_back(choice.get<std::string>());
    }
  }
  values["--set"] = keys_to_set(configs);
  return values;
}

struct Completed {
  std::string name;
  std::string summary;
  std::vector<CommandWord> words;
  std::span<const std::string_view> without;
  Words first;  // what its first argument may be
};

Words first_of(const std::string& name, const std::vector<CommandWord>& words,
               const ConfigSource& configs) {
  for (const CommandRow* row : command_rows()) {
    if (row->name != name || row->options.front().by.words == nullptr) continue;
    return row->options.front().by.words();
  }
  const bool run = std::any_of(words.begin(), words.end(), [](const CommandWord& w) {
    return w.flag.empty() && (w.key == "run" || w.key == "runs");
  });
  if (run) return config_names(configs, ConfigKind::run);
  return name == "sweep" ? config_names(configs, ConfigKind::sweep) : Words();
}

std::vector<Completed> completed(const ConfigSource& configs) {
  std::vector<Completed> all;
  for (const Command& c : commands()) {
    Completed one{c.name, c.summary, words_of(c), c.without, {}};
    one.first = first_of(one.name, one.words, configs);
    all.push_back(std::move(one));
  }
  return all;
}

Words flags_of(const Completed& c) {
  Words flags;
  for (const CommandWord& w : c.words) {
    if (!w.flag.empty()) flags.push_back(w.flag);
  }
  for (const std::string_view flag : kCommon) {
    const bool has = std::find(c.without.begin(), c.without.end(), flag) == c.without.end();
    if (has) flags.emplace_back(flag);
  }
  return flags;
}

Words names_of_commands(const std::vector<Completed>& all) {
  Words names;
  for (const Completed& c : all) names.push_back(c.name);
  return names;
}

std::string bash(const std::vector<Completed>& all, const std::map<std::string, Words>& values) {
  std::string text =
      "# Completion of orrery for bash; made by `orrery completions bash`.\n"
      "_orrery() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} flags='' "
      "words=''\n"
      "  if ((COMP_CWORD == 1)); then words='" +
      joined(names_of_commands(all), " ") +
      "'\n"
      "  else case $previous in\n";
  for (const auto& [flag, words] : values) {
    text += "    " + flag + ") words='" + joined(words, " ") + "'" +
            (flag == "--set" ? "; compopt -o nospace" : "") + " ;;\n";
  }
  text += "    *) case ${COMP_WORDS[1]} in\n";
  for (const Completed& c : all) {
    text += "      " + c.name + ") flags='" + joined(flags_of(c), " ") + "' words='" +
            joined(c.first, " ") + "' ;;\n";
  }
  return text +
         "      esac\n"
         "      if [[ $cur == -* ]]; then words=$flags; fi ;;\n"
         "  esac; fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "}\n"
         "complete -o default -F _orrery orrery\n";
}

std::string zsh(const std::vector<Completed>& all, const std::map<std::string, Words>& values) {
  std::string text =
      "#compdef orrery\n# Completion of orrery for zsh; made by `orrery completions zsh`.\n"
      "_orrery() {\n"
      "  if ((CURRENT == 2)); then compadd -- " +
      joined(names_of_commands(all), " ") +
      "; return; fi\n"
      "  case $words[CURRENT-1] in\n";
  for (const auto& [flag, words] : values) {
    const std::string add =
        std::string("compadd ") + (flag == "--set" ? "-S '' " : "") + "-- " + joined(words, " ");
    text += "    " + flag + ") " + (words.empty() ? "_files" : add) + "; return ;;\n";
  }
  text += "  esac\n  if [[ $PREFIX == -* ]]; then case $words[2] in\n";
  for (const Completed& c : all) {
    text += "    " + c.name + ") compadd -- " + joined(flags_of(c), " ") + " ;;\n";
  }
  text += "  esac; return; fi\n  case $words[2] in\n";
  for (const Completed& c : all) {
    if (!c.first.empty())
      text += "    " + c.name + ") compadd -- " + joined(c.first, " ") + " ;;\n";
  }
  return text + "  esac\n  _files\n}\n_orrery \"$@\"\n";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish(const std::vector<Completed>& all, const std::map<std::string, Words>& values) {
  std::string text = "# Completion of orrery for fish; made by `orrery completions fish`.\n";
  for (const Completed& c : all) {
    const std::string of = "complete -c orrery -n '__fish_seen_subcommand_from " + c.name + "'";
    text += "complete -c orrery -f -n __fish_use_subcommand -a " + c.name + " -d " +
            quoted(c.summary) + "\n";
    if (!c.first.empty()) text += of + " -a " + quoted(joined(c.first, " ")) + "\n";
    for (const CommandWord& w : c.words) {
      if (w.flag.empty()) continue;
      const auto found = values.find(w.flag);
      text += of + " -l " + w.flag.substr(2) + (w.is_switch ? "" : " -r") +
              (found == values.end() ? "" : " -a " + quoted(joined(found->second, " "))) + " -d " +
              quoted(w.help) + "\n";
    }
  }
  return text;
}

// Lines as they are; nothing in them is a request of roff.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

std::string manual_of(const Command& c) {
  std::string text = ".SS orrery " + std::string(c.name) + "\n" + roff(c.summary) + "\n";
  if (*c.examples != '\0') text += ".PP\n.nf\n" + roff(c.examples) + "\n.fi\n";
  for (const CommandWord& w : words_of(c)) {
    const std::string name = w.flag.empty() ? w.key : w.flag;
    text += ".TP\n.B " + roff(name) +
            (w.is_switch || w.flag.empty() ? "" : " \\fI" + roff(w.type) + "\\fP") + "\n" +
            roff(w.help) + "\n";
  }
  return text;
}

std::string manual() {
  std::string text =
      ".TH ORRERY 1 \"\" \"orrery " + std::string(kVersion) +
      "\"\n.SH NAME\norrery \\- predicts memory, step time and cost of training runs "
      "of large models\n.SH SYNOPSIS\n.B orrery\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const Command& c : commands()) text += manual_of(c);
  return text +
         ".SH EXIT STATUS\n.TP\n0\nan answer\n.TP\n2\nthe input is wrong: one line on standard "
         "error\n.TP\n3\na sound question whose answer is no: the run does not fit, nothing was "
         "found\n.TP\n4\na tolerance of validate is not met\n.TP\n130\ninterrupted; what was done "
         "is "
         "kept\n.TP\n1\na fault of orrery's own\n";
}

constexpr std::array kMade = {"bash", "zsh", "fish", "man"};

std::string made(const std::string& what, const ConfigSource& configs) {
  if (what == "man") return manual();
  const std::vector<Completed> all = completed(configs);
  const std::map<std::string, Words> values = values_of_flags(configs);
  if (what == "bash") return bash(all, values);
  if (what == "zsh") return zsh(all, values);
  if (what == "fish") return fish(all, values);
  throw unknown_name("orrery completions", "", what, {kMade.begin(), kMade.end()}, "no shell");
}

}  // namespace

void declare_completions(CLI::App& app, Json& request) {
  const std::string help = alternatives({kMade.begin(), kMade.end()}) + " (the manual page)";
  add_option(app, request, {{}, "WHAT", "", help.c_str()});
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as the table of commands has it
ExitCode run_completions(Json request, const Session& s) {
  give(s, made(request.value("what", ""), configs_of(s)));
  return ExitCode::answer;
}

}  // namespace orrery
