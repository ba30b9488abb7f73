// SPDX-License-Identifier: Apache-2.0
//
// Runs from text over the shipped configs, and small models by hand, for the tests of the chain.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/json.h"
#include "estimate/cached_parts.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"

namespace orrery::testing {

inline std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) return {};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::optional<ConfigText> shipped_config(const std::string& folder,
                                                const std::string& name) {
  const std::string path = std::string(ORRERY_CONFIG_DIR) + "/" + folder + "/" + name + ".json";
  const std::optional<std::string> text = text_of_file(path);
  if (!text) return {};
  return ConfigText{*text, path};
}

inline std::vector<std::string> shipped_tools() {
  std::vector<std::string> names;
  for (const auto& f :
       std::filesystem::directory_iterator(std::string(ORRERY_CONFIG_DIR) + "/tools"))
    names.push_back(f.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// With parts that are kept, as every command has them.
inline ConfigLookup shipped_configs() {
  static const auto kParts = std::make_shared<CachedParts>();
  ConfigLookup lookup;
  lookup.parts = kParts;
  lookup.hardware.find = [](HardwareKind kind,
                            const std::string& name) -> std::optional<HardwareText> {
    const std::string folder = "hardware/" + folder_of(kind);
    const std::optional<ConfigText> found = shipped_config(folder, name);
    if (!found) return {};
    return HardwareText{found->text, found->file};
  };
  lookup.hardware.names = [](HardwareKind) { return std::vector<std::string>(); };
  lookup.model = [](const std::string& name) { return shipped_config("models", name); };
  lookup.framework = [](const std::string& name) { return shipped_config("frameworks", name); };
  lookup.compression = [](const std::string& name) { return shipped_config("compression", name); };
  lookup.compression_names = [] { return std::vector<std::string>{"mzhybrid"}; };
  lookup.model_names = [] { return std::vector<std::string>{"gpt3-175b", "llama-3-8b"}; };
  lookup.framework_names = [] { return std::vector<std::string>{"generic", "megatron-lm"}; };
  lookup.tool = [](const std::string& name) { return shipped_config("tools", name); };
  lookup.tool_names = shipped_tools;
  lookup.engine = [](const std::string& name) { return shipped_config("engines", name); };
  lookup.engine_names = [] { return std::vector<std::string>{"sglang", "trt-llm", "vllm"}; };
  lookup.accuracy = [] { return shipped_config(".", "accuracy"); };
  return lookup;
}

inline ResolvedRun resolved(const Json& run) {
  return resolve_run(run, "run.json", shipped_configs());
}

inline Json json_of(const std::string& text) { return parse_json(text, "run.json"); }

inline Run run_of(const Json& run) { return resolved(run).run; }
inline Run run_of(const std::string& text) { return run_of(json_of(text)); }

// `base` with the object `change` merged over it.
inline Json with(Json base, const std::string& change) {
  merge_over(base, json_of(change));
  return base;
}

}  // namespace orrery::testing
