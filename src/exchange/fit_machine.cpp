// SPDX-License-Identifier: Apache-2.0
#include "exchange/fit_machine.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/config_lookup.h"
#include "estimate/training_keys.h"
#include "exchange/arguments.h"
#include "exchange/import_draft.h"
#include "exchange/recognise.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

constexpr const char* kPerNode = "cluster.devices_per_node";
constexpr const char* kFusedAttention = key_path<&TrainingRequest::flash_attention>;

std::int64_t positive(const std::string& text) {
  const auto n = parse_number(text);
  return n && *n >= 1 && *n <= static_cast<double>(kMostDegree) ? static_cast<std::int64_t>(*n) : 0;
}

// A part of all processes, which Accelerate spreads over its machines.
std::int64_t spread(std::int64_t processes, std::int64_t machines) {
  return machines > 1 ? processes / machines : 0;
}

std::int64_t of_command(const Settings& all) {
  Settings s = all;
  const auto number = [&](const char* name) { return positive(s.word(name).value_or("")); };
  for (const char* name : {"nproc_per_node", "num_gpus", "gpus_per_node"}) {
    if (const std::int64_t n = number(name)) return n;
  }
  return spread(number("num_processes"), number("num_machines"));
}

std::int64_t of_script(const ForeignFile& script) {
  const ShellRun run = run_shell(script.text, script.name);
  for (const ShellCommand& c : run.commands) {
    if (const std::int64_t n = of_command(settings_of_words(words_of(run, c), script.name)))
      return n;
  }
  if (const std::int64_t n = positive(shell_value(run.variables, "SLURM_GPUS_ON_NODE"))) return n;
  return positive(shell_value(run.variables, "SLURM_NTASKS_PER_NODE")) *
         positive(shell_value(run.variables, "SLURM_GPUS_PER_TASK"));
}

// A log, or a list of a machine, is no script.
std::int64_t of_text(const ForeignFile& file) {
  try {
    return of_script(file);
  } catch (const InputError&) {
    return 0;
  }
}

std::int64_t of_launch_file(const ForeignFile& file) {
  if (!contains(file.text, "num_machines:")) return 0;
  const Json launch = read_yaml(file.text, file.name);
  const auto number = [&](const char* name) { return positive(bare_text(value_at(launch, name))); };
  return spread(number("num_processes"), number("num_machines"));
}

std::int64_t count_of(const Json& of, const char* path) {
  const Json& n = value_at(of, path);
  return n.is_number_integer() ? n.get<std::int64_t>() : 0;
}

Json node_of(const Json& run, const ConfigLookup& lookup) {
  const Json& name = value_at(run, key_path<&ClusterRequest::node>);
  if (name.is_object()) return name;
  if (!name.is_string() || !lookup.hardware.find) return {};
  const auto found = lookup.hardware.find(HardwareKind::node, name.get<std::string>());
  return found ? parse_json(found->text, found->file) : Json();
}

// The innermost links then join the GPUs that the job has of a machine, and its power is another.
void take_part_of_node(ImportedRun& r, const Json& node, std::int64_t part) {
  const Json& tiers = value_at(node, "tiers");
  if (!tiers.is_array() || tiers.size() < 2) return;
  const std::string size = "cluster.tiers." + bare_text(value_at(tiers[0], "name")) + ".size";
  if (!value_at(r.run, size).is_null()) return;
  if (count_of(tiers[0], "size") != count_of(node, "devices_per_node")) return;
  set_at(r.run, size, part);
  set_at(r.run, "cluster.power", Json());
  r.assumed.push_back({size, std::to_string(part), "the GPUs of the job on a machine"});
}

}  // namespace

std::int64_t gpus_of_machine(const std::vector<ForeignFile>& files) {
  for (const ForeignFile& f : files) {
    const bool yaml = f.name.ends_with(".yaml") || f.name.ends_with(".yml");
    const std::int64_t n = yaml ? of_launch_file(f) : is_script(f) ? of_text(f) : 0;
    if (n > 0) return n;
  }
  return 0;
}

void fit_nodes(ImportedRun& r, const ConfigLookup& lookup) {
  const std::int64_t part = r.gpus.job_node;
  const std::int64_t gpus = count_of(r.run, key_path<&ClusterRequest::gpus>);
  if (part == 0 || gpus <= part) return;
  const Json node = node_of(r.run, lookup);
  const std::int64_t host = count_of(node, "host.devices");
  const std::int64_t all = host > 0 ? host : count_of(node, "devices_per_node");
  if (all <= part) return;
  if (count_of(r.run, kPerNode) > 0) return take_part_of_node(r, node, count_of(r.run, kPerNode));
  const std::string n = std::to_string(part);
  r.ignored.push_back({n + " GPUs of a machine, " + std::to_string(gpus) + " in all",
                       bare_text(value_at(r.run, key_path<&ClusterRequest::node>)) + " has " +
                           std::to_string(all) + " in one; --assume " + kPerNode + "=" + n +
                           " takes " + n + " of each",
                       kPerNode, true});
}

void fit_attention(ImportedRun& r, const ConfigLookup& lookup) {
  const Json& framework = value_at(r.run, "framework");
  const bool megatron =
      framework.is_string() && begins_with(framework.get<std::string>(), "megatron");
  if (!megatron || value_at(r.run, kFusedAttention) != true) return;
  if (half_precision(r.run, &lookup) != Precision::fp16) return;
  set_at(r.run, kFusedAttention, false);
  std::erase_if(r.assumed, [](const Fact& a) { return a.path == kFusedAttention; });
  r.assumed.push_back({kFusedAttention, "false",
                       "Transformer Engine has no fused attention for GPUs before Ampere"});
}

}  // namespace orrery
