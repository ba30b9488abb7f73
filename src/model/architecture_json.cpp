// SPDX-License-Identifier: Apache-2.0
#include "model/architecture_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/units.h"
#include "model/architecture_keys.h"
#include "model/hf_import.h"
#include "model/model_document.h"
#include "model/model_draft.h"
#include "model/trunk_import.h"
#include "model/trunk_json.h"

namespace orrery {

constinit const KeyTable kModelDocument = kModelKeys;

namespace {

template <class E>
std::vector<std::string> names_but_first() {
  return {kNamesOf<E>.begin() + 1, kNamesOf<E>.end()};
}

constexpr double kMostStatedParameters = 1e18;
constexpr double kMostRopeTheta = 1e12;
constexpr double kStatedTolerance = 0.05;

// Hugging Face has three names for one thing; ours is the first.
constexpr std::string_view kExpertKeys[] = {"num_local_experts", "num_experts", "n_routed_experts"};

void reject_unknown_keys(const Json& document, const KeyNames& names) {
  Reader reader(document, names.file, names.path);
  for (const Key& k : kModelKeys.keys) reader.allow(std::string(k.name));
  check_sources(reader);
  reader.reject_unknown();
}

// The value of a key that the document has and that is not null.
std::optional<Reader> find(const Json& document, const KeyNames& names, std::string_view key) {
  const auto at = document.find(std::string(key));
  if (at == document.end() || at->is_null()) return {};
  return Reader(*at, names.file, names.path_of(key));
}

// Returns our name for it; a file uses one of the three.
Json with_expert_key(const Json& document, KeyNames& names) {
  Json renamed = document;
  for (std::string_view alias : kExpertKeys) {
    const std::string key(alias);
    if (alias == kExpertKeys[0] || !document.contains(key)) continue;
    if (renamed.contains(std::string(kExpertKeys[0]))) {
      throw InputError(names.file, names.path_of(key), "the number of experts twice",
                       "one of num_local_experts, num_experts and n_routed_experts");
    }
    renamed[std::string(kExpertKeys[0])] = document[key];
    renamed.erase(key);
    names.written_as[std::string(kExpertKeys[0])] = key;
  }
  return renamed;
}

void read_fields(const Json& document, ModelDraft& draft) {
  for (const Key& k : kModelKeys.keys) {
    if (k.read == nullptr) continue;
    if (const auto value = find(document, draft.names, k.name)) {
      k.read(&draft.model.architecture, *value, k);
      draft.given.emplace(k.name);
    }
  }
}

void read_hidden_act(const Json& document, ModelDraft& draft) {
  const auto value = find(document, draft.names, "hidden_act");
  if (!value) return;
  const HiddenAct& act = kHiddenActs[value->choice(kHiddenActNames)];
  draft.model.architecture.activation = act.activation;
  draft.model.architecture.gated = act.gated;
  draft.given.emplace("hidden_act");
}

void read_choices(const Json& document, ModelDraft& draft) {
  Architecture& a = draft.model.architecture;
  if (const auto value = find(document, draft.names, "norm")) {
    a.norm = value->choice<Norm>();
    draft.given.emplace("norm");
  }
  if (const auto value = find(document, draft.names, "position_embedding")) {
    a.positions = value->choice<PositionEmbedding>();
    draft.given.emplace("position_embedding");
  }
  if (const auto value = find(document, draft.names, "bias")) {
    const bool bias = value->boolean();
    draft.given.emplace("bias");
    if (!draft.has("attention_bias")) a.qkv_bias = bias;
    if (!draft.has("mlp_bias")) a.mlp_bias = bias;
  }
}

// true, false, or the probability, as most frameworks write it.
void read_dropout(const Json& document, ModelDraft& draft) {
  const auto value = find(document, draft.names, "dropout");
  if (!value) return;
  draft.model.architecture.dropout =
      value->json().is_number() ? value->number(0, 1) > 0 : value->boolean();
  draft.given.emplace("dropout");
}

LayerKind kind_of(const Reader& item) {
  const std::string text = item.text();
  const std::size_t plus = text.find('+');
  const auto alone = find_name<Feedforward>(text);
  if (alone && *alone != Feedforward::none) return {Mixer::none, *alone};
  const auto mixer = find_name<Mixer>(text.substr(0, plus));
  const auto rest = find_name<Feedforward>(plus == std::string::npos ? "" : text.substr(plus + 1));
  if (!mixer || *mixer == Mixer::none || !rest) {
    item.fail("a mixer (" + alternatives(names_but_first<Mixer>()) +
              ") and after a + dense or experts, or one of the two");
  }
  return {*mixer, *rest};
}

void read_pattern(const Json& document, ModelDraft& draft) {
  const auto value = find(document, draft.names, "layer_pattern");
  if (!value) return;
  draft.given.emplace("layer_pattern");
  std::vector<LayerKind> kinds;
  for (const Reader& item : value->items()) kinds.push_back(kind_of(item));
  const std::string fault = set_pattern(draft.model.architecture.pattern, kinds);
  if (!fault.empty()) value->fail(fault);
}

void read_rest(const Json& document, ModelDraft& draft) {
  if (const auto value = find(document, draft.names, "name")) draft.model.name = value->text();
  if (const auto value = find(document, draft.names, "stated_parameters")) {
    draft.model.stated_parameters = value->number(1, kMostStatedParameters);
  }
  if (const auto value = find(document, draft.names, "rope_theta")) {
    draft.model.rope_theta = value->number(1, kMostRopeTheta);
  }
  if (const auto value = find(document, draft.names, "moe_expert_capacity_factor")) {
    draft.model.architecture.moe.capacity_factor = value->number(0.01, 1e6);
    draft.given.emplace("moe_expert_capacity_factor");
  }
}

}  // namespace

std::string KeyNames::of(std::string_view key) const {
  const auto at = written_as.find(key);
  return at == written_as.end() ? std::string(key) : at->second;
}

std::string KeyNames::path_of(std::string_view key) const {
  return path.empty() ? of(key) : path + "." + of(key);
}

void ModelDraft::assume(std::string_view key, Json value, std::string why) {
  if (names.translated && names.written_as.count(key) == 0) return;
  model.assumed.push_back({names.of(key), std::move(value), std::move(why)});
}

void ModelDraft::refuse(std::string_view key, const std::string& found,
                        const std::string& allowed) const {
  throw InputError(names.file, names.path_of(key), found, allowed);
}

void read_given(const Json& document, ModelDraft& draft) {
  read_fields(document, draft);
  read_hidden_act(document, draft);
  read_choices(document, draft);
  read_dropout(document, draft);
  read_pattern(document, draft);
  read_rest(document, draft);
}

ModelDescription read_own_keys(const Json& document, KeyNames names) {
  ModelDraft draft;
  draft.names = std::move(names);
  read_given(document, draft);
  apply_defaults(draft);
  check(draft);
  return std::move(draft.model);
}

namespace {

// A file in others' keys without the one that says what they mean.
void refuse_nameless(const Json& document, const KeyNames& names) {
  for (const char* key :
       {"architectures", "torch_dtype", "d_model", "n_embd", "n_layers", "text_config"}) {
    if (!document.contains(key)) continue;
    throw InputError(names.file, names.path_of("model_type"), "nothing",
                     "the family's name, as in Hugging Face's config.json (\"llama\", "
                     "\"mamba2\", …), beside \"" +
                         std::string(key) + "\"");
  }
}

// A published config.json beside a name and sources.
ModelDescription read_enclosed(const Json& document, const KeyNames& names) {
  ModelDraft draft;
  draft.names = names;
  Reader reader(document, names.file, names.path);
  for (const char* key : {"name", "stated_parameters", "config"}) reader.allow(key);
  check_sources(reader);
  reader.reject_unknown();
  draft.model = read_model(document["config"], names.file, names.path_of("config"));
  read_rest(document, draft);
  return std::move(draft.model);
}

ModelDescription read_own_trunk(const Json& document, const KeyNames& names) {
  ModelDraft draft;
  draft.names = names;
  Reader reader(document, names.file, names.path);
  for (const char* key : {"name", "stated_parameters", "trunk"}) reader.allow(key);
  check_sources(reader);
  reader.reject_unknown();
  read_trunk(reader.at("trunk"), draft.model.architecture);
  read_rest(document, draft);
  return std::move(draft.model);
}

}  // namespace

ModelDescription read_model(const Json& document, const std::string& file, const std::string& path,
                            const std::string& name) {
  KeyNames names;
  names.file = file;
  names.path = path;
  Reader(document, file, path).must_be_object();
  ModelDescription model;
  if (document.contains("config")) {
    model = read_enclosed(document, names);
  } else if (document.contains("trunk")) {
    model = read_own_trunk(document, names);
  } else if (is_trunk_config(document)) {
    model = read_trunk_config(document, names);
  } else if (document.contains("model_type")) {
    model = read_hugging_face(document, names);
  } else {
    refuse_nameless(document, names);
    reject_unknown_keys(document, names);
    const Json renamed = with_expert_key(document, names);
    model = read_own_keys(renamed, std::move(names));
  }
  if (model.name.empty()) model.name = name;
  return model;
}

std::string set_pattern(LayerPattern& pattern, const std::vector<LayerKind>& kinds) {
  pattern = {};
  if (kinds.empty() || kinds.size() > kMaxPattern) {
    return "1 to " + std::to_string(kMaxPattern) + " layers before the pattern repeats";
  }
  std::vector<LayerKind> distinct;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto at = std::find(distinct.begin(), distinct.end(), kinds[i]);
    if (at == distinct.end()) at = distinct.insert(at, kinds[i]);
    pattern.types[i] = static_cast<std::uint8_t>(at - distinct.begin());
  }
  if (distinct.size() > kMaxLayerTypes) {
    return "at most " + std::to_string(kMaxLayerTypes) + " kinds of layer";
  }
  std::copy(distinct.begin(), distinct.end(), pattern.kinds.begin());
  pattern.length = static_cast<std::uint8_t>(kinds.size());
  return "";
}

