// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/shell.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// "#SBATCH --nodes=16" and its kin are what the scheduler sets.
struct SchedulerName {
  std::string_view option;
  std::string_view variables[2];
};
constexpr std::array kScheduler = {
    SchedulerName{"--nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
    SchedulerName{"-N", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
    SchedulerName{"--ntasks", {"SLURM_NTASKS", "SLURM_NPROCS"}},
    SchedulerName{"-n", {"SLURM_NTASKS", "SLURM_NPROCS"}},
    SchedulerName{"--ntasks-per-node", {"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}},
    SchedulerName{"--gpus-per-task", {"SLURM_GPUS_PER_TASK", "SLURM_GPUS_PER_TASK"}},
    SchedulerName{"--gpus-per-node", {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}},
    SchedulerName{"--gpus", {"SLURM_GPUS", "SLURM_GPUS"}},
    SchedulerName{"-G", {"SLURM_GPUS", "SLURM_GPUS"}},
    SchedulerName{"--gres", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}},
};

// The number of "8", "h100:8" and "gpu:h100:8,nvme:1"; "" for none.
std::string number_in(std::string_view value) {
  std::vector<std::string_view> parts = fields_of(value, ',');
  std::erase_if(parts,
                [&](std::string_view p) { return parts.size() > 1 && p.substr(0, 3) != "gpu"; });
  if (parts.size() != 1) return "";
  std::string_view last = parts.front().substr(0, parts.front().find('('));
  if (last.rfind(':') != std::string_view::npos) last.remove_prefix(last.rfind(':') + 1);
  const bool digits = !last.empty() && std::all_of(last.begin(), last.end(), [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  return digits ? std::string(last) : "";
}

// "ALL,TP=4": variables of the job.
void read_export(std::string_view list, ShellVariables& variables) {
  for (const std::string_view each : fields_of(list, ',')) {
    const std::size_t equals = each.find('=');
    if (equals == std::string_view::npos) continue;
    variables[std::string(each.substr(0, equals))] = {std::string(each.substr(equals + 1))};
  }
}

// A number of nodes that may be another ("4-8") is one that nobody knows.
void read_option(const std::string& option, const std::string& value, ShellVariables& variables) {
  if (option == "--export") return read_export(value, variables);
  const std::string number = number_in(value);
  for (const SchedulerName& n : kScheduler) {
    if (n.option != option) continue;
    const bool nodes = option == "--nodes" || option == "-N";
    if (number.empty() && !nodes) continue;
    for (const std::string_view v : n.variables)
      variables[std::string(v)] = {number.empty() ? "$" + std::string(v) : number};
  }
}

}  // namespace

namespace shell {

// Slurm reads the lines before the first command that begin with the mark; the last of an option
// counts [from memory].
void read_scheduler(std::string_view text, ShellVariables& variables) {
  constexpr std::string_view kMark = "#SBATCH";
  ShellVariables stated;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (!t.empty() && t.front() != '#') break;
    if (line.substr(0, kMark.size()) != kMark) continue;
    const std::string_view options = line.substr(kMark.size());
    const std::vector<std::string> words = split_words(options.substr(0, options.find('#')));
    // The parts of such a job have GPUs of their own, and a command runs on some of them.
    if (!words.empty() && (words.front() == "hetjob" || words.front() == "packjob")) return;
    read_scheduler_words(words, stated);
  }
  for (auto& [name, value] : stated) variables.emplace(name, value);
}

// "--nodes=4", "--nodes 4", "-N 4", "-N4"
void read_scheduler_words(const std::vector<std::string>& words, ShellVariables& variables) {
  ShellVariables stated;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    const std::size_t equals = w.find('=');
    const bool glued = w.size() > 2 && w[0] == '-' && w[1] != '-' && equals == std::string::npos;
    if (equals != std::string::npos) {
      read_option(w.substr(0, equals), w.substr(equals + 1), stated);
    } else if (glued) {
      read_option(w.substr(0, 2), w.substr(2), stated);
    } else if (i + 1 < words.size()) {
      read_option(w, words[i + 1], stated);
    }
  }
  for (auto& [name, value] : stated) variables[name] = value;
}

}  // namespace shell

namespace {

constexpr std::size_t kFewArguments = 4;

bool is_argument(const std::string& word) { return word.compare(0, 2, "--") == 0; }

// A script that only sets variables for another one: their arguments are the run's.
void add_unused(ShellRun& run) {
  const auto n = std::count_if(run.words.begin(), run.words.end(), is_argument);
  if (n >= static_cast<std::ptrdiff_t>(kFewArguments)) return;
  const std::vector<std::string> commands = run.words;
  for (const auto& [name, values] : run.variables) {
    std::vector<std::string> words;
    for (const std::string& v : values) {
      for (std::string& w : shell::split_words(v)) words.push_back(std::move(w));
    }
    const bool used = std::all_of(words.begin(), words.end(), [&](const std::string& w) {
      return !is_argument(w) || std::find(commands.begin(), commands.end(), w) != commands.end();
    });
    if (used) continue;
    ShellCommand command{run.words.size(), run.words.size() + words.size()};
    run.words.insert(run.words.end(), words.begin(), words.end());
    run.words.emplace_back(";");
    run.commands.push_back(command);
  }
}

// Lines of NAME=value and --name value alone: settings taken out of a script, each for itself.
bool is_list(std::string_view text) {
  bool any = false;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (t.empty() || t.front() == '#') continue;
    const std::size_t name = shell::end_of_name(t, 0);
    const bool assigns = name > 0 && t.substr(name, 1) == "=";
    if ((!assigns && t.substr(0, 2) != "--") || t.back() == '\\') return false;
    any = true;
  }
  return any;
}

// A line of a list that was cut off sets nothing, and is told of.
void run_list(std::string_view text, shell::State& state) {
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    try {
      shell::Script(state, line, number, 0).run(shell::Mode::run);
    } catch (const InputError&) {
      state.run.doubts.push_back({number, "cut off", shell::split_words(line)});
    }
  }
}

}  // namespace

ShellRun run_shell(std::string_view written, const std::string& file, ShellVariables given,
                   const ShellFiles& files) {
  const std::string text = shell::with_placeholders(written);
  shell::State state{file};
  state.files = &files;
  state.run.variables = std::move(given);
  shell::read_scheduler(text, state.run.variables);
  if (is_list(text)) {
    run_list(text, state);
  } else {
    shell::Script(state, text, 1, 0).run(shell::Mode::run);
  }
  add_unused(state.run);
  // Cut at a byte, a character is no text any more.
  for (std::string& w : state.run.words) make_valid(w);
  for (ShellDoubt& d : state.run.doubts) {
    for (std::string& w : d.words) make_valid(w);
  }
  for (auto& [name, values] : state.run.variables) {
    for (std::string& v : values) make_valid(v);
  }
  for (ShellDocument& d : state.run.documents) {
    make_valid(d.target);
    make_valid(d.text);
  }
  return std::move(state.run);
}

std::vector<std::string> words_of(const ShellRun& run, const ShellCommand& command) {
  const auto at = [&](std::size_t i) { return run.words.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::vector<std::string>(at(command.begin), at(command.end));
}

std::string shell_value(const ShellVariables& variables, std::string_view name) {
  const auto known = variables.find(name);
  return known == variables.end() || known->second.empty() ? "" : known->second.front();
}

}  // namespace orrery
