// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/launcher_flags.h"
#include "exchange/megatron/megatron.h"
#include "exchange/programs.h"
#include "exchange/several_runs.h"
#include "exchange/shell/shell.h"
#include "exchange/started_configs.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"

namespace orrery::megatron {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// So many settings that are keys of a run make a command a training.
constexpr std::ptrdiff_t kFewKeys = 3;

// Where the number of processes stands if a starter's own words do not say it: another launcher
// below it may say it, the job's variables do, or nothing does.
enum class WithoutCount : std::uint8_t { elsewhere, job, open };
// Programs that start processes, and their flags: of all processes, of groups (nodes, or the
// resource sets of jsrun), of the processes of a group, and of the GPUs of a process or of a set.
struct Starter {
  std::string_view name;
  std::string_view all;
  std::string_view groups = "";
  std::string_view each = "";
  std::string_view gpus = "";
  WithoutCount without_count = WithoutCount::elsewhere;
  std::string_view default_each = "";  // processes of a group that does not say them
  bool gpus_of_group = false;          // the flag of GPUs is of a group, and must be there
  bool groups_are_nodes = false;       // of a launcher below it too
};
constexpr std::string_view kMpiFlags = "-np -n --np -c --n";
constexpr std::array kStarters = {
    Starter{"mpirun", kMpiFlags},
    Starter{"mpiexec", kMpiFlags},
    Starter{"mpiexec.hydra", kMpiFlags},
    Starter{"orterun", kMpiFlags},
    Starter{"mpirun_rsh", kMpiFlags},
    Starter{"prun", kMpiFlags},
    Starter{"horovodrun", "-np --num-proc"},
    Starter{"aprun", "-n"},
    Starter{"ibrun", "-n -np"},
    Starter{"srun", "-n --ntasks", "-N --nodes", "--ntasks-per-node", "--gpus-per-task",
            WithoutCount::job},
    Starter{"jsrun", "-p --np", "-n --nrs", "-a --tasks_per_rs", "-g --gpu_per_rs",
            WithoutCount::open, "1", true},
    Starter{"lrun", "-n", "-N", "-T", "", WithoutCount::open},
    Starter{"flux", "-n --ntasks", "-N --nodes", "--tasks-per-node", "-g --gpus-per-task",
            WithoutCount::open, "", false, true},
};
// Programs that start several processes of a task themselves.
constexpr std::string_view kLaunchers[] = {"torchrun",   "torch.distributed.run",
                                           "accelerate", "torch.distributed.launch",
                                           "deepspeed",  "torchrun_main"};

template <std::size_t N>
bool is_one_of(const std::string& word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// The place of the program that a command starts.
std::size_t place_of_program(const Words& words) {
  const std::size_t place = place_of_python(words);
  return place < words.size() ? place : kNone;
}

std::ptrdiff_t keys_in(const tools::Tool& tool, const Settings& settings) {
  return std::count_if(settings.all().begin(), settings.all().end(),
                       [&](const ForeignSetting& s) { return !key_of_given(tool, s).empty(); });
}

struct Launch {
  Settings settings;
  std::size_t line = 0;
  std::string program = {};
  std::vector<LeftOver> left = {};
};

// Words before the program are the launcher's, and not all of them are known to us.
Settings settings_of_launch(const tools::Tool& tool, const Words& words, std::size_t program,
                            const std::string& file) {
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(program);
  Settings settings = settings_of_words(Words(words.begin(), at), file);
  settings.remove_if([&](const ForeignSetting& s) {
    return key_of_given(tool, s).empty() && !is_without_effect(tool, s.name);
  });
  for (const ForeignSetting& odd : odd_launcher_flags(Words(words.begin(), at), file))
    settings.add(odd);
  settings.add_all(settings_of_words(Words(at, words.end()), file));
  return settings;
}

bool starts_its_own(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& w) { return is_one_of(base_name(w), kLaunchers); });
}

