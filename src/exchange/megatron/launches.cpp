// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"

namespace orrery::megatron {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// So many settings that are keys of a run make a command a training.
constexpr std::ptrdiff_t kFewKeys = 3;

// Parts of names of programs that train nothing.
constexpr std::string_view kOtherPrograms[] = {
    "preprocess", "convert", "generat", "eval", "infer", "server", "merge", "checkpoint_util"};
constexpr std::string_view kMpi[] = {"mpirun", "mpiexec", "orterun", "mpirun_rsh"};
constexpr std::string_view kProcesses[] = {"-np", "-n", "--np", "-c", "--n"};
// Programs that start several processes of a task themselves.
constexpr std::string_view kLaunchers[] = {"torchrun",   "torch.distributed.run",
                                           "accelerate", "torch.distributed.launch",
                                           "deepspeed",  "torchrun_main"};

template <std::size_t N>
bool is_one_of(const std::string& word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// The place of the program that a command starts: a Python file, or the module behind -m.
std::size_t place_of_program(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with(".py")) return i;
  }
  for (std::size_t i = words.size(); i > 1; --i) {
    if (words[i - 2] == "-m" || words[i - 2] == "--module") return i - 1;
  }
  return kNone;
}

std::string_view key_of(const ForeignSetting& s) {
  Settings one("");
  one.add(s);
  rename_settings(one);
  return one.all().empty() ? std::string_view() : key_of_setting(one.all().front().name);
}

std::ptrdiff_t keys_in(const Settings& settings) {
  return std::count_if(settings.all().begin(), settings.all().end(),
                       [](const ForeignSetting& s) { return !key_of(s).empty(); });
}

struct Launch {
  Settings settings;
  std::size_t line = 0;
  std::string program = {};
};

// Words before the program are the launcher's, and not all of them are known to us.
Settings settings_of_launch(const Words& words, std::size_t program, const std::string& file) {
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(program);
  Settings settings = settings_of_words(Words(words.begin(), at), file);
  const ImportDraft known{Settings(""), kWithoutEffect};
  settings.remove_if([&](const ForeignSetting& s) {
    return key_of(s).empty() && !known.is_without_effect(s.name);
  });
  settings.add_all(settings_of_words(Words(at, words.end()), file));
  return settings;
}

bool is_other_program(const std::string& word) {
  const std::string name = base_name(word);
  return std::any_of(std::begin(kOtherPrograms), std::end(kOtherPrograms),
                     [&](std::string_view part) { return contains(name, part); });
}

bool starts_its_own(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& w) { return is_one_of(base_name(w), kLaunchers); });
}

// -np 32, -np=32
std::string processes_of(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (!is_one_of(words[i].substr(0, equals), kProcesses)) continue;
    if (equals != std::string::npos) return words[i].substr(equals + 1);
    if (i + 1 < words.size()) return words[i + 1];
  }
  return "";
}

// Tasks of srun, each of which is a process: its own words, or those of the job.
std::string tasks_of(const Words& words, const ShellVariables& variables) {
  std::string nodes = shell_value(variables, "SLURM_NNODES");
  std::string per_node = shell_value(variables, "SLURM_NTASKS_PER_NODE");
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                              : i + 1 < words.size()      ? words[i + 1]
                                                          : "";
    if (name == "-n" || name == "--ntasks") all = value;
    if (name == "-N" || name == "--nodes") nodes = value;
    if (name == "--ntasks-per-node") per_node = value;
  }
  if (!all.empty()) return all;
  const auto n = parse_number(nodes);
  const auto p = parse_number(per_node);
  if (n && p) return shortest(*n * *p);
  return shell_value(variables, "SLURM_NTASKS");
}

