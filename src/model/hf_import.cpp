// SPDX-License-Identifier: Apache-2.0
#include "model/hf_import.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "model/hf_families.h"

namespace orrery {
namespace {

// A config.json that is being translated to our keys.
class Translation {
 public:
  Translation(const Json& document, KeyNames names, const HfFamily& family)
      : document_(document), names_(std::move(names)), family_(family) {
    names_.translated = true;
  }

  ModelDescription run() {
    for (const HfKey& key : family_.keys) translate(key);
    for (const HfFixed& fixed : family_.fixed) set(fixed.ours, Json::parse(fixed.value));
    translate_activation();
    translate_dropout();
    translate_local_attention();
    translate_expert_layers();
    return finish();
  }

 private:
  bool contains(std::string_view key) const { return document_.contains(std::string(key)); }
  void set(std::string_view ours, Json value) { ours_[std::string(ours)] = std::move(value); }

  std::string path_of(std::string_view theirs) const {
    return names_.path.empty() ? std::string(theirs) : names_.path + "." + std::string(theirs);
  }

  // The value of a key that the file has and that is not None.
  std::optional<Reader> find(std::string_view theirs) {
    seen_.emplace(theirs);
    const auto at = document_.find(std::string(theirs));
    if (at == document_.end() || at->is_null()) return {};
    return Reader(*at, names_.file, path_of(theirs));
  }

  [[noreturn]] void refuse(std::string_view theirs, const std::string& found,
                           const std::string& allowed) const {
    throw InputError(names_.file, path_of(theirs), found, allowed);
  }

  void assume(std::string_view theirs, Json value) {
    assumed_.push_back({std::string(theirs), std::move(value),
                        "default of Hugging Face's " + std::string(family_.config_class)});
  }

  // Whichever of its three names the file gives the number of experts.
  std::string_view name_in_file(const HfKey& key) const {
    if (key.ours != "num_local_experts" || contains(key.theirs)) return key.theirs;
    for (std::string_view alias : {"num_local_experts", "num_experts", "n_routed_experts"}) {
      if (contains(alias)) return alias;
    }
    return key.theirs;
  }

  void translate(const HfKey& key) {
    const std::string_view theirs = name_in_file(key);
    names_.written_as[std::string(key.ours)] = std::string(theirs);
    if (const auto value = find(theirs)) {
      set(key.ours, value->json());
    } else if (!contains(theirs) && !key.absent.empty()) {
      const Json value_of_class = Json::parse(key.absent);
      set(key.ours, value_of_class);
      assume(theirs, value_of_class);
    }
  }

  void translate_activation() {
    std::string act(family_.act.absent);
    if (const auto value = find(family_.act.theirs)) {
      act = value->text();
    } else {
      assume(family_.act.theirs, act);
    }
    names_.written_as["hidden_act"] = std::string(family_.act.theirs);
    set("hidden_act", our_activation(act));
  }

  std::string our_activation(const std::string& act) const {
    const bool gelu = act.substr(0, 4) == "gelu" || act == "quick_gelu";
    if (gelu) return family_.gated ? "geglu" : "gelu";
    if (family_.gated && (act == "silu" || act == "swish")) return "swiglu";
    if (!family_.gated && act == "relu") return "relu";
    if (!family_.gated && act == "relu2") return "relu2";
    refuse(family_.act.theirs, "\"" + act + "\"",
           family_.gated ? "silu or gelu" : "gelu, gelu_new, gelu_fast, relu or relu2");
  }

  void translate_dropout() {
    bool given = false;
    bool any = false;
    for (std::string_view key : family_.dropout_keys) {
      if (const auto value = find(key)) {
        given = true;
        any = any || value->number(0, 1) > 0;
      }
    }
    if (!given) {
      any = family_.dropout > 0;
      assume(family_.dropout_keys.front(), family_.dropout);
    }
    set("dropout", any);
  }

  void translate_local_attention() {
    const auto window = find("sliding_window");
    const auto switched = find("use_sliding_window");
    const auto first = find("max_window_layers");
    if (const auto types = find("layer_types")) {
      translate_layer_types(*types, window);
    } else if (family_.window == HfWindow::plain && window) {
      set("sliding_window", window->json());
    } else if (family_.window == HfWindow::switched && switched && switched->boolean() && window) {
      translate_switched(*window, first);
    }
  }

  void translate_switched(const Reader& window, const std::optional<Reader>& first) {
    const std::int64_t from = first ? first->integer(0, kMany) : 28;  // the class's default
    if (from >= layers()) return;
    if (from > 0) {
      refuse("max_window_layers", std::to_string(from),
             "0 or num_hidden_layers: a window on some layers must repeat (layer_types)");
    }
    set("sliding_window", window.json());
  }