// "-n 4", "-n4", "--nrs=4" by the first of the flags that is given; "" without one.
std::string value_of(const Words& words, std::string_view flags) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    for (const std::string_view flag : fields_of(flags, ' ')) {
      if (flag.empty() || !begins_with(word, flag)) continue;
      if (word.size() == flag.size()) return i + 1 < words.size() ? words[i + 1] : "";
      const std::string rest = word.substr(flag.size());
      if (rest.front() == '=') return rest.substr(1);
      const bool letter = flag.size() == 2;
      if (letter && rest.find_first_not_of("0123456789") == std::string::npos) return rest;
    }
  }
  return "";
}

// Processes of a starter: its own words, or those of the job.
std::string processes_of(const Starter& s, const Words& words, const ShellVariables& variables) {
  const bool job = s.without_count == WithoutCount::job;
  const auto stated = [&](std::string_view flags, const char* variable) {
    const std::string own = value_of(words, flags);
    return own.empty() && job ? shell_value(variables, variable) : own;
  };
  std::string all = value_of(words, s.all);
  if (!all.empty()) return all;
  std::string each = stated(s.each, "SLURM_NTASKS_PER_NODE");
  if (each.empty()) each = std::string(s.default_each);
  const auto groups = parse_number(stated(s.groups, "SLURM_NNODES"));
  const auto one = parse_number(each);
  if (groups && one) return shortest(*groups * *one);
  return job ? shell_value(variables, "SLURM_NTASKS") : "";
}

// False where a process has several GPUs, or where a group does not say that it has one for each.
bool has_one_gpu(const Starter& s, const Words& words) {
  const std::string gpus = value_of(words, s.gpus);
  if (!s.gpus_of_group) return gpus.empty() || gpus == "1";
  const std::string each = value_of(words, s.each);
  return gpus == (each.empty() ? std::string(s.default_each) : each);
}

// The place of a starter: MPI's anywhere, others at the beginning of the command.
std::size_t place_of_starter(const Words& words, const Starter*& starter) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = base_name(words[i]);
    for (const Starter& s : kStarters) {
      if (s.name != name || (i > 0 && s.all != kMpiFlags)) continue;
      starter = &s;
      return i;
    }
  }
  return kNone;
}

// Srun's own GPUs of a node differ from its tasks where a task starts more processes itself.
bool starts_more(const std::string& tasks, const ShellVariables& variables) {
  const auto gpus = parse_number(shell_value(variables, "SLURM_GPUS_ON_NODE"));
  const auto nodes = parse_number(shell_value(variables, "SLURM_NNODES"));
  const auto n = parse_number(tasks);
  return !n || (gpus && nodes && *n != *gpus * *nodes);
}

// A list of hosts says how many GPUs there are, and it is not read.
void add_hosts(const Words& words, Launch& launch) {
  const std::string hosts = value_of(words, "--hostfile -hostfile --machinefile -machinefile -H");
  if (hosts.empty()) return;
  launch.left.push_back(
      {"--hostfile " + hosts, "its hosts say how many GPUs; --gpus says it", "cluster.gpus", true});
}

void add_started(const Starter& s, const Words& words, const ShellRun& run, Launch& launch) {
  const std::string n = processes_of(s, words, run.variables);
  const std::string name(s.name);
  const bool known = parse_number(n).has_value() || is_unknown_to_us(n);
  const bool alone = s.without_count == WithoutCount::open;
  const std::string nodes = value_of(words, s.groups);
  if (s.groups_are_nodes && !nodes.empty()) launch.settings.add({"nnodes", "-N", nodes});
  if ((known || alone) && !has_one_gpu(s, words)) {
    launch.left.push_back({name + " " + std::string(fields_of(s.gpus, ' ').back()),
                           "not one GPU for each process; --gpus says how many there are",
                           "cluster.gpus", true});
  } else if (alone && !known) {
    launch.left.push_back(
        {name, "its number of processes is not said; --gpus says it", "cluster.gpus", true});
  } else if (!known) {
    add_hosts(words, launch);
  } else if (!n.empty() &&
             (s.without_count != WithoutCount::job || !starts_more(n, run.variables))) {
    launch.settings.add({"WORLD_SIZE", s.all == kMpiFlags ? "-np" : name + "'s tasks", n});
  }
}

