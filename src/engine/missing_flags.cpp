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
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"
#include "model/architecture_json.h"
#include "model/operators.h"
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
constexpr const char* kGlobalBatch = key_path<&TrainingRequest::global_batch>;
constexpr std::array kNeeded = {
    NeededKey{kModel, "--model NAME", "model"},
    NeededKey{key_path<&ClusterRequest::node>, "--node NAME", "node"},
    NeededKey{key_path<&ClusterRequest::gpus>, "--gpus N", "GPUs"},
    NeededKey{kLength, "--sequence-length N", "sequence length"},
    NeededKey{kGlobalBatch, "--global-batch N", "global batch"},
};

bool is_about(const InputError& e, const NeededKey& key) {
  const std::string path = key.path;
  return e.path() == path || e.path() == path.substr(0, path.find('.'));
}

constexpr std::int64_t kAssumedLength = 4096;
constexpr std::int64_t kTokensOfLarge = std::int64_t{1} << 24;
constexpr std::int64_t kTokensOfSmall = std::int64_t{1} << 22;
constexpr std::int64_t kLarge = 100'000'000'000;  // parameters

// Tokens that the model was made for, at most `most`.
std::int64_t length_of(const Json& model, std::int64_t most) {
  for (const char* key : {"max_position_embeddings", "n_positions"}) {
    if (model.contains(key) && model[key].is_number_integer()) {
      return std::min(most, std::max<std::int64_t>(1, model[key].get<std::int64_t>()));
    }
  }
  return most;
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

std::vector<AssumedKey> assume_training(Json& run, const ConfigLookup& lookup) {
  const Json name = value_at(run, kModel);
  const bool is_open = value_at(run, kLength).is_null() && value_at(run, kGlobalBatch).is_null();
  if (!is_open || !name.is_string() || !is_text_model(run, lookup)) return {};
  const auto found = lookup.model(name.get<std::string>());
  if (!found) return {};
  const Json model = parse_json(found->text, found->file);
  const std::int64_t length = length_of(model, kAssumedLength);
  const Architecture shape = read_model(model, found->file).architecture;
  const bool is_large = parameter_count(shape, length).total >= kLarge;
  const std::int64_t batch = (is_large ? kTokensOfLarge : kTokensOfSmall) / length;
  Json& training = run[std::string(kTrainingKeys.path)];
  at_key<&TrainingRequest::sequence_length>(training) = length;
  at_key<&TrainingRequest::global_batch>(training) = batch;
  return {
      {"sequence length", grouped(length) + " tokens",
       "not given; usual for most of a pre-training, or the model's own where that is less "
       "(a judgement)"},
      {"global batch", grouped(batch) + " sequences",
       std::string("not given; ") + (is_large ? "16.8" : "4.2") + " M tokens a step, as Llama 3 " +
           (is_large ? "405B" : "70B") + " has in configs/runs (a judgement)"}};
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
