// SPDX-License-Identifier: Apache-2.0
#include "exchange/programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "exchange/arguments.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

// Parts of names of programs that train nothing.
constexpr std::array<std::string_view, 8> kOtherPrograms = {
    "preprocess", "convert", "generat", "eval", "infer", "server", "merge", "checkpoint_util"};
// Modules of Python that prepare a job.
constexpr std::string_view kModules =
    "pip venv json.tool torch.utils.collect_env http.server compileall site ensurepip ray.scripts";
// Commands of a shell, of a site and of a scheduler around the training.
constexpr std::string_view kPrepare =
    ": . source true false cd pushd popd echo printf export unset set shopt declare local readonly "
    "let test [ [[ trap wait sleep exit return ulimit umask alias eval read mapfile module ml load "
    "spack conda mamba micromamba pip pip3 uv poetry git wget curl rsync tar gzip gunzip cp mv rm "
    "ln "
    "mkdir rmdir touch chmod chown cat tee head tail grep sed awk cut sort uniq tr wc find ls stat "
    "du "
    "df date hostname hostnamectl whoami id uname which type command free lscpu numactl env "
    "printenv "
    "getent ip ping nvidia-smi rocm-smi amd-smi nvcc nvidia-cuda-mps-control dcgmi scontrol squeue "
    "sinfo sacct scancel seq expr basename dirname realpath readlink ps kill pkill killall sync "
    "sudo "
    "apt apt-get yum dnf nc netstat ss ibstat ibv_devinfo ucx_info huggingface-cli hf wandb ray "
    "jq bc xargs nl time timeout nproc tput aws gsutil gcloud az kubectl mount umount zip unzip "
    "zstd md5sum sha256sum mail logger uptime lspci dmesg modprobe sysctl pwd diff cmp file stty "
    "clear shift break continue jobs hash pgrep lsof fuser cmake gcc g++ nvcc ninja";
// Launchers, behind whose own words the program stands.
constexpr std::array<std::string_view, 19> kLaunch = {
    "srun",   "mpirun", "mpiexec", "torchrun",    "deepspeed", "accelerate", "bash",
    "sh",     "zsh",    "exec",    "singularity", "apptainer", "docker",     "podman",
    "enroot", "jsrun",  "lrun",    "flux",        "python"};

bool holds_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> all = fields_of(list, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

// Launchers that start something by one of their own commands alone.
constexpr std::string_view kByCommand =
    "singularity apptainer docker podman enroot flux accelerate";
constexpr std::string_view kStartingCommands = "run exec start launch";

bool launches(const std::string& word) {
  const std::string name = base_name(word);
  return std::find(kLaunch.begin(), kLaunch.end(), name) != kLaunch.end() ||
         begins_with(name, "python3");
}

// "srun -w $node hostname" prepares too.
bool prepares(const Words& words) {
  if (holds_word(kPrepare, base_name(words.front()))) {
    if (words.front() != "eval" || words.size() < 2 || !begins_with(words[1], "$")) return true;
    // eval "$(conda shell.bash hook)"
    if (!begins_with(words[1], "$(")) return false;
    const std::string inner = words[1].substr(2, words[1].find_first_of(" )") - 2);
    return holds_word(kPrepare, base_name(inner));
  }
  if (!launches(words.front())) return false;
  return std::any_of(words.begin() + 1, words.end(), [](const std::string& w) {
    return !begins_with(w, "-") && !launches(w) && holds_word(kPrepare, base_name(w)) &&
           w != "export";
  });
}

bool is_inline_python(const Words& words) {
  const auto text = std::find(words.begin(), words.end(), "-c");
  return text != words.end() && begins_with(base_name(words.front()), "python");
}

// The text behind -c is commands of its own.
bool starts_a_text(const Words& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& w) {
    return w == "-c" || w == "-lc" || w == "-ic" || begins_with(w, "--wrap");
  });
}

