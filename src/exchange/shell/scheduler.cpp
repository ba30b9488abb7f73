// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/scheduler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "exchange/shell/cursor.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

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

using Stated = std::map<std::string, Text>;

// The number of "8", "h100:8" and "gpu:h100:8,nvme:1"; "" for none.
std::string number_of(std::string_view value) {
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
void read_export(std::string_view list, Stated& stated) {
  for (const std::string_view each : fields_of(list, ',')) {
    const std::size_t equals = each.find('=');
    if (equals == std::string_view::npos) continue;
    stated[std::string(each.substr(0, equals))] = known(std::string(each.substr(equals + 1)));
  }
}

// A number of nodes that may be another ("4-8") is one that nobody knows.
void read_option(const std::string& option, const std::string& value, Stated& stated) {
  if (option == "--export") return read_export(value, stated);
  const std::string number = number_of(value);
  for (const SchedulerName& n : kScheduler) {
    if (n.option != option) continue;
    const bool nodes = option == "--nodes" || option == "-N";
    if (number.empty() && !nodes) continue;
    for (const std::string_view v : n.variables)
      stated[std::string(v)] = number.empty() ? unknown("$" + std::string(v)) : known(number);
  }
}

// "--nodes=4", "--nodes 4", "-N 4", "-N4"
void read_words(const std::vector<std::string>& words, Stated& stated) {
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
}

}  // namespace

// Slurm reads the lines before the first command that begin with the mark; the last of an option
// counts [from memory].
void read_scheduler(std::string_view text, Variables& variables) {
  constexpr std::string_view kMark = "#SBATCH";
  Stated stated;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (!t.empty() && t.front() != '#') break;
    if (line.substr(0, kMark.size()) != kMark) continue;
    const std::string_view options = line.substr(kMark.size());
    const std::vector<std::string> words = split_words(options.substr(0, options.find('#')));
    if (!words.empty() && (words.front() == "hetjob" || words.front() == "packjob")) return;
    read_words(words, stated);
  }
  for (auto& [name, value] : stated) {
    if (variables.find(name) == nullptr) variables.set(name, std::move(value));
  }
}

void read_scheduler_words(const std::vector<std::string>& words, Variables& variables) {
  Stated stated;
  read_words(words, stated);
  for (auto& [name, value] : stated) variables.set(name, std::move(value));
}

}  // namespace orrery::shell