std::string layer_kind_name(LayerKind kind) {
  const std::string mixer(name_of(kind.mixer));
  const std::string rest(name_of(kind.feedforward));
  return mixer + (mixer.empty() || rest.empty() ? "" : "+") + rest;
}

std::string layer_name(const Architecture& a, std::size_t type) {
  if (a.trunk.kinds > 0) return trunk_layer_name(a.trunk.layers[type]);
  return layer_kind_name(layer_kind(a, type));
}

std::string_view hidden_act_name(const Architecture& a) {
  for (const HiddenAct& act : kHiddenActs) {
    if (act.activation == a.activation && act.gated == a.gated) return act.name;
  }
  return "";
}

namespace {

void write_variants(const Architecture& a, Json& document) {
  const Architecture plain;
  for (const Key& k : kVariantRows.rows) {
    Json value;
    Json otherwise;
    k.write(&plain, k, otherwise);
    if (k.write(&a, k, value) && value != otherwise) document[std::string(k.name)] = value;
  }
  for (std::uint8_t i = 0; i < a.pattern.length; ++i) {
    document["layer_pattern"].push_back(layer_kind_name(a.pattern.kinds[a.pattern.types[i]]));
  }
}

}  // namespace

Json model_json(const ModelDescription& model) {
  const Architecture& a = model.architecture;
  Json document = {{"name", model.name}};
  if (a.trunk.kinds > 0) {
    document["trunk"] = trunk_json(a.trunk);
    if (model.stated_parameters > 0) document["stated_parameters"] = model.stated_parameters;
    return document;
  }
  for (const Key& k : kCountRows.rows) {
    Json count;
    if (k.write(&a, k, count) && count > 0) document[std::string(k.name)] = count;
  }
  document["hidden_act"] = std::string(hidden_act_name(a));
  document["norm"] = std::string(name_of(a.norm));
  document["position_embedding"] = std::string(name_of(a.positions));
  document["dropout"] = a.dropout;
  if (a.moe.capacity_factor > 0) document["moe_expert_capacity_factor"] = a.moe.capacity_factor;
  for (const Key& k : kFlagRows.rows) {
    const bool router = k.name.substr(0, 6) == "router";
    if (!router || is_moe(a)) k.write(&a, k, document[std::string(k.name)]);
  }
  write_variants(a, document);
  if (model.stated_parameters > 0) document["stated_parameters"] = model.stated_parameters;
  if (model.rope_theta > 0) document["rope_theta"] = model.rope_theta;
  return document;
}

std::string parameter_warning(const ModelDescription& model, double counted) {
  const double stated = model.stated_parameters;
  if (stated <= 0 || std::abs(counted - stated) <= kStatedTolerance * stated) return "";
  return model.name + ": stated_parameters " + shortest(stated) + ", but its dimensions give " +
         shortest(counted);
}

}  // namespace orrery
