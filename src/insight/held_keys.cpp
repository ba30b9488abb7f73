// SPDX-License-Identifier: Apache-2.0
#include "insight/held_keys.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "estimate/training_keys.h"
#include "insight/remedy.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kSwitches = key_path<&StrategyRequest::framework_options>;
constexpr const char* kAttention = key_path<&TrainingRequest::flash_attention>;
constexpr const char* kMicroBatch = key_path<&TrainingRequest::micro_batch>;

// Keys that a search may vary: those of the strategy, and two of the training.
std::vector<std::string> freed_paths() {
  std::vector<std::string> paths;
  for (const Key& k : kStrategyKeys.keys) {
    if (is_freed(k)) paths.push_back(std::string(kStrategyKeys.path) + "." + std::string(k.name));
  }
  paths.insert(paths.end(), {kMicroBatch, kSwitches, kAttention});
  return paths;
}

bool is_of_strategy(const std::string& path) {
  const std::vector<std::string> freed = freed_paths();
  return std::any_of(freed.begin(), freed.end(),
                     [&](const std::string& f) { return lies_at(path, f) || lies_at(f, path); });
}

// The path of a key that --keep names.
std::string kept_path(const std::string& name) {
  const std::vector<std::string> freed = freed_paths();
  if (name == kStrategyKeys.path) return name;
  std::vector<std::string> names = {kStrategyKeys.path};
  for (const std::string& path : freed) {
    const std::string last = path.substr(path.rfind('.') + 1);
    if (name == last || lies_at(name, path)) return name == last ? path : name;
    names.push_back(last);
  }
  throw InputError("--keep", "", "\"" + name + "\"", "keys of a strategy: " + alternatives(names),
                   nearest_name(name, names));
}

// Keys that mean nothing without another.
std::vector<std::string> with_dependents(const std::string& path) {
  if (path != key_path<&StrategyRequest::recompute>) return {path};
  return {path, key_path<&StrategyRequest::recompute_modules>,
          key_path<&StrategyRequest::recompute_layers>,
          key_path<&StrategyRequest::recompute_method>, key_path<&StrategyRequest::layers>};
}

}  // namespace

HeldKeys::HeldKeys(const Json& run, const std::vector<Fact>& changes,
                   const std::vector<std::string>& keep) {
  for (const Fact& change : changes) {
    const bool is_free = change.known == Known::tool_default;
    if (!is_free && is_of_strategy(change.path)) hold(run, change.path, change.where);
  }
  for (const std::string& name : keep) hold(run, kept_path(name), "--keep");
}

void HeldKeys::hold(const Json& run, const std::string& path, const std::string& by) {
  for (const std::string& held : with_dependents(path)) {
    paths_.push_back(held);
    for (const std::string& freed : freed_paths()) {
      if (lies_at(freed, held)) list(run, freed, by, freed == path);
      if (freed != held && lies_at(held, freed)) list(run, held, by, true);
    }
  }
}

void HeldKeys::list(const Json& run, const std::string& path, const std::string& by,
                    bool is_named) {
  const Json& value = value_at(run, path);
  const bool is_known =
      std::any_of(held_.begin(), held_.end(), [&](const HeldKey& h) { return h.path == path; });
  if (is_known || (value.is_null() && !is_named)) return;
  held_.push_back({path, value.is_null() ? "" : bare_text(value), by});
}

bool HeldKeys::holds(std::string_view path) const {
  return std::any_of(paths_.begin(), paths_.end(),
                     [&](const std::string& held) { return lies_at(path, held); });
}

Json HeldKeys::freed(const Json& run) const {
  Json free = without_strategy(run);
  for (const std::string& path : freed_paths()) {
    if (value_at(free, path).is_null() && !value_at(run, path).is_null() && holds(path)) {
      set_at(free, path, value_at(run, path));
    }
  }
  return free;
}

}  // namespace orrery
