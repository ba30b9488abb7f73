// SPDX-License-Identifier: Apache-2.0
#include "exchange/combined.h"

#include <algorithm>

#include "core/fact.h"
#include "core/json_path.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/import_draft.h"
#include "exchange/open_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

void contradict(const std::string& path, const Json& old, const Json& value,
                const ImportedRun& part, ImportedRun& all) {
  const std::string why = brief(old) + " in " + all.file + ", " + brief(value) + " in " + part.file;
  erase_at(all.run, path);
  all.ignored.push_back({path, why, path, true});
}

void leaves(const Json& value, const std::string& path, const ImportedRun& part, ImportedRun& all) {
  if (value.is_object() && path != "training.states") {
    for (const auto& [key, member] : value.items()) {
      leaves(member, path.empty() ? key : path + "." + key, part, all);
    }
    return;
  }
  const Json& old = value_at(all.run, path);
  if (old == value) return;
  // A script of Megatron-DeepSpeed beside its DeepSpeed file.
  if (path == "framework" && old == "megatron-deepspeed" && value == "deepspeed") return;
  if (old.is_null() || is_assumed(all.assumed, path)) {
    std::erase_if(all.assumed, [&](const Fact& a) { return a.path == path; });
    set_at(all.run, path, value);
    return;
  }
  if (is_assumed(part.assumed, path)) return;
  contradict(path, old, value, part, all);
}

void forget(ImportedRun& all, const std::string& path) {
  erase_at(all.run, path);
  std::erase_if(all.assumed, [&](const Fact& a) { return a.path == path; });
}

bool is_config_json(const Json& model) {
  return model.is_object() && (model.contains("model_type") || model.contains("architectures"));
}

// A config.json has the dimensions of the model that another file names.
void take_dimensions(ImportedRun& part, ImportedRun& all) {
  constexpr const char* kModel = "model";
  if (is_config_json(value_at(all.run, kModel)) && value_at(part.run, kModel).is_string())
    erase_at(part.run, kModel);
  if (is_config_json(value_at(part.run, kModel)) && value_at(all.run, kModel).is_string())
    forget(all, kModel);
}

void merge(ImportedRun& part, ImportedRun& all) {
  take_dimensions(part, all);
  leaves(part.run, "", part, all);
  if (all.file != part.file) all.file += ", " + part.file;
  // A job's header or a manifest only starts the training.
  if (all.format == ForeignFormat::sbatch && all.tool.empty()) {
    all.format = part.format;
    all.tool = part.tool;
  }
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(all.without_effect, part.without_effect);
  append(all.ignored, part.ignored);
  for (const Fact& a : part.assumed) {
    if (!is_assumed(all.assumed, a.path) && value_at(all.run, a.path) == value_at(part.run, a.path))
      all.assumed.push_back(a);
  }
  all.checkpointed_every = std::max(all.checkpointed_every, part.checkpointed_every);
  append(all.of_width, part.of_width);
  all.gpus.add(part.gpus);
}

}  // namespace

ImportedRun combined(std::vector<ImportedRun> parts, const Json& given) {
  for (ImportedRun& part : parts) name_tool_of_defaults(part);
  ImportedRun all = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) merge(parts[i], all);
  // A value that follows from the GPU is no default.
  const auto is_default = [&](const std::string& path) {
    const Fact* fact = find_fact(all.assumed, path);
    return fact != nullptr && fact->known == Known::tool_default;
  };
  for (const LeftOver& l : all.ignored) {
    if (l.is_refused && !l.key.empty() && is_default(l.key)) forget(all, l.key);
  }
  // Another file may say what one leaves open; a default of another tool does not.
  std::erase_if(all.ignored, [&](const LeftOver& l) {
    const Json& value = value_at(all.run, l.key);
    // Some dimensions are no model yet.
    const bool part = l.key == "model" && is_part_of_model(value);
    return l.is_refused && !l.key.empty() && !value.is_null() && !part;
  });
  const Json& zero = value_at(given, key_path<&StrategyRequest::zero>);
  if (zero.is_null() || zero == 0) deepspeed::shard_bf16_states(all);
  return all;
}

}  // namespace orrery