  // The kind of attention of each layer; layers that see all keys must be at a fixed distance.
  void translate_layer_types(const Reader& types, const std::optional<Reader>& window) {
    constexpr std::string_view kKinds[] = {"full_attention", "sliding_attention",
                                           "chunked_attention"};
    std::vector<std::size_t> kinds;
    for (const Reader& item : types.items()) kinds.push_back(item.choice(kKinds));
    if (static_cast<std::int64_t>(kinds.size()) != layers()) {
      refuse("layer_types", std::to_string(kinds.size()) + " layers",
             "num_hidden_layers, which is " + std::to_string(layers()));
    }
    const auto local = std::find_if(kinds.begin(), kinds.end(), [](auto k) { return k != 0; });
    if (local == kinds.end()) return;
    const bool sliding = *local == 1;
    const auto size = sliding ? window : find("attention_chunk_size");
    if (!size) {
      refuse("layer_types", "\"" + std::string(kKinds[*local]) + "\"",
             std::string(sliding ? "sliding_window" : "attention_chunk_size") + " beside it");
    }
    set(sliding ? "sliding_window" : "attention_chunk_size", size->json());
    set_pattern(kinds, *local);
  }

  void set_pattern(const std::vector<std::size_t>& kinds, std::size_t local) {
    const auto full = std::find(kinds.begin(), kinds.end(), std::size_t{0});
    const auto every = static_cast<std::size_t>(full - kinds.begin()) + 1;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const bool is_full = full != kinds.end() && (i + 1) % every == 0;
      if (kinds[i] != (is_full ? 0 : local)) {
        refuse("layer_types", "no fixed distance between layers of full_attention",
               "every k-th layer full_attention, the others alike");
      }
    }
    if (full != kinds.end()) set("sliding_window_pattern", every);
  }

  // Qwen: layer i has experts if (i + 1) mod decoder_sparse_step = 0 and it is not listed as dense.
  void translate_expert_layers() {
    if (!ours_.contains("num_local_experts")) return;
    if (const auto step = find("decoder_sparse_step")) {
      const std::int64_t n = step->integer(1, kMany);
      set("moe_layer_freq", n);
      set("moe_layer_offset", n - 1);
    }
    if (const auto dense = find("mlp_only_layers")) {
      std::int64_t next = 0;
      for (const Reader& item : dense->items()) {
        if (item.integer(0, kMany) != next++) {
          refuse("mlp_only_layers", brief(dense->json()), "the first layers, in order: 0, 1, …");
        }
      }
      if (next > 0) set("first_k_dense_replace", next);
    }
  }

  std::int64_t layers() {
    const auto at = ours_.find("num_hidden_layers");
    if (at == ours_.end()) refuse("num_hidden_layers", "nothing", "this key is required");
    return Reader(*at, names_.file, names_.path_of("num_hidden_layers")).integer(1, kMany);
  }

  std::string text_of(std::string_view key) {
    const auto value = find(key);
    return value ? value->text() : "";
  }

  std::vector<std::string> ignored_keys() const {
    const auto irrelevant = hf_irrelevant_keys();
    std::vector<std::string> ignored;
    for (auto it = document_.begin(); it != document_.end(); ++it) {
      const bool known =
          seen_.count(it.key()) != 0 ||
          std::find(irrelevant.begin(), irrelevant.end(), it.key()) != irrelevant.end();
      if (!known) ignored.push_back(it.key());
    }
    return ignored;
  }

  ModelDescription finish() {
    seen_.emplace("model_type");
    const std::string old_dtype = text_of("torch_dtype");
    const std::string dtype = text_of("dtype");
    std::string quantization;
    if (auto config = find("quantization_config")) {
      const auto method = config->find("quant_method");
      quantization = method ? method->text() : "unnamed";
    }
    std::vector<std::string> ignored = ignored_keys();
    ModelDescription model = read_own_keys(ours_, names_);
    model.assumed.insert(model.assumed.begin(), assumed_.begin(), assumed_.end());
    model.model_type = std::string(family_.model_type);
    model.dtype = dtype.empty() ? old_dtype : dtype;
    model.quantization = std::move(quantization);
    model.ignored_keys = std::move(ignored);
    return model;
  }

  static constexpr std::int64_t kMany = 1'000'000'000;

  const Json& document_;
  KeyNames names_;
  const HfFamily& family_;
  Json ours_ = Json::object();
  std::set<std::string, std::less<>> seen_;
  std::vector<AssumedValue> assumed_;
};

const HfFamily& family_of(const Json& document, const KeyNames& names) {
  std::vector<std::string_view> types;
  for (const HfFamily& family : hf_families()) types.push_back(family.model_type);
  Reader reader(document, names.file, names.path);
  return hf_families()[reader.at("model_type").choice(types)];
}

}  // namespace

ModelDescription read_hugging_face(const Json& document, KeyNames names) {
  const HfFamily& family = family_of(document, names);
  return Translation(document, std::move(names), family).run();
}

}  // namespace orrery
