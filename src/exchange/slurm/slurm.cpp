// SPDX-License-Identifier: Apache-2.0
#include "exchange/slurm/slurm.h"

#include <algorithm>

#include "core/divide.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/resolve.h"
#include "exchange/fit_machine.h"
#include "exchange/shell/shell.h"

namespace orrery::slurm {
namespace {

// 0 where the header does not say it.
std::int64_t count(const ShellVariables& variables, const char* name) {
  const auto n = parse_number(shell_value(variables, name));
  return n && *n >= 1 && *n <= static_cast<double>(kMostDegree) ? static_cast<std::int64_t>(*n) : 0;
}

std::int64_t gpus_of(const ShellVariables& variables) {
  const std::int64_t all = count(variables, "SLURM_GPUS");
  if (all > 0) return all;
  const bool stated = !shell_value(variables, "SLURM_NNODES").empty();
  const std::int64_t nodes = stated ? count(variables, "SLURM_NNODES") : 1;
  const std::int64_t on_node = count(variables, "SLURM_GPUS_ON_NODE");
  if (on_node > 0) return nodes * on_node;
  const std::int64_t tasks = count(variables, "SLURM_NTASKS");
  const std::int64_t all_tasks =
      tasks > 0 ? tasks : nodes * count(variables, "SLURM_NTASKS_PER_NODE");
  return all_tasks * count(variables, "SLURM_GPUS_PER_TASK");
}

}  // namespace

ImportedRun import_header(const ForeignFile& file) {
  ImportedRun out;
  out.format = ForeignFormat::sbatch;
  out.file = file.name;
  const std::int64_t gpus = gpus_of(run_shell(file.text, file.name).variables);
  if (gpus > 0) {
    set_at(out.run, "cluster.gpus", gpus);
  } else {
    out.ignored.push_back({"#SBATCH",
                           "none of --gpus-per-node, --gpus-per-task and --gres says how many GPUs",
                           "cluster.gpus", true});
  }
  return out;
}

void compare_with_machine(ImportedRun& all, const std::vector<ForeignFile>& files) {
  const char* key = "cluster.gpus";
  const Json& stated = value_at(all.run, key);
  const std::int64_t gpus = stated.is_number_integer() ? stated.get<std::int64_t>() : 0;
  std::string why;
  if (all.gpus.fabric > 0 && gpus > all.gpus.fabric)
    why = std::to_string(gpus) + " in the training, " + std::to_string(all.gpus.fabric) +
          " in the fabric";
  if (all.gpus.job_node == 0) all.gpus.job_node = gpus_of_machine(files);
  if (all.gpus.node > 0 && all.gpus.job_node > all.gpus.node)
    why = std::to_string(all.gpus.job_node) + " of a node in the training, " +
          std::to_string(all.gpus.node) + " in the machine";
  if (why.empty()) return;
  erase_at(all.run, key);
  all.ignored.push_back({key, why, key, true});
}

std::string export_header(const ResolvedRun& resolved) {
  const std::int64_t gpus = resolved.run.cluster.gpus;
  const std::int64_t nodes = system_count(resolved.run.cluster);
  const bool even = gpus % nodes == 0;
  return "#!/bin/bash\n#SBATCH --nodes=" + std::to_string(nodes) +
         "\n#SBATCH --ntasks-per-node=1\n#SBATCH --" + (even ? "gpus-per-node=" : "gpus=") +
         std::to_string(even ? gpus / nodes : gpus) + "\n#SBATCH --exclusive\n";
}

}  // namespace orrery::slurm
