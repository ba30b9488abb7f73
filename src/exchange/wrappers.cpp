// SPDX-License-Identifier: Apache-2.0
#include "exchange/wrappers.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/python_calls.h"
#include "exchange/python_values.h"
#include "exchange/settings.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

bool is_yaml_name(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

// Without an ending of other files, which tells readers that a script stands inside.
ForeignFile script_of(const ForeignFile& file, const std::string& text) {
  return {file.name + " (script)", "#!/bin/bash\n" + text};
}

std::int64_t whole(const Json& value, std::int64_t otherwise) {
  const auto n = value.is_number()   ? std::optional(value.get<double>())
                 : value.is_string() ? parse_number(value.get<std::string>())
                                     : std::nullopt;
  return n && *n >= 1 && *n <= static_cast<double>(kMostDegree) ? static_cast<std::int64_t>(*n)
                                                                : otherwise;
}

// A word of a list as a shell would quote it. `$VAR` and `$(VAR)` stay.
std::string quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \t\n;&|<>'\"") == std::string::npos;
  return plain ? word : "\"" + word + "\"";
}

bool is_shell(const std::string& word) {
  return word == "bash" || word == "sh" || word.ends_with("/bash") || word.ends_with("/sh");
}

// ["bash", "-c", "text"] is its text, another list a command.
std::string text_of_command(const Json& command) {
  if (command.is_string()) return command.get<std::string>() + "\n";
  if (!command.is_array() || command.empty()) return "";
  const bool shell = command.size() >= 3 && is_shell(bare_text(command[0])) &&
                     contains(bare_text(command[1]), "c");
  if (shell) return bare_text(command[2]) + "\n";
  std::string line;
  for (const Json& word : command) line += (line.empty() ? "" : " ") + quoted(bare_text(word));
  return line + "\n";
}

