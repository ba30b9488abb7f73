// SPDX-License-Identifier: Apache-2.0
#include "model/trunk_import.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/expression.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "model/hf_words.h"
#include "model/trunk_families.h"
#include "model/trunk_json.h"
#include "model/trunk_keys.h"
#include "model/unet_import.h"

namespace orrery {
namespace {

constexpr const char* kClass = "_class_name";
constexpr const char* kType = "model_type";

// Keys of published files that change no size.
constexpr std::string_view kOfNoSize =
    "_class_name _diffusers_version _name_or_path architectures model_type torch_dtype dtype "
    "transformers_version dropout norm_eps norm_type norm_elementwise_affine activation_fn "
    "attention_bias attention_type interpolation_scale upcast_attention use_linear_projection "
    "pos_embed_max_size axes_dims_rope rope_theta rope_axes_dim rope_max_seq_len rope_scale eps "
    "initializer_range layer_norm_eps hidden_act hidden_dropout_prob attention_probs_dropout_prob "
    "attention_dropout pos_embed_seq_len double_self_attention num_vector_embeds flip_sin_to_cos "
    "freq_shift spatial_interpolation_scale temporal_interpolation_scale zero_cond_t id2label "
    "label2id use_cache bos_token_id eos_token_id pad_token_id decoder_start_token_id init_std "
    "activation_function layerdrop encoder_layerdrop decoder_layerdrop activation_dropout "
    "is_encoder_decoder feed_forward_proj dense_act_fn initializer_factor logit_scale_init_value "
    "_commit_hash";

// The norm of queries and keys is the class's: without it the model is another.
constexpr const char* kQkNorm = "qk_norm";

bool changes_no_size(const std::string& key, const Json& value) {
  return has_word(kOfNoSize, key) || (key == kQkNorm && value.is_string());
}

std::vector<Json> parsed_rows() {
  std::vector<Json> all;
  for (const auto& part : {diffusion_families(), encoder_families()}) {
    for (const std::string_view row : part) all.push_back(Json::parse(row));
  }
  return all;
}

const std::vector<Json>& trunk_rows() {
  static const std::vector<Json> all = parsed_rows();
  return all;
}

std::string text_at(const Json& document, const char* key) {
  const auto at = document.find(key);
  return at != document.end() && at->is_string() ? at->get<std::string>() : "";
}

// Chronos is a T5 whose words are the bins of a series' values.
constexpr const char* kChronos = "chronos_config";

std::string class_of(const Json& document) {
  if (const auto at = document.find(kChronos); at != document.end()) {
    return at->contains("input_patch_size") ? "chronos_bolt" : kChronos;
  }
  const std::string name = text_at(document, kClass);
  return name.empty() ? text_at(document, kType) : name;
}

const Json* family_of(const std::string& name) {
  for (const Json& row : trunk_rows()) {
    if (has_word(row["classes"].get<std::string>(), name)) return &row;
  }
  return nullptr;
}

const TrunkRefusal* refusal_of(const std::string& name) {
  for (const TrunkRefusal& r : trunk_refusals()) {
    if (has_word(r.classes, name)) return &r;
  }
  return nullptr;
}

std::vector<std::string> known_classes() {
  std::vector<std::string> names;
  for (const Json& row : trunk_rows()) {
    for (std::string& name : words_in(row["classes"].get<std::string>())) {
      names.push_back(std::move(name));
    }
  }
  names.emplace_back(kUNetClass);
  return names;
}

// The forms of keys by their names, over all tables of a trunk.
const Form* form_of(const std::string& key) {
  for (const KeyTable* table : std::initializer_list<const KeyTable*>{
           &kTrunkKeys, &kTrunkLayerKeys, &kTrunkStreamKeys, &kSampleKeys}) {
    for (const Key& k : table->keys) {
      if (k.name == key) return &k.forms.front();
    }
  }
  return nullptr;
}

// A file of a family that is being translated.
class TrunkFile {
 public:
  TrunkFile(const Json& document, const Json& row, KeyNames names)
      : document_(document), row_(row), names_(std::move(names)) {}

