// SPDX-License-Identifier: Apache-2.0
#include "report/input_source.h"

#include "core/provenance.h"
#include "estimate/resolve.h"

namespace orrery {
namespace {

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

std::string from_run(const ResolvedRun& r, const std::string& path) {
  for (const Assumed& a : r.assumed) {
    if (starts(path, a.path)) return "assumed: " + a.why;
  }
  if (path == "training.states.weights" || path == "training.states.gradients" ||
      path == "training.states.optimizer") {
    const NamedRecipe* recipe = find_recipe(r.states_name);
    if (recipe != nullptr) return std::string(recipe->source);
  }
  return r.file;
}

// "cluster.tiers.bandwidth" [1] is tiers.1.bandwidth of the node.
std::string hardware_path(const Label& label) {
  const std::string name = label.name;
  const std::string tiers = "cluster.tiers.";
  if (!starts(name, tiers) || label.index < 0) return name;
  return "tiers." + std::to_string(label.index) + "." + name.substr(tiers.size());
}

std::string from_hardware(const ResolvedRun& r, const Label& label) {
  const std::string path = hardware_path(label);
  if (path == "cluster.gpus") return r.file;
  const std::string source = source_text(source_of(r.cluster, path));
  const bool device = starts(path, "device.");
  const std::string document(device ? r.run.cluster.device.name.view() : r.run.cluster.node.view());
  return source.empty() ? document : document + ": " + source;
}

std::string from_framework(const ResolvedRun& r, const std::string& key) {
  const std::string name(r.run.framework.name.view());
  const std::string source = source_text(document_source(*r.framework.document, key));
  return source.empty() ? name : name + ": " + source;
}

}  // namespace

std::string input_source(const ResolvedRun& r, const Label& label) {
  const std::string name = label.name;
  if (starts(name, "device.") || starts(name, "cluster.")) return from_hardware(r, label);
  if (starts(name, "framework.")) return from_framework(r, name.substr(10));
  if (starts(name, "training.") || starts(name, "parallel.")) return from_run(r, name);
  if (starts(name, "model.")) return "model " + r.model_name;
  if (label.source != nullptr && *label.source != '\0') return label.source;
  return "model and strategy";
}

}  // namespace orrery
