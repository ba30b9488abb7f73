// SPDX-License-Identifier: Apache-2.0
#include "model/hf_import.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "model/architecture_keys.h"
#include "model/hf_document.h"
#include "model/hf_facts.h"
#include "model/hf_families.h"
#include "model/hf_words.h"

namespace orrery {
namespace {

// Members of a JSON object without its braces.
Json members(std::string_view text) { return Json::parse("{" + std::string(text) + "}"); }

// A config.json that is being translated to our keys.
class Translation {
 public:
  Translation(HfDocument found, KeyNames names)
      : found_(std::move(found)), facts_(located(std::move(names), found_.path)) {}

  ModelDescription run() {
    find_family();
    open_parts();
    read_spelled();
    if (!known_) check_unknown();
    take_family();
    translate_shape();
    translate_norms();
    translate_positions();
    translate_attention();
    translate_experts();
    translate_recurrent(facts_);
    translate_layers(facts_);
    translate_activation();
    translate_dropout();
    return finish();
  }

 private:
  static KeyNames located(KeyNames names, const std::string& path) {
    names.path = path;
    names.translated = true;
    return names;
  }

  const Json& document() const { return found_.document; }

  void find_family() {
    for (const HfRefusal& r : hf_refusals()) {
      if (!has_word(r.types, found_.model_type)) continue;
      facts_.refuse("model_type", "\"" + found_.model_type + "\"",
                    "a model without " + std::string(r.reason) + ", which are not modelled");
    }
    const HfFamily* known = hf_family(found_.model_type);
    known_ = known != nullptr;
    family_ = known_ ? known : &hf_plain_decoder();
  }

  // Keys of the objects that hold parts of the model, beside its own. The recurrence's have names
  // that others use of attention.
  void open_parts() {
    for (const std::string& part : words_in(hf_parts())) {
      const auto at = document().find(part);
      if (at == document().end() || !at->is_object()) continue;
      const Json inner =
          *at;  // NOLINT(performance-unnecessary-copy-initialization): the document grows below
      const bool linear = part == "linear_attn_config";
      for (auto it = inner.begin(); it != inner.end(); ++it) {
        std::string key = it.key();
        if (linear && key == "num_heads") key = "linear_num_value_heads";
        if (linear && key == "head_dim") key = "linear_value_head_dim";
        Json value = it.value();
        if (value.is_object() && value.contains("name")) value = value["name"];
        if (!found_.document.contains(key)) found_.document[key] = std::move(value);
      }
      seen_.insert(part);
    }
  }

  // A list of one number for every layer is that number; -1 is none.
  static Json plain(const Json& value) {
    if (value.is_number_integer() && value < 0) return nullptr;
    const bool numbers = value.is_array() && !value.empty() &&
                         std::all_of(value.begin(), value.end(), [&](const Json& item) {
                           return item.is_number() && item == value.front();
                         });
    return numbers ? value.front() : value;
  }

  // Keys whose lists mean something a layer.
  static bool is_a_list(std::string_view key) {
    return has_word(
        "mlp_only_layers moe_layers attn_layer_indices full_attn_layers "
        "attn_type_list hybrid_layer_pattern no_rope_layers compress_ratios",
        key);
  }

  void read_spelled() {
    const Json renamed = members(family_->renamed);
    for (const HfSpelling& s : hf_spellings()) {
      for (const std::string& theirs : words_in(s.theirs)) {
        const auto at = document().find(theirs);
        if (at == document().end()) continue;
        seen_.insert(theirs);
        const auto other = renamed.find(theirs);
        const std::string ours =
            other == renamed.end() ? std::string(s.ours) : other->get<std::string>();
        if (ours.empty() || facts_.has(ours)) continue;
        facts_.names.written_as[ours] = theirs;
        facts_.set(ours, is_a_list(s.ours) ? *at : plain(*at));
      }
    }
  }

  // What the code fixes stands above the file, what the class defaults to below it.
  void take_family() {
    const Json defaults = members(family_->defaults);
    for (auto it = defaults.begin(); it != defaults.end(); ++it) {
      if (facts_.values.contains(it.key())) continue;
      if (it.key() == "bias" && facts_.values.contains("no_bias")) continue;
      facts_.set(it.key(), it.value());
      if (is_ours(it.key())) assumed_.push_back({it.key(), it.value(), why_default()});
    }
    for (std::string_view part : {family_->base, family_->fixed}) {
      const Json fixed = members(part);
      for (auto it = fixed.begin(); it != fixed.end(); ++it) facts_.set(it.key(), it.value());
    }
    if (!known_) guess();
  }

