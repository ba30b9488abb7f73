// SPDX-License-Identifier: Apache-2.0
//
// Commands that start a program, another script, or a text that is a script.
#include <algorithm>

#include "exchange/shell/cursor.h"
#include "exchange/shell/evaluate.h"
#include "exchange/shell/parse.h"
#include "exchange/shell/scheduler.h"
#include "exchange/shell/tokens.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kStarters[] = {"exec", "nohup",     "time",    "env",  "sudo",   "bash",
                                          "sh",   "/bin/bash", "/bin/sh", "srun", "sbatch", "ssh"};
constexpr std::string_view kTextBehind[] = {"-c", "-lc", "-ic", "--wrap"};
constexpr std::string_view kWrapped = "--wrap=";
// Programs that start a command on another machine, which stands in one word behind this flag:
// xpk workload create, gcloud compute tpus tpu-vm ssh, gcloud ai.
constexpr std::string_view kCommand = "--command";
constexpr std::string_view kElsewhere[] = {"xpk", "xpk.py", "gcloud"};
// The variable whose text a job runs (NVIDIA-NeMo/RL ray.sub).
constexpr const char* kJobsCommand = "COMMAND";

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The value of "--name value" and "--name=value", the last that is given; "" without one.
std::string value_of(const Words& words, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(name + "=")) value = words[i].substr(name.size() + 1);
  }
  return value;
}

bool has(const Words& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& w) { return w == name || w.starts_with(name + "="); });
}

// srun's nodes are the launcher's.
void add_nodes(const Words& words, Evaluation& state) {
  const Variable* job = state.variables.find("SLURM_NNODES");
  std::string nodes = job == nullptr || job->members.empty() ? "" : written(job->members[0]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "-N" || w == "--nodes") nodes = i + 1 < words.size() ? words[i + 1] : "";
    if (w.starts_with("--nodes=")) nodes = w.substr(8);
    if (w.size() > 2 && w.starts_with("-N")) nodes = w.substr(2);
  }
  if (!has(words, "--gpus-per-node") || has(words, "--nnodes") || nodes.empty()) return;
  const std::size_t begin = state.out.words.size();
  state.out.words.insert(state.out.words.end(), {"--nnodes", nodes, ";"});
  state.out.commands.push_back({begin, begin + 2, state.line});
}

// The place in ShellRun::commands; the word at `without` is left out, where that is not 0.
std::size_t add_command(const Words& words, std::size_t without, Evaluation& state) {
  for (const std::string& w : words) state.spend(w.size() + 1);
  ShellCommand command{state.out.words.size(), 0, state.line, state.outer};
  const Variable* visible = state.variables.find("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && !visible->members.empty())
    command.visible_gpus = written(visible->members[0]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != without || without == 0) split_argument(words[i], state.out.words);
  }
  command.end = state.out.words.size();
  state.out.words.emplace_back(";");
  state.out.commands.push_back(command);
  return state.out.commands.size() - 1;
}

bool starts_elsewhere(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& w) { return is_in(last_part(w), kElsewhere); });
}

// Where the text begins in a word that holds it behind a flag; 0 in another one.
std::size_t behind_flag(const std::string& word, bool elsewhere) {
  if (word.starts_with(kWrapped)) return kWrapped.size();
  const std::string flag = std::string(kCommand) + "=";
  return elsewhere && word.starts_with(flag) ? flag.size() : 0;
}

// The script in a command's words: of `bash -c "…"`, or behind a host.
std::size_t place_of_text(const Words& words) {
  const bool remote = words.front() == "ssh" || words.front() == "pdsh";
  const bool elsewhere = starts_elsewhere(words);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool behind = is_in(words[i - 1], kTextBehind) || behind_flag(words[i], elsewhere) > 0 ||
                        (elsewhere && words[i - 1] == kCommand) ||
                        (remote && i + 1 == words.size());
    if (behind && words[i].find(' ') != std::string::npos) return i;
  }
  return 0;
}

