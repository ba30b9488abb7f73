// SPDX-License-Identifier: Apache-2.0
//
// The shipped configs, each read from disk once: a fuzz target asks for them a thousand times a
// second. A name with a '/' is a path on this machine and is not followed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "insight/run_report.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "support/runs.h"

namespace orrery::fuzz {

inline std::optional<ConfigText> cached(const std::string& folder, const std::string& name) {
  static std::map<std::pair<std::string, std::string>, ConfigText> found;
  if (name.find('/') != std::string::npos) return {};
  const auto key = std::make_pair(folder, name);
  if (const auto at = found.find(key); at != found.end()) return at->second;
  const std::optional<ConfigText> text = testing::shipped_config(folder, name);
  if (text) found.emplace(key, *text);
  return text;
}

inline ConfigLookup cached_configs() {
  ConfigLookup lookup = testing::shipped_configs();
  lookup.hardware.find = [](HardwareKind kind,
                            const std::string& name) -> std::optional<HardwareText> {
    const std::string folder = "hardware/" + folder_of(kind);
    const std::optional<ConfigText> text = cached(folder, name);
    if (!text) return {};
    return HardwareText{text->text, text->file};
  };
  lookup.model = [](const std::string& name) { return cached("models", name); };
  lookup.framework = [](const std::string& name) { return cached("frameworks", name); };
  return lookup;
}

// All of the way from a run to what `estimate --json` prints; throws std::logic_error where a
// number is not finite.
inline std::string answer_to(const Json& run) {
  static const ConfigLookup kConfigs = cached_configs();
  return dump(estimate_json(report_on(resolve_run(run, "fuzz.json", kConfigs))));
}

}  // namespace orrery::fuzz