// Processes that are started without a launcher of PyTorch between.
void add_processes(const ShellRun& run, const ShellCommand& c, Launch& launch) {
  const Words own = words_of(run, c);
  const std::size_t program = std::min(place_of_program(own), own.size());
  Words words(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(program));
  if (c.outer != ShellCommand::kNone) {
    const Words outer = words_of(run, run.commands[c.outer]);
    words.insert(words.begin(), outer.begin(), outer.end());
  }
  if (words.empty()) return;
  if (!included_gpus(words).empty()) {
    const std::int64_t slots = launched_processes(words, run.variables);
    if (slots > 0) launch.settings.add({"WORLD_SIZE", "--include", std::to_string(slots)});
    return;
  }
  if (base_name(words.front()) == "deepspeed" && value_of(words, "--num_gpus").empty())
    add_hosts(words, launch);
  if (starts_its_own(words)) return;
  const Starter* starter = nullptr;
  const std::size_t at = place_of_starter(words, starter);
  if (at == kNone) return;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  add_started(*starter, words, run, launch);
}

// Names that Megatron-LM's programs have, and arguments that no other tool has.
bool is_of_megatron(const std::string& program, const Settings& settings) {
  constexpr std::string_view kArguments[] = {
      "num_attention_heads", "micro_batch_size", "tensor_model_parallel_size",
      "model_parallel_size", "seq_length",       "pipeline_model_parallel_size",
      "use_mcore_models",    "yaml_cfg",         "use_checkpoint_args",
      "ffn_hidden_size",     "vocab_file",       "deepspeed_config"};
  const std::string name = base_name(program);
  return begins_with(name, "pretrain") || contains(name, "megatron") || contains(name, "gpt") ||
         std::any_of(std::begin(kArguments), std::end(kArguments),
                     [&](std::string_view argument) { return settings.has(argument); });
}

// The program of a script that starts no other one, and whose words are all known; "" for none.
std::string unknown_program(const ShellRun& run, const Settings& settings) {
  std::string unknown;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const std::size_t program = place_of_program(words);
    if (program == kNone || trains_nothing(words[program])) continue;
    const bool open = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(program), words.end(),
                                  [](const std::string& w) { return contains(w, "$"); });
    const bool overridden = std::any_of(words.begin(), words.end(), [](const std::string& w) {
      return !begins_with(w, "-") && contains(w, "=") && contains(w, ".");
    });
    if (open || overridden || is_of_megatron(words[program], settings)) return "";
    unknown = base_name(words[program]);
  }
  return run.sources.empty() ? unknown : "";
}

std::vector<Launch> launches_of(const tools::Tool& tool, const ShellRun& run,
                                const std::string& file) {
  std::vector<Launch> launches;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const std::size_t program = place_of_program(words);
    if (program == kNone || trains_nothing(words[program])) continue;
    Launch launch{settings_of_launch(tool, words, program, file), c.line, words[program]};
    if (keys_in(tool, launch.settings) < kFewKeys) continue;
    if (!is_of_megatron(launch.program, launch.settings)) continue;
    add_processes(run, c, launch);
    launches.push_back(std::move(launch));
  }
  return launches;
}

// True where every program that the script starts is one that trains nothing.
bool starts_no_training(const ShellRun& run) {
  bool any = false;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const std::size_t program = place_of_program(words);
    if (program == kNone || !trains_nothing(words[program])) {
      if (program != kNone || words.front().find('$') != std::string::npos) return false;
      continue;
    }
    any = true;
  }
  return any;
}