// sbatch --export=NONE and --export=A,B=1: a job sees no other variables than those.
void forget_unexported(const Words& words, Evaluation& state) {
  if (!has(words, "--export")) return;
  const std::string list = value_of(words, "--export");
  const std::vector<std::string_view> names = fields_of(list, ',');
  const auto holds = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (holds("ALL")) return;
  Words gone;
  for (const auto& variable : state.variables.all()) {
    const std::string& name = variable.first;
    if (name != kArguments && !name.starts_with("SLURM_") && !holds(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) state.variables.set(name, std::nullopt);
}

// bash FILE, ./FILE, sbatch FILE: the place of FILE; nothing where it is not given.
std::optional<std::size_t> started_file(const Words& words, const Evaluation& state) {
  const bool starter = is_in(words.front(), kStarters);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = last_part(words[i]);
    if (state.files.count(name) > 0 && name != last_part(state.file)) return i;
    if (!starter || name.ends_with(".py")) return {};
  }
  return {};
}

void start_text(const Words& words, std::size_t at, Evaluation& state) {
  const std::size_t outer = std::exchange(state.outer, add_command(words, at, state));
  run_text(words[at].substr(behind_flag(words[at], starts_elsewhere(words))), state);
  state.outer = outer;
}

// The command that a job which is not given finds in a variable.
bool run_jobs_command(const Words& words, Evaluation& state) {
  const Variable* command = state.variables.find(kJobsCommand);
  if (command == nullptr || command->members.empty()) return false;
  const std::string text = written(command->members[0]);
  if (text.find(' ') == std::string::npos) return false;
  const std::size_t outer = std::exchange(state.outer, add_command(words, 0, state));
  run_text(text, state);
  state.outer = outer;
  return true;
}

bool start_file(const Call& call, std::size_t at, Evaluation& state) {
  const std::size_t outer = state.outer;
  if (call.words.front() == "srun") {
    add_nodes(call.words, state);
    state.outer = add_command(call.words, 0, state);
  }
  const bool included = include(call, at, state);
  state.outer = outer;
  return included;
}

}  // namespace

// Without words of its own a sourced file sees those of its caller.
bool include(const Call& call, std::size_t at, Evaluation& state) {
  const auto file = state.files.find(last_part(call.words[at]));
  if (file == state.files.end() || file->first == last_part(state.file)) return false;
  state.out.included.push_back(file->first);
  const std::string text = with_placeholders(file->second);
  read_scheduler(text, state.variables);
  const Level level(state, 8);
  const Variable* arguments = state.variables.find(kArguments);
  const auto before = arguments == nullptr ? std::nullopt : std::optional(*arguments);
  const auto first = call.fields.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  if (first != call.fields.end()) {
    state.variables.set(kArguments, Variable{{first, call.fields.end()}});
  } else if (call.words.front() != "source" && call.words.front() != ".") {
    state.variables.set(kArguments, std::nullopt);
  }
  const std::string outer = std::exchange(state.file, file->first);
  state.spend(text.size());
  run_list(*parse_script(text, state.file, 1, state.depth), state);
  state.file = outer;
  state.variables.set(kArguments, before);
  return true;
}

void start(const Call& call, Evaluation& state) {
  const Words& words = call.words;
  if (state.printed) return;
  if (words.front() == "sbatch") {
    forget_unexported(words, state);
    read_scheduler_words(words, state.variables);
  }
  const auto file = started_file(words, state);
  if (file && start_file(call, *file, state)) return;
  if (words.front() == "srun" && !file) add_nodes(words, state);
  if (words.front() == "sbatch" && !file && run_jobs_command(words, state)) return;
  const std::size_t text = place_of_text(words);
  text == 0 ? void(add_command(words, 0, state)) : start_text(words, text, state);
}

}  // namespace orrery::shell