  ModelDescription read() {
    take_keys();
    for (const Json& line : row_.value("let", Json::array())) let(line.get<std::string>());
    const Json trunk = evaluated(row_["trunk"], "");
    ModelDescription model;
    read_trunk(Reader(trunk, names_.file, names_.path), model.architecture);
    model.model_type = class_of(document_);
    model.assumed = std::move(assumed_);
    note(model);
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& found,
                           const std::string& allowed) const {
    throw InputError(names_.file, names_.path_of(key), found, allowed);
  }

  void take_keys() {
    flatten(document_, "");
    for (const Json& key : row_.value("needs", Json::array())) {
      const std::string name = key.get<std::string>();
      if (!has_value(name)) refuse(name, "nothing", "this key is required");
    }
    const Json defaults = row_.value("defaults", Json::object());
    for (auto it = defaults.begin(); it != defaults.end(); ++it) {
      known_.insert(it.key());
      if (has_value(it.key())) continue;
      // null is none, as in transformers and diffusers.
      if (it.value().is_null() || document_.contains(it.key())) {
        none_.insert(it.key());
        continue;
      }
      flatten_value(it.key(), it.value());
      assumed_.push_back({it.key(), it.value(), "default of " + class_of(document_)});
    }
  }

  bool has_value(const std::string& key) const {
    return numbers_.count(key) != 0 || numbers_.count(key + "_count") != 0 ||
           texts_.count(key) != 0;
  }

  void flatten(const Json& object, const std::string& prefix) {
    for (auto it = object.begin(); it != object.end(); ++it) {
      flatten_value(prefix + it.key(), it.value());
    }
  }

  void flatten_value(const std::string& key, const Json& value) {
    if (value.is_boolean()) numbers_[key] = value.get<bool>() ? 1 : 0;
    if (value.is_number()) numbers_[key] = value.get<double>();
    if (value.is_string()) texts_[key] = value.get<std::string>();
    if (value.is_object()) flatten(value, key + ".");
    if (value.is_structured()) numbers_[key + "_count"] = static_cast<double>(value.size());
    if (!value.is_array()) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      flatten_value(key + "[" + std::to_string(i) + "]", value[i]);
    }
  }

  std::optional<double> value_of(const std::string& path) {
    known_.insert(path);
    const auto at = numbers_.find(path);
    if (at != numbers_.end()) return at->second;
    if (path.ends_with("_given")) return has_value(path.substr(0, path.size() - 6)) ? 1 : 0;
    if (path.ends_with("_count")) {
      known_.insert(path.substr(0, path.size() - 6));
      return 0;
    }
    const std::size_t is = path.find("_is_");
    if (is == std::string::npos && none_.count(path) != 0) return 0;
    if (is == std::string::npos) return {};
    known_.insert(path.substr(0, is));
    const auto text = texts_.find(path.substr(0, is));
    return text != texts_.end() && text->second == path.substr(is + 4) ? 1 : 0;
  }

  double number(const std::string& text, const std::string& key) {
    const Expression e = parse_expression(text, names_.file, names_.path_of(key));
    return evaluate(
        e,
        [&](const std::string& path) {
          const auto value = value_of(path);
          if (!value) refuse(path, "nothing", "this key is required");
          return value;
        },
        names_.file, names_.path_of(key));
  }

  std::int64_t whole(const std::string& text, const std::string& key) {
    const double value = number(text, key);
    if (value != std::floor(value) || value < 0) {
      refuse(key, shortest_of(value), "sizes that give a whole number (" + text + ")");
    }
    return static_cast<std::int64_t>(value);
  }

  static std::string shortest_of(double value) { return Json(value).dump(); }

  void let(const std::string& line) {
    const std::size_t at = line.find(" = ");
    const std::string name = line.substr(0, at);
    const std::string rest = line.substr(at + 3);
    const bool floors = rest.starts_with("floor ");
    const double value = number(floors ? rest.substr(6) : rest, name);
    numbers_[name] = floors ? std::floor(value) : value;
  }

