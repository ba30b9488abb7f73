// SPDX-License-Identifier: Apache-2.0
#include "engine/missing_flags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "document/words.h"
#include "estimate/origins.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "model/trunk_import.h"

namespace orrery {
namespace {

struct NeededKey {
  const char* path;
  const char* flag;
  const char* what;
};
constexpr const char* kModel = key_path<&RunRequest::model>;
constexpr const char* kLength = key_path<&TrainingRequest::sequence_length>;
constexpr std::array kNeeded = {
    NeededKey{kModel, "--model NAME", "model"},
    NeededKey{key_path<&ClusterRequest::node>, "--node NAME", "node"},
    NeededKey{key_path<&ClusterRequest::gpus>, "--gpus N", "GPUs"},
    NeededKey{kLength, "--sequence-length N", "sequence length"},
    NeededKey{key_path<&TrainingRequest::global_batch>, "--global-batch N", "global batch"},
};

bool is_about(const InputError& e, const NeededKey& key) {
  const std::string path = key.path;
  return e.path() == path || e.path() == path.substr(0, path.find('.'));
}

}  // namespace

bool is_text_model(const Json& run, const ConfigLookup& lookup) {
  Json model = value_at(run, kModel);
  if (model.is_string()) {
    const auto found = lookup.model(model.get<std::string>());
    if (!found) return true;
    model = parse_json(found->text, found->file);
  }
  return !is_trunk_config(model.contains("config") ? model["config"] : model);
}

InputError with_missing_flags(const InputError& e, const Json& run, const ConfigLookup& lookup,
                              Asker asker) {
  // Keys are read in this order: those before the one in question are there, or not needed.
  const auto* const first = std::find_if(kNeeded.begin(), kNeeded.end(),
                                         [&](const NeededKey& key) { return is_about(e, key); });
  if (e.code() != ErrorCode::missing_key) return e;
  if (first == kNeeded.end()) {
    const std::string flag = asker == Asker::flags ? flag_of_key(e.path()) : "";
    if (flag.empty()) return e;
    return {ErrorCode::missing_key, e.file(), "", "no " + e.path(), "it with " + flag};
  }
  std::vector<std::string> found;
  std::vector<std::string> allowed;
  for (const auto* key = first; key != kNeeded.end(); ++key) {
    if (!value_at(run, key->path).is_null()) continue;
    if (key->path == std::string_view(kLength) && !is_text_model(run, lookup)) continue;
    found.push_back(std::string("no ") + key->what);
    allowed.emplace_back(asker == Asker::flags ? key->flag : key->path);
  }
  return {ErrorCode::missing_key, e.file(), "", joined(found, ", "),
          "it with " + joined(allowed, " ")};
}

}  // namespace orrery
