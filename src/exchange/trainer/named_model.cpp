// SPDX-License-Identifier: Apache-2.0
#include "exchange/trainer/named_model.h"

#include "core/json_path.h"
#include "estimate/given_document.h"
#include "estimate/resolve.h"
#include "exchange/text_lines.h"
#include "exchange/tools/condition.h"
#include "exchange/tools/values.h"
#include "model/architecture_json.h"

namespace orrery::trainer {
namespace {

constexpr std::string_view kModel = "model.";

// Sizes that a model has only where it has a table of positions, and that cost nothing without.
bool costs_nothing(std::string_view key) {
  return key == "rope_theta" || key == "max_position_embeddings";
}

// A model without the key has none of it, or one group, one expert, experts in each layer.
bool is_none(std::string_view key, const Json& value) {
  return !tools::is_on(value) || (value == 1 && key != "num_nextn_predict_layers");
}

bool is_same(std::string_view key, const Json& ours, const Json& theirs) {
  if (ours.is_null()) return is_none(key, theirs);
  // A gate or none: the name gives its width.
  if (key == "attention_gate_dim") return tools::is_on(ours) == tools::is_on(theirs);
  // A model counts the token itself, or does not.
  if (key == "sliding_window" && theirs.is_number_integer() && ours.is_number_integer())
    return theirs == ours || theirs.get<std::int64_t>() == ours.get<std::int64_t>() + 1;
  return tools::same_word(ours, theirs);
}

}  // namespace

std::vector<LeftOver> other_dimensions(const std::string& name, const std::vector<KeyValue>& keys,
                                       const ConfigLookup& lookup) {
  std::vector<LeftOver> left;
  const Json given = name;
  const GivenDocument d =
      find_document(Reader(given, "the files", "model"), "model", lookup.model, lookup.model_names);
  const Json own = model_json(read_model(d.json, d.file, d.path, d.name));
  for (const KeyValue& k : keys) {
    if (!begins_with(k.path, kModel) || k.value.is_default) continue;
    const std::string key = k.path.substr(kModel.size());
    const Json& ours = value_at(own, key);
    if (costs_nothing(key) && value_at(own, "position_embedding") != "learned") continue;
    if (is_same(key, ours, k.value.value)) continue;
    left.push_back({tools::bare_setting(k.value.setting),
                    name + " has " + (ours.is_null() ? "none" : bare_text(ours)) +
                        "; give the file of the model too, or --model",
                    "model", true});
  }
  return left;
}

}  // namespace orrery::trainer