  // "main patch^2*c > h no bias": the sizes are expressions.
  std::string product(const std::string& text) {
    std::string end;
    std::string middle = text;
    for (const char* suffix : {" no bias", " tied"}) {
      if (!middle.ends_with(suffix)) continue;
      end = suffix;
      middle.resize(middle.size() - end.size());
    }
    std::size_t blank = middle.find(' ');
    if (middle[blank + 1] == 'x' && std::isdigit(static_cast<unsigned char>(middle[blank + 2]))) {
      blank = middle.find(' ', blank + 1);
    }
    std::string out = middle.substr(0, blank);
    const std::string sizes = middle.substr(blank + 1);
    const std::size_t arrow = sizes.find(" > ");
    out += " " + std::to_string(whole(sizes.substr(0, arrow), "a linear layer"));
    if (arrow == std::string::npos) return out;
    return out + " > " + std::to_string(whole(sizes.substr(arrow + 3), "a linear layer")) + end;
  }

  Json evaluated(const Json& value, const std::string& key) {
    if (value.is_object()) {
      Json out = Json::object();
      for (auto it = value.begin(); it != value.end(); ++it) {
        out[it.key()] = evaluated(it.value(), it.key());
      }
      return out;
    }
    if (value.is_array()) {
      Json out = Json::array();
      for (const Json& item : value) {
        out.push_back(item.is_string() ? Json(product(item.get<std::string>()))
                                       : evaluated(item, key));
      }
      return without_empty_layers(std::move(out), key);
    }
    return value.is_string() ? evaluated_text(value.get<std::string>(), key) : value;
  }

  static Json without_empty_layers(Json list, const std::string& key) {
    if (key != "layers") return list;
    Json out = Json::array();
    for (Json& layer : list) {
      if (layer["count"] != 0) out.push_back(std::move(layer));
    }
    return out;
  }

  Json evaluated_text(const std::string& text, const std::string& key) {
    const Form* form = form_of(key);
    if (form != nullptr && form->kind == FormKind::choice) {
      const bool named = std::count(form->names.begin(), form->names.end(), text) > 0;
      if (named) return text;
      const auto i = static_cast<std::size_t>(whole(text, key));
      return std::string(form->names[std::min(i, form->names.size() - 1)]);
    }
    const std::int64_t n = whole(text, key);
    if (form != nullptr && form->kind == FormKind::boolean) return n != 0;
    return n;
  }

  void note(ModelDescription& model) const {
    const std::string left = row_.value("leaves_out", "");
    if (!left.empty()) model.notes.push_back(model.model_type + ": not modelled: " + left);
    for (auto it = document_.begin(); it != document_.end(); ++it) {
      if (known_.count(it.key()) != 0 || changes_no_size(it.key(), it.value())) continue;
      const bool within = std::any_of(known_.begin(), known_.end(), [&](const std::string& k) {
        return k.starts_with(it.key() + ".") || k.starts_with(it.key() + "[");
      });
      if (!within) model.ignored_keys.push_back(it.key());
    }
  }

  const Json& document_;
  const Json& row_;
  KeyNames names_;
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> known_;
  std::set<std::string> none_;  // keys that are left out, or null
  std::vector<AssumedValue> assumed_;
};

ModelDescription read_unet(const Json& document, const KeyNames& names) {
  ModelDescription model;
  const Json trunk = unet_trunk(Reader(document, names.file, names.path), model.assumed);
  read_trunk(Reader(trunk, names.file, names.path), model.architecture);
  model.model_type = kUNetClass;
  return model;
}

}  // namespace

bool is_trunk_config(const Json& document) {
  if (document.contains(kClass)) return true;
  const std::string type = class_of(document);
  return family_of(type) != nullptr || refusal_of(type) != nullptr;
}

ModelDescription read_trunk_config(const Json& document, const KeyNames& names) {
  const std::string name = class_of(document);
  const char* key = document.contains(kClass) ? kClass : kType;
  if (const TrunkRefusal* r = refusal_of(name)) {
    throw InputError(names.file, names.path_of(key), "\"" + name + "\"", std::string(r->reason));
  }
  if (name == kUNetClass) return read_unet(document, names);
  const Json* row = family_of(name);
  if (row == nullptr) {
    const bool pipeline = name.ends_with("Pipeline");
    throw InputError(names.file, names.path_of(key), "\"" + name + "\"",
                     pipeline ? "the config.json of its transformer, which has the sizes"
                              : "a model that is modelled: " + alternatives(known_classes()),
                     pipeline ? "" : nearest_name(name, known_classes()));
  }
  return TrunkFile(document, *row, names).read();
}

}  // namespace orrery
