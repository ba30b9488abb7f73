// SPDX-License-Identifier: Apache-2.0
//
// Commands that start a program, another script, or a text that is a script.
#include <algorithm>

#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr std::string_view kStarters[] = {"exec", "nohup", "time", "env", "sudo"};
constexpr std::string_view kTextBehind[] = {"-c", "-lc", "-ic", "--wrap"};
constexpr std::string_view kWrapped = "--wrap=";

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

void Script::add_nodes(const std::vector<std::string>& words) {
  std::string nodes = shell_value(s_.run.variables, "SLURM_NNODES");
  bool per_node = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    per_node = per_node || w.compare(0, 15, "--gpus-per-node") == 0;
    if (w == "--nnodes" || w.compare(0, 9, "--nnodes=") == 0) return;
    if (w == "-N" || w == "--nodes") nodes = next;
    if (w.compare(0, 8, "--nodes=") == 0) nodes = w.substr(8);
    if (w.size() > 2 && w.compare(0, 2, "-N") == 0) nodes = w.substr(2);
  }
  if (!per_node || nodes.empty()) return;
  const std::size_t begin = s_.run.words.size();
  s_.run.words.insert(s_.run.words.end(), {"--nnodes", nodes, ";"});
  s_.run.commands.push_back({begin, begin + 2, text_.line()});
}

bool Script::include(const std::vector<std::string>& words, std::size_t at, Mode mode) {
  if (s_.files == nullptr) return false;
  const std::string& path = words[at];
  const auto file = s_.files->find(last_part(path));
  if (file == s_.files->end() || file->first == last_part(text_.file())) return false;
  s_.run.included.push_back(file->first);
  read_scheduler(file->second, s_.run.variables);
  // Without words of its own a sourced file sees those of its caller.
  const ShellVariables before = s_.run.variables;
  if (at + 1 < words.size() || words.front() != "source") {
    s_.run.variables.erase("@");
  }
  if (at + 1 < words.size()) {
    s_.run.variables["@"].assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  }
  const std::string text = with_placeholders(file->second);
  Script(s_, text, file->first, 1, depth_ + 8).run(mode);
  const auto outer = before.find("@");
  s_.run.variables.erase("@");
  if (outer != before.end()) s_.run.variables["@"] = outer->second;
  return true;
}

std::optional<std::size_t> Script::started_file(const std::vector<std::string>& words) const {
  if (s_.files == nullptr) return {};
  const bool shell = is_one_of(words.front(), kShells) || is_one_of(words.front(), kStarters);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = last_part(words[i]);
    if (s_.files->count(name) > 0) return i;
    if (!shell || name.ends_with(".py")) return {};
  }
  return {};
}

bool Script::leaves(const std::string& word, Mode mode) {
  const bool of_loop = (word == "break" || word == "continue") && s_.loops > 0;
  const bool of_function = word == "return" && s_.functions_in > 0;
  if (!of_loop && !of_function) return word == "break" || word == "continue";
  if (mode == Mode::doubt) {
    s_.may_leave = s_.may_leave || word == "break";
  } else {
    s_.leave = of_function ? Leave::function : word == "break" ? Leave::loop : Leave::round;
  }
  return true;
}

// The script in a command's words: of `bash -c "…"`, or behind a host.
std::size_t Script::place_of_text(const std::vector<std::string>& words) {
  const bool remote = words.front() == "ssh" || words.front() == "pdsh";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool behind = is_one_of(words[i - 1], kTextBehind) || words[i].starts_with(kWrapped) ||
                        (remote && i + 1 == words.size());
    if (behind && words[i].find(' ') != std::string::npos) return i;
  }
  return 0;
}

std::size_t Script::add_command(const std::vector<std::string>& words, std::size_t without) {
  ShellCommand command{s_.run.words.size(), 0, text_.line(), s_.outer};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != without || without == 0) split(words[i], s_.run.words);
  }
  command.end = s_.run.words.size();
  s_.run.words.emplace_back(";");
  s_.run.commands.push_back(command);
  return s_.run.commands.size() - 1;
}

// sbatch --export=NONE and --export=A,B=1: a job sees no other variables than those.
void Script::forget_unexported(const std::vector<std::string>& words) {
  std::string list = "ALL";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--export=")) list = words[i].substr(9);
    if (words[i] == "--export" && i + 1 < words.size()) list = words[i + 1];
  }
  const std::vector<std::string_view> names = fields_of(list, ',');
  const auto holds = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (holds("ALL")) return;
  std::erase_if(s_.run.variables, [&](const auto& v) {
    return v.first != "@" && !v.first.starts_with("SLURM_") && !holds(v.first);
  });
}

void Script::run_command(const std::vector<std::string>& words, Mode mode) {
  count(words);
  if (words.front() == "eval") {
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) text += words[i] + " ";
    return Script(s_, text, text_.file(), text_.line(), depth_ + 1).run(mode);
  }
  if (words.front() == "sbatch" && mode == Mode::run) {
    forget_unexported(words);
    read_scheduler_words(words, s_.run.variables);
  }
  if (mode != Mode::skip) {
    if (const auto at = started_file(words)) {
      const std::size_t outer = s_.outer;
      if (words.front() == "srun" && mode == Mode::run) {
        add_nodes(words);
        s_.outer = add_command(words, 0);
      }
      const bool included = include(words, *at, mode);
      s_.outer = outer;
      if (included) return;
    }
  }
  if (mode == Mode::doubt) return add_doubt(words);
  if (words.front() == "srun") add_nodes(words);
  const std::size_t text_at = place_of_text(words);
  const std::size_t added = add_command(words, text_at);
  if (text_at == 0) return;
  const std::size_t outer = s_.outer;
  s_.outer = added;
  const std::size_t begin = words[text_at].starts_with(kWrapped) ? kWrapped.size() : 0;
  const std::string text = words[text_at].substr(begin);
  Script(s_, text, text_.file(), text_.line(), depth_ + 1).run(mode);
  s_.outer = outer;
}

void Script::split(const std::string& word, std::vector<std::string>& out) {
  const std::size_t first = word.find_first_not_of(" \t\r\n");
  const bool argument = first != std::string::npos && word.compare(first, 2, "--") == 0 &&
                        word.find_first_of(" \t\n") != std::string::npos;
  if (!argument) return out.push_back(word);
  for (std::string& w : split_words(word)) out.push_back(std::move(w));
}

}  // namespace orrery::shell