std::size_t place_of_script(const Words& words) {
  for (std::size_t i = launches(words.front()) ? 1 : 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w.ends_with(".sh") || begins_with(w, "./") || begins_with(w, "$")) return i;
  }
  const bool own = !launches(words.front());
  const bool argued = std::any_of(words.begin(), words.end(),
                                  [](const std::string& w) { return begins_with(w, "--"); });
  return own && argued ? 0 : words.size();
}

// The program of a command that nothing marks as one: a word that is neither a flag nor a number
// nor, as far as the dashes show, a flag's value.
std::size_t place_of_unmarked(const Words& words) {
  if (!launches(words.front())) return 0;
  std::size_t begin = 1;
  if (holds_word(kByCommand, base_name(words.front()))) {
    while (begin < words.size() && !holds_word(kStartingCommands, words[begin])) ++begin;
    ++begin;
  }
  std::size_t behind_flag = words.size();
  for (std::size_t i = begin; i < words.size(); ++i) {
    const std::string& w = words[i];
    const bool number = w.find_first_not_of("0123456789:.,") == std::string::npos;
    if (w.empty() || number || w[0] == '-' || launches(w) || contains(w, "=")) continue;
    if (words[i - 1][0] != '-' || contains(words[i - 1], "=")) return i;
    behind_flag = i;
  }
  return behind_flag;
}

void add_program(const Words& words, std::vector<StartedProgram>& out) {
  if (words.empty() || words.front().empty() || begins_with(words.front(), "--")) return;
  std::size_t place = place_of_python(words);
  bool marked = true;
  if (place < words.size()) {
    const bool other = trains_nothing(words[place]) || holds_word(kModules, words[place]);
    if (other) return;
  } else {
    if (prepares(words) || is_inline_python(words) || starts_a_text(words)) return;
    place = place_of_script(words);
    marked = place < words.size();
    if (!marked) place = place_of_unmarked(words);
    if (place == words.size() || trains_nothing(words[place])) return;
  }
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(place);
  out.push_back({base_name(*at), Words(at + 1, words.end()), marked});
}

bool names_given(const std::string& word, const std::vector<ForeignFile>& given) {
  const std::string name = base_name(word.substr(word.find('=') + 1));
  return std::any_of(given.begin(), given.end(),
                     [&](const ForeignFile& f) { return base_name(f.name) == name; });
}

}  // namespace

std::vector<LeftOver> unread_command(const StartedProgram& program,
                                     const std::vector<ForeignFile>& given) {
  const bool named = std::any_of(program.words.begin(), program.words.end(),
                                 [&](const std::string& w) { return names_given(w, given); });
  if (!named) return {{program.name, "a program whose arguments no reader knows", "", true}};
  std::vector<LeftOver> left;
  const Settings settings = settings_of_words(program.words, program.name);
  for (const ForeignSetting& s : settings.all()) {
    if (names_given(bare_text(s.value), given)) continue;
    left.push_back({text_of(s), "an argument of " + program.name + ", which no reader knows", "",
                    moves_a_number(s.name)});
  }
  return left;
}

bool trains_nothing(const std::string& program) {
  const std::string name = base_name(program);
  return std::any_of(kOtherPrograms.begin(), kOtherPrograms.end(),
                     [&](std::string_view part) { return contains(name, part); });
}

std::size_t place_of_python(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    // "env_path=envs/a.py" is an argument.
    if (words[i].ends_with(".py") && !contains(words[i], "=")) return i;
  }
  for (std::size_t i = words.size(); i > 1; --i) {
    if (words[i - 2] == "-m" || words[i - 2] == "--module") return i - 1;
  }
  return words.size();
}

std::vector<StartedProgram> started_programs(const ForeignFile& script, const ShellFiles& scripts) {
  const ShellRun run = run_shell(script.text, script.name, {}, scripts);
  std::vector<StartedProgram> out;
  for (const ShellCommand& c : run.commands) add_program(words_of(run, c), out);
  for (const ShellDoubt& d : run.doubts) add_program(d.words, out);
  return out;
}

}  // namespace orrery