  static bool is_ours(std::string_view key) {
    return std::any_of(kModelRows.begin(), kModelRows.end(),
                       [&](const Key& k) { return k.name == key; });
  }

  std::string why_default() const {
    const std::string name(family_->config_class);
    return name.empty() ? "usual in " + (known_ ? found_.model_type : "a decoder")
                        : "default of Hugging Face's " + name;
  }

  // --- an unknown family

  void check_unknown() {
    if (found_.model_type.empty()) facts_.refuse("model_type", "nothing", "the family's name");
    for (std::string_view key :
         {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"}) {
      if (!facts_.has(key)) refuse_unknown(std::string(key) + ", which is missing");
    }
    const bool has_mlp = facts_.has("intermediate_size") || facts_.has("moe_intermediate_size");
    if (!has_mlp) refuse_unknown("intermediate_size, which is missing");
    for (const std::string& key : unread_keys()) {
      if (changes_the_count(key)) refuse_unknown("\"" + key + "\", which is not understood");
    }
    for (std::string_view key : {"recurrent", "linear_key_head_dim", "linear_conv_kernel_dim",
                                 "use_cla", "compress_ratios", "o_lora_rank", "image_size"}) {
      if (facts_.has(key))
        refuse_unknown("\"" + facts_.names.of(key) + "\", which is not understood");
    }
  }

  [[noreturn]] void refuse_unknown(const std::string& reason) const {
    facts_.refuse("model_type", "\"" + found_.model_type + "\"",
                  "a known family, or a decoder's keys; its file has no meaning without " + reason);
  }

  bool changes_the_count(const std::string& key) const {
    const Json& value = document()[key];
    if (!hf_looks_like_a_size(key)) return value.is_object() && !value.empty();
    if (value.is_number()) return value > 0;
    if (value.is_boolean()) return value.get<bool>();
    return value.is_structured() ? !value.empty() : value.is_string();
  }

  // The norm by its epsilon's name, the gate by the norm and the activation.
  void guess() {
    const bool rms = document().contains("rms_norm_eps") || !has_layer_norm_epsilon();
    const bool gated = rms && !has_word("relu relu2 gelu_new", facts_.text("hidden_act"));
    facts_.set("norm", rms ? "rmsnorm" : "layernorm");
    facts_.set("gated", gated);
    std::string line = "model_type \"" + found_.model_type +
                       "\" is not known; read as a decoder, taken for granted: " +
                       (rms ? "RMSNorm" : "LayerNorm") + " before attention and MLP, " +
                       (gated ? "a gated MLP" : "an MLP without gate") + ", rotary positions";
    if (!facts_.has("num_key_value_heads")) line += ", as many key heads as heads";
    for (const AssumedValue& a : assumed_) line += ", " + a.key + " " + brief(*a.value);
    notes_.push_back(std::move(line));
  }

  bool has_layer_norm_epsilon() const {
    return document().contains("layer_norm_eps") || document().contains("layer_norm_epsilon");
  }

  // --- shape

  void translate_shape() {
    facts_.needed("hidden_size");
    if (facts_.flag("halved")) {
      facts_.set("intermediate_size", facts_.needed("intermediate_size") / 2);
    }
    if (facts_.has("expansion_ratio") && !facts_.has("intermediate_size")) {
      const double ratio = facts_.find("expansion_ratio")->number(0, 1e6);
      const auto hidden = static_cast<double>(facts_.needed("hidden_size"));
      facts_.set("intermediate_size", static_cast<std::int64_t>(ratio * hidden));
    }
    if (facts_.has("image_size")) translate_image();
    const std::int64_t projected = facts_.whole("word_embed_proj_dim");
    if (projected > 0 && projected != facts_.needed("hidden_size")) {
      facts_.refuse("word_embed_proj_dim", std::to_string(projected), "hidden_size");
    }
  }

  // The projection of a patch counts as a table of as many rows as a patch has numbers, with its
  // bias and ViT's class token.
  void translate_image() {
    constexpr std::int64_t kMost = 100'000;  // pixels of a side, channels
    facts_.needed("patch_size");
    facts_.needed("image_size");
    const std::int64_t side = facts_.find("patch_size")->integer(1, kMost);
    const std::int64_t across = facts_.find("image_size")->integer(side, kMost) / side;
    const std::int64_t channels = std::min(kMost, facts_.whole("num_channels", 3));
    const std::int64_t numbers = channels * side * side;
    const std::int64_t token = found_.model_type == "vit" ? 1 : 0;
    facts_.set("vocab_size", numbers + 1 + token);
    facts_.set("max_position_embeddings", across * across + token);
    facts_.set("tie_word_embeddings", false);
  }

  void translate_norms() {
    if (facts_.has("no_bias")) {
      const bool none = facts_.flag("no_bias");
      if (!facts_.has("attention_bias")) facts_.set("bias", !none);
      if (!facts_.has("norm")) facts_.set("norm", none ? "layernorm_unbiased" : "layernorm");
    }
    if (facts_.has("use_rmsnorm")) {
      facts_.set("norm", facts_.flag("use_rmsnorm") ? "rmsnorm" : "layernorm");
    }
    if (facts_.has("parallel_attn")) translate_falcon();
    if (!facts_.flag("do_layer_norm_before", true)) facts_.set("norm_placement", "post");
    const bool no_final =
        !facts_.flag("do_layer_norm_before", true) || facts_.flag("remove_final_layer_norm");
    if (no_final) facts_.set("no_final_norm", true);
  }

  void translate_falcon() {
    const bool is_new = facts_.flag("new_decoder_architecture");
    const bool parallel = facts_.flag("parallel_attn") || is_new;
    facts_.set("use_parallel_residual", parallel);
    facts_.set("shared_norm",
               parallel && (!is_new || facts_.whole("num_ln_in_parallel_attn") == 1));
    if (is_new) facts_.drop("multi_query");
    if (!is_new && !facts_.flag("multi_query")) facts_.drop("num_key_value_heads");
    if (!is_new && facts_.flag("multi_query")) facts_.set("num_key_value_heads", 1);
  }

  void translate_positions() {
    const std::string type = facts_.text("position_embedding_type");
    if (facts_.has("alibi"))
      facts_.set("position_embedding", facts_.flag("alibi") ? "alibi" : "rope");
    if (type == "nope") facts_.set("position_embedding", "none");
    if (type == "alibi" || type == "rope") facts_.set("position_embedding", type);
    const std::string positions = facts_.text("position_embedding");
    if (facts_.has("extra_positions") && facts_.has("max_position_embeddings")) {
      facts_.set("max_position_embeddings",
                 facts_.needed("max_position_embeddings") + facts_.whole("extra_positions"));
    }
    if (positions != "relative") facts_.drop("relative_attention_num_buckets");
    if (facts_.whole("type_vocab_size") == 0) facts_.drop("type_vocab_size");
  }

  void translate_attention() {
    if (facts_.flag("multi_query") && !facts_.has("num_key_value_heads")) {
      facts_.set("num_key_value_heads", 1);
    }
    if (!facts_.flag("use_mla", true)) {
      for (std::string_view key :
           {"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}) {
        facts_.drop(key);
      }
    }
    if (facts_.has("compress_ratios")) translate_compressed();
    if (!facts_.has("kv_lora_rank")) drop_indexer();
    if (facts_.flag("attention_gate")) facts_.set("attention_gate_dim", gate_width());
    if (facts_.flag("shared_norm") && !facts_.flag("use_parallel_residual")) {
      facts_.set("shared_norm", false);
    }
  }

  // DeepSeek-V4: a query sees a window of keys, and as many compressed ones as its indexer chooses.
  void translate_compressed() {
    facts_.set("sliding_window", facts_.whole("sliding_window") + facts_.whole("index_topk"));
    facts_.drop("qk_rope_head_dim");
  }

  void drop_indexer() {
    for (std::string_view key : {"index_n_heads", "index_head_dim", "index_topk"}) {
      facts_.drop(key);
    }
  }

  std::int64_t gate_width() const {
    if (facts_.has("kv_lora_rank")) return facts_.needed("v_head_dim");
    if (facts_.has("head_dim")) return facts_.needed("head_dim");
    return facts_.needed("hidden_size") / facts_.needed("num_attention_heads");
  }

  // --- experts

  void translate_experts() {
    for (std::string_view key : {"moe_shared_expert_intermediate_size", "moe_latent_size"}) {
      if (facts_.has(key) && facts_.whole(key) == 0) facts_.drop(key);
    }
    if (facts_.whole("num_local_experts") > 1) {
      if (!facts_.has("moe_shared_expert_intermediate_size") &&
          facts_.whole("n_shared_experts") == 0) {
        facts_.drop("shared_expert_gate");
      }
      return;
    }
    const bool mixture = facts_.whole("num_experts_per_tok") > 0 ||
                         (facts_.has("moe_intermediate_size") && !facts_.has("intermediate_size"));
    if (mixture && !facts_.has("num_local_experts")) facts_.needed("num_local_experts");
    if (facts_.flag("shared_is_dense") && facts_.has("moe_shared_expert_intermediate_size")) {
      facts_.set("intermediate_size", facts_.values["moe_shared_expert_intermediate_size"]);
    }
    for (const char* key :
         {"num_local_experts", "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts",
          "moe_shared_expert_intermediate_size", "first_k_dense_replace", "moe_layer_freq",
          "router_bias", "router_correction_bias", "moe_latent_size", "shared_expert_gate"}) {
      facts_.drop(key);
    }
  }

  // --- the rest

  void translate_activation() {
    std::string act = facts_.text("hidden_act");
    if (act.empty()) {
      act = "silu";
      if (!facts_.flag("no_mlp")) assumed_.push_back({"hidden_act", Json(act), why_default()});
    }
    if (act.substr(0, 6) == "gated-") {
      facts_.set("gated", true);
      act = act.substr(6);
    }
    facts_.set("hidden_act", our_activation(act, facts_.flag("gated")));
  }

  std::string our_activation(const std::string& act, bool gated) const {
    const bool gelu = act.substr(0, 4) == "gelu" || act == "quick_gelu" || act == "xielu";
    const bool silu = has_word("silu swish swiglu swigluoai situ", act);
    if (gelu || (silu && !gated)) return gated ? "geglu" : "gelu";
    if (silu) return "swiglu";
    if (has_word("relu relu2 relu_squared", act))
      return gated ? "geglu" : act == "relu" ? act : "relu2";
    facts_.refuse("hidden_act", "\"" + act + "\"", "silu, gelu, relu, relu2 or one like them");
  }

  void translate_dropout() {
    bool given = false;
    bool any = false;
    for (const std::string& key : words_in(hf_dropout_keys())) {
      const auto at = document().find(key);
      if (at == document().end() || at->is_null()) continue;
      seen_.insert(key);
      given = true;
      any = any || Reader(*at, facts_.names.file, facts_.names.path_of(key)).number(0, 1) > 0;
    }
    if (given) {
      facts_.set("dropout", any);
      forget_assumed("dropout");
    } else if (!facts_.has("dropout")) {
      facts_.set("dropout", false);
    }
  }

  void forget_assumed(const std::string& key) {
    std::erase_if(assumed_, [&](const AssumedValue& a) { return a.key == key; });
  }

  std::vector<std::string> unread_keys() const {
    std::vector<std::string> unread;
    for (auto it = document().begin(); it != document().end(); ++it) {
      const bool known = seen_.count(it.key()) != 0 || hf_is_irrelevant(it.key()) ||
                         has_word(hf_language_models(), it.key());
      if (!known) unread.push_back(it.key());
    }
    return unread;
  }

  std::string text_of(const std::string& key) const {
    const auto at = document().find(key);
    return at != document().end() && at->is_string() ? at->get<std::string>() : "";
  }

  std::string quantization() const {
    const auto at = document().find("quantization_config");
    if (at == document().end() || !at->is_object()) return "";
    return at->contains("quant_method") && (*at)["quant_method"].is_string()
               ? (*at)["quant_method"].get<std::string>()
               : "unnamed";
  }

  void note_parts() {
    if (!family_->leaves_out.empty()) {
      notes_.push_back(found_.model_type + ": not modelled: " + std::string(family_->leaves_out));
    }
    for (const std::string& other : found_.others) {
      notes_.push_back("only the language model is read; " + other + " is left out");
    }
  }

  ModelDescription finish() {
    Json ours = Json::object();
    for (auto it = facts_.values.begin(); it != facts_.values.end(); ++it) {
      if (is_ours(it.key())) ours[it.key()] = it.value();
    }
    note_parts();
    ModelDescription model = read_own_keys(ours, facts_.names);
    model.assumed.insert(model.assumed.begin(), assumed_.begin(), assumed_.end());
    model.model_type = found_.model_type;
    model.dtype = text_of("dtype").empty() ? text_of("torch_dtype") : text_of("dtype");
    model.quantization = quantization();
    model.ignored_keys = unread_keys();
    model.notes = std::move(notes_);
    return model;
  }

  HfDocument found_;
  HfFacts facts_;
  const HfFamily* family_ = nullptr;
  bool known_ = false;
  std::set<std::string, std::less<>> seen_;
  std::vector<AssumedValue> assumed_;
  std::vector<std::string> notes_;
};

}  // namespace

ModelDescription read_hugging_face(const Json& document, const KeyNames& names) {
  return Translation(hf_language_model(document, names.path), names).run();
}

}  // namespace orrery