// `command` and `args` of a container make one list.
Json command_of(const Json& container) {
  Json all = Json::array();
  for (const char* key : {"command", "args"}) {
    const Json& part = value_at(container, key);
    if (part.is_string()) all.push_back(part);
    if (part.is_array()) all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string variables_of(const Json& list) {
  std::string text;
  if (list.is_object()) {
    for (const auto& [name, value] : list.items())
      text += "export " + name + "=" + quoted(bare_text(value)) + "\n";
  }
  if (!list.is_array()) return text;
  for (const Json& v : list) {
    const Json& value = value_at(v, "value");
    if (!value.is_null())
      text += "export " + bare_text(value_at(v, "name")) + "=" + quoted(bare_text(value)) + "\n";
  }
  return text;
}

constexpr std::array<const char*, 2> kGpuResources = {"nvidia.com/gpu", "amd.com/gpu"};

std::int64_t gpus_of_container(const Json& container) {
  for (const char* kind : {"limits", "requests"}) {
    const Json& resources = value_at(container, std::string("resources.") + kind);
    if (!resources.is_object()) continue;
    for (const char* name : kGpuResources) {
      if (resources.contains(name)) return whole(resources[name], 0);
    }
  }
  return 0;
}

// Pods of one kind: a template with containers, and how many of them run.
struct Pods {
  std::string text;
  std::int64_t gpus = 0;
};

void add_pods(const Json& spec, std::int64_t copies, Pods& out) {
  const Json& containers = value_at(spec, "containers");
  if (!containers.is_array()) return;
  for (const Json& c : containers) {
    const std::string text = text_of_command(command_of(c));
    const std::int64_t gpus = gpus_of_container(c);
    out.gpus += copies * gpus;
    if (text.empty()) continue;
    const std::string whole = variables_of(value_at(c, "env")) + text;
    // Master and workers start the same command; a launcher's own has no GPUs.
    if (out.text.find(text) == std::string::npos) out.text += whole;
  }
}

// Walks a manifest: replicas above a template multiply.
void walk(const Json& node, std::int64_t copies, Pods& out) {
  if (node.is_array()) {
    for (const Json& item : node) walk(item, copies, out);
    return;
  }
  if (!node.is_object()) return;
  for (const char* key : {"replicas", "parallelism", "numNodes"}) {
    if (node.contains(key) && !node[key].is_object()) copies *= whole(node[key], 1);
  }
  add_pods(node, copies, out);
  // A TrainJob has its command beside its nodes.
  const Json& trainer = value_at(node, "trainer");
  if (trainer.is_object() && !command_of(trainer).empty()) {
    const std::int64_t nodes = whole(value_at(trainer, "numNodes"), 1);
    Json resources = value_at(trainer, "resourcesPerNode");
    out.gpus += nodes * gpus_of_container({{"resources", std::move(resources)}});
    out.text += variables_of(value_at(trainer, "env")) + text_of_command(command_of(trainer));
  }
  for (const auto& [key, value] : node.items()) {
    if (key != "containers" && key != "trainer") walk(value, copies, out);
  }
}

std::optional<Unwrapped> manifest(const ForeignFile& file, const Json& document) {
  Pods pods;
  walk(value_at(document, "spec"), 1, pods);
  // A RayJob's command stands beside the pods of its cluster.
  const Json& entry = value_at(document, "spec.entrypoint");
  const Json& environment = value_at(document, "spec.runtimeEnvYAML");
  if (entry.is_string()) {
    const Json variables =
        environment.is_string() ? read_yaml(environment.get<std::string>(), file.name) : Json();
    pods.text = variables_of(value_at(variables, "env_vars")) + entry.get<std::string>() + "\n";
  }
  if (pods.text.empty()) return {};
  return Unwrapped{script_of(file, pods.text), pods.gpus};
}

// "H100:8", {"H100": 8}.
void read_accelerators(const Json& stated, Unwrapped& out) {
  std::string name;
  std::int64_t count = 1;
  if (stated.is_string()) {
    const std::string text = stated.get<std::string>();
    const std::size_t colon = text.find(':');
    name = text.substr(0, colon);
    if (colon != std::string::npos) count = whole(Json(text.substr(colon + 1)), 1);
  } else if (stated.is_object() && stated.size() == 1) {
    name = stated.begin().key();
    count = whole(stated.begin().value(), 1);
  } else {
    return;
  }
  out.device = name;
  out.gpus = count;
}

std::optional<Unwrapped> skypilot(const ForeignFile& file, const Json& document) {
  const Json& run = value_at(document, "run");
  if (!run.is_string()) return {};
  Unwrapped out;
  read_accelerators(value_at(document, "resources.accelerators"), out);
  const std::int64_t nodes = whole(value_at(document, "num_nodes"), 1);
  // SkyPilot sets these on each node.
  std::string text = variables_of(value_at(document, "envs"));
  text += "export SKYPILOT_NUM_NODES=" + std::to_string(nodes) + "\n";
  if (out.gpus > 0) text += "export SKYPILOT_NUM_GPUS_PER_NODE=" + std::to_string(out.gpus) + "\n";
  out.gpus *= nodes;
  out.file = script_of(file, text + run.get<std::string>());
  return out;
}

std::optional<Unwrapped> compose(const ForeignFile& file, const Json& document) {
  Unwrapped out;
  std::string text;
  for (const auto& [name, service] : value_at(document, "services").items()) {
    const std::string command = text_of_command(value_at(service, "command"));
    if (command.empty()) continue;
    text += variables_of(value_at(service, "environment")) + command;
    const Json& devices = value_at(service, "deploy.resources.reservations.devices");
    if (devices.is_array() && !devices.empty()) out.gpus += whole(value_at(devices[0], "count"), 0);
  }
  if (text.empty()) return {};
  out.file = script_of(file, text);
  return out;
}

// {"learning_rate": {"desc": null, "value": 1e-4}, "_wandb": …}
std::optional<Unwrapped> weights_and_biases(const ForeignFile& file, const Json& document) {
  if (!document.contains("_wandb") && !document.contains("wandb_version")) return {};
  Json inner = Json::object();
  for (const auto& [key, value] : document.items()) {
    if (key == "_wandb" || key == "wandb_version" || !value.is_object()) continue;
    if (value.contains("value")) inner[key] = value["value"];
  }
  return Unwrapped{{file.name, write_yaml(inner)}};
}

// The text between a README's fences that starts a program.
std::optional<Unwrapped> readme(const ForeignFile& file) {
  std::string text;
  bool inside = false;
  bool shell = false;
  std::string block;
  for (const std::string_view line : lines_of(file.text)) {
    if (!begins_with(trimmed(line), "```")) {
      if (inside && shell) block += std::string(line) + "\n";
      continue;
    }
    if (inside && shell && contains(block, "--")) text += block;
    inside = !inside;
    const std::string_view kind = trimmed(trimmed(line).substr(3));
    shell = kind.empty() || kind == "bash" || kind == "sh" || kind == "shell" || kind == "console";
    block.clear();
  }
  if (text.empty()) return {};
  return Unwrapped{script_of(file, text)};
}

std::optional<Unwrapped> of_document(const ForeignFile& file, const Json& document) {
  if (!document.is_object()) return {};
  if (document.contains("apiVersion") && document.contains("kind")) return manifest(file, document);
  if (document.contains("run") && document.contains("resources")) return skypilot(file, document);
  if (value_at(document, "services").is_object()) return compose(file, document);
  return weights_and_biases(file, document);
}

// Documents of one file, between lines of "---".
std::vector<std::string> documents_of(const std::string& text) {
  std::vector<std::string> all(1);
  for (const std::string_view line : lines_of(text)) {
    if (line.substr(0, 3) == "---")
      all.emplace_back();
    else
      (all.back() += line) += "\n";
  }
  return all;
}

// The document with the most GPUs, of those that start a command: services, volumes and helpers
// stand beside a job.
std::optional<Unwrapped> of_manifests(const ForeignFile& file) {
  std::optional<Unwrapped> most;
  for (const std::string& document : documents_of(file.text)) {
    const auto one = of_document(file, read_yaml(document, file.name));
    if (one && (!most || one->gpus > most->gpus)) most = one;
  }
  return most;
}

}  // namespace

std::optional<Unwrapped> unwrapped(const ForeignFile& file, const Settings* arguments) {
  if (file.name.ends_with(".md")) return readme(file);
  if (file.name.ends_with(".py") || file.name.ends_with(".ipynb")) {
    if (const auto settings = python_settings(file, arguments))
      return Unwrapped{{file.name, kOfPythonCalls + write_yaml(*settings)}};
    const auto values = file.name.ends_with(".py") ? python_values(file.text) : std::nullopt;
    if (!values) return {};
    return Unwrapped{{file.name, kOfPythonValues + write_yaml(*values)}};
  }
  const bool marked = contains(file.text, "apiVersion:") || contains(file.text, "resources:") ||
                      contains(file.text, "services:") || contains(file.text, "_wandb:") ||
                      contains(file.text, "wandb_version:");
  if (!is_yaml_name(file.name) || !marked || contains(file.text, "{{")) return {};
  const bool several = contains(file.text, "\n---") && contains(file.text, "apiVersion:");
  return several ? of_manifests(file) : of_document(file, read_yaml(file.text, file.name));
}

}  // namespace orrery
