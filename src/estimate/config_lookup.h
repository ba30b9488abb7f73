// SPDX-License-Identifier: Apache-2.0
//
// Functions that turn the names in a run file into documents; io supplies them. Errors: none;
// nothing for an unknown name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/shared_text.h"
#include "hardware/lookup.h"

namespace orrery {

class CachedParts;  // estimate/cached_parts.h

struct ConfigText {
  SharedText text;
  std::string file;  // for messages
};

struct ConfigLookup {
  HardwareLookup hardware;
  std::function<std::optional<ConfigText>(const std::string& name)> model;        // name or path
  std::function<std::optional<ConfigText>(const std::string& name)> framework;    // name or path
  std::function<std::optional<ConfigText>(const std::string& name)> compression;  // name or path
  std::function<std::optional<ConfigText>(const std::string& name)> engine;       // may be unset
  std::function<std::optional<ConfigText>(const std::string& path)> schedule;     // path
  std::function<std::optional<ConfigText>(const std::string& name)> tool;         // may be unset
  std::function<std::vector<std::string>()> tool_names;                           // likewise
  std::function<std::vector<std::string>()> model_names;
  std::function<std::vector<std::string>()> framework_names;
  std::function<std::vector<std::string>()> compression_names;
  std::function<std::vector<std::string>()> engine_names;  // may be unset
  std::function<std::optional<ConfigText>()> accuracy;     // estimate/accuracy.h; may be unset
  std::shared_ptr<CachedParts> parts;  // null: whatever is asked for is resolved anew
};

}  // namespace orrery