// Processes that mpirun or srun start without a launcher of PyTorch between.
void add_processes(const ShellRun& run, const ShellCommand& c, Settings& settings) {
  const Words own = words_of(run, c);
  const std::size_t program = std::min(place_of_program(own), own.size());
  Words words(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(program));
  if (c.outer != ShellCommand::kNone) {
    const Words outer = words_of(run, run.commands[c.outer]);
    words.insert(words.begin(), outer.begin(), outer.end());
  }
  if (words.empty() || starts_its_own(words)) return;
  const auto mpi = std::find_if(words.begin(), words.end(),
                                [](const auto& w) { return is_one_of(base_name(w), kMpi); });
  if (mpi != words.end()) {
    const std::string n = processes_of(Words(mpi, words.end()));
    if (!n.empty()) settings.add({"WORLD_SIZE", "-np", n});
    return;
  }
  if (words.front() != "srun") return;
  const std::string n = tasks_of(words, run.variables);
  const auto gpus = parse_number(shell_value(run.variables, "SLURM_GPUS_ON_NODE"));
  const auto nodes = parse_number(shell_value(run.variables, "SLURM_NNODES"));
  const auto tasks = parse_number(n);
  // One task of a node with several GPUs may start more processes itself.
  if (!tasks || (gpus && nodes && *tasks != *gpus * *nodes)) return;
  settings.add({"WORLD_SIZE", "srun's tasks", n});
}

std::vector<Launch> launches_of(const ShellRun& run, const std::string& file) {
  std::vector<Launch> launches;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const std::size_t program = place_of_program(words);
    if (program == kNone || is_other_program(words[program])) continue;
    Launch launch{settings_of_launch(words, program, file), c.line, words[program]};
    if (keys_in(launch.settings) < kFewKeys) continue;
    add_processes(run, c, launch.settings);
    launches.push_back(std::move(launch));
  }
  return launches;
}

// True where every program that the script starts is one that trains nothing.
bool trains_nothing(const ShellRun& run) {
  bool any = false;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const std::size_t program = place_of_program(words);
    if (program == kNone || !is_other_program(words[program])) {
      if (program != kNone || words.front().find('$') != std::string::npos) return false;
      continue;
    }
    any = true;
  }
  return any;
}

const ForeignSetting* find(const Settings& settings, const std::string& name) {
  for (const ForeignSetting& s : settings.all()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

void add_once(Words& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// A setting that the trainings of a script do not share is left open.
void compare(const std::vector<Launch>& launches, const std::string& name, NamedSettings& out) {
  Words values;
  Words lines;
  const ForeignSetting* any = nullptr;
  for (const Launch& l : launches) {
    const ForeignSetting* s = find(l.settings, name);
    if (s != nullptr) any = s;
    add_once(values, s == nullptr ? "absent" : s->value.is_null() ? "given" : bare_text(s->value));
    add_once(lines, std::to_string(l.line));
  }
  if (values.size() < 2) return;
  const std::string_view key = key_of(*any);
  if (key.empty() && ImportDraft{Settings(""), kWithoutEffect}.is_without_effect(name)) return;
  out.settings.remove(name);
  // How long each of them goes on is no one's question.
  if (begins_with(name, "train_")) return;
  out.left.push_back({any->written,
                      listed(values) + " in the trainings that line" +
                          (lines.size() == 1 ? " " : "s ") + listed(lines) +
                          (lines.size() == 1 ? " starts" : " start"),
                      std::string(key), true});
}

}  // namespace

NamedSettings settings_of_script(const ShellRun& run, const std::string& file) {
  const std::vector<Launch> launches = launches_of(run, file);
  if (launches.empty() && trains_nothing(run)) return NamedSettings{Settings(file)};
  if (launches.empty()) {
    NamedSettings all{settings_of_words(run.words, file)};
    for (const ShellCommand& c : run.commands) add_processes(run, c, all.settings);
    return all;
  }
  // Other commands may set what the launcher is given.
  NamedSettings out{Settings(file)};
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    if (place_of_program(words) != kNone) continue;
    Settings settings = settings_of_words(words, file);
    settings.remove_if([](const ForeignSetting& s) { return key_of(s).empty(); });
    out.settings.add_all(settings);
  }
  for (const Launch& l : launches) out.settings.add_all(l.settings);
  Words names;
  for (const Launch& l : launches) {
    for (const ForeignSetting& s : l.settings.all()) add_once(names, s.name);
  }
  for (const std::string& name : names) compare(launches, name, out);
  for (const Launch& l : launches) {
    if (const char* why = other_program(l.program, l.settings))
      out.left.push_back({base_name(l.program), why, "model", true});
  }
  return out;
}

}  // namespace orrery::megatron