void add_once(Words& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// True of settings that no number follows from, or that only say how long a training goes on.
bool is_harmless(const tools::Tool& tool, const std::string& name, const std::string& key) {
  return begins_with(name, "train_") || (key.empty() && is_without_effect(tool, name));
}

// Settings that the trainings of a script do not share are left open.
void compare(const tools::Tool& tool, const std::vector<Launch>& launches, NamedSettings& out) {
  std::vector<OneRun> runs;
  for (const Launch& l : launches) runs.push_back({&l.settings, l.line});
  const SettingKinds kinds = {
      [&](const ForeignSetting& s) { return key_of_given(tool, s); },
      [&](const ForeignSetting& s) { return is_harmless(tool, s.name, key_of_given(tool, s)); }};
  for (LeftOver& l : take_differing(runs, kinds, out.settings)) out.left.push_back(std::move(l));
}

constexpr const char* kFragment = "no command here starts a training, and another file may set it";

// Arguments for a command that stands elsewhere. A bare list of them is whole with its batch, which
// only the command line of a training has.
bool is_fragment(const ShellRun& run, const Settings& settings) {
  const bool started = std::any_of(
      run.commands.begin(), run.commands.end(),
      [&](const ShellCommand& c) { return place_of_program(words_of(run, c)) != kNone; });
  const bool in_variables =
      std::any_of(run.variables.begin(), run.variables.end(), [](const auto& v) {
        return std::any_of(v.second.begin(), v.second.end(),
                           [](const std::string& word) { return contains(word, "--"); });
      });
  const bool list = !in_variables && !run.words.empty() && begins_with(run.words.front(), "--");
  return !started && !(list && (settings.has("micro_batch_size") || settings.has("batch_size")));
}

}  // namespace

void add_training(const tools::Tool& tool, NamedSettings more, NamedSettings& all) {
  if (!all.starts || !more.starts) {
    all.starts = all.starts || more.starts;
    if (all.is_fragment && !more.is_fragment) {
      all.is_fragment = false;
      all.other_defaults = more.other_defaults;
    }
    return all.settings.add_all(more.settings);
  }
  Words names;
  for (const Settings* s : {&all.settings, &more.settings}) {
    for (const ForeignSetting& each : s->all()) add_once(names, each.name);
  }
  for (const std::string& name : names) {
    const ForeignSetting* first = find_setting(all.settings, name);
    const ForeignSetting* second = find_setting(more.settings, name);
    const ForeignSetting& any = *(first == nullptr ? second : first);
    const std::string key = key_of_given(tool, any);
    if (value_text(first) == value_text(second) || is_harmless(tool, name, key)) continue;
    all.left.push_back({any.written,
                        value_text(first) + " in " + all.settings.file() + ", " +
                            value_text(second) + " in " + more.settings.file() +
                            ", which start trainings of their own",
                        key, true});
    all.settings.remove(name);
  }
}

NamedSettings settings_of_script(const tools::Tool& tool, const ShellRun& run,
                                 const std::string& file) {
  const std::vector<Launch> launches = launches_of(tool, run, file);
  if (launches.empty() && starts_no_training(run)) return NamedSettings{Settings(file)};
  if (launches.empty()) {
    Launch all{settings_of_words(run.words, file)};
    for (const ShellCommand& c : run.commands) add_processes(run, c, all);
    NamedSettings out{std::move(all.settings)};
    out.left = std::move(all.left);
    out.is_fragment = is_fragment(run, out.settings);
    out.unknown_program = unknown_program(run, out.settings);
    if (out.is_fragment) out.other_defaults = kFragment;
    return out;
  }
  // Other commands may set what the launcher is given.
  NamedSettings out{Settings(file)};
  out.starts = true;
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    if (place_of_program(words) != kNone) continue;
    Settings settings = settings_of_words(words, file);
    settings.remove_if([&](const ForeignSetting& s) { return key_of_given(tool, s).empty(); });
    out.settings.add_all(settings);
  }
  for (const Launch& l : launches) out.settings.add_all(l.settings);
  compare(tool, launches, out);
  for (const Launch& l : launches) {
    out.left.insert(out.left.end(), l.left.begin(), l.left.end());
    if (const char* why = other_program(l.program, l.settings))
      out.left.push_back({base_name(l.program), why, "model", true});
  }
  return out;
}

}  // namespace orrery::megatron
