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
  Translation(const Json& outer, HfDocument found, KeyNames names)
      : outer_(outer),
        found_(std::move(found)),
        is_part_(found_.path != names.path),
        facts_(located(std::move(names), found_.path)) {}

  ModelDescription run() {
    find_family();
    open_parts();
    read_spelled();
    if (!known_) check_unknown();
    take_family();
    translate_direction();
    translate_shapes(facts_);
    translate_recurrent(facts_);
    translate_layers(facts_);
    translate_activation();
    translate_dropout();
    translate_output();
    has_tower_ = translate_tower(facts_, outer_);
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
    for (const std::string& key : words_in(hf_refused_keys())) take(key, "not_modelled");
  }

  // Keys of the objects that hold parts of the model, beside its own. The recurrence's have names
  // that others use of attention.
  void open_parts() {
    for (const std::string& part : words_in(hf_parts())) {
      const auto at = document().find(part);
      if (at == document().end() || !at->is_object()) continue;
      // A copy, because the document grows below.
      const Json inner = *at;  // NOLINT(performance-unnecessary-copy-initialization)
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
        "mlp_only_layers moe_layers mlp_layer_types attn_layer_indices full_attn_layers "
        "attn_type_list hybrid_layer_pattern hybrid_layer_ids no_rope_layers compress_ratios "
        "sparse_attention_freq indexer_types",
        key);
  }

  // A key that only this family's code knows may be renamed too; `not_modelled` refuses its value.
  void read_spelled() {
    const Json renamed = members(family_->renamed);
    for (const HfSpelling& s : hf_spellings()) {
      for (const std::string& theirs : words_in(s.theirs)) {
        const auto other = renamed.find(theirs);
        take(theirs, other == renamed.end() ? std::string(s.ours) : other->get<std::string>());
      }
    }
    for (auto it = renamed.begin(); it != renamed.end(); ++it) take(it.key(), it.value());
  }

  void take(const std::string& theirs, const std::string& ours) {
    const auto at = document().find(theirs);
    if (at == document().end() || !seen_.insert(theirs).second) return;
    if (ours == "not_modelled") return refuse_value(theirs, *at);
    if (ours.empty() || facts_.has(ours)) return;
    facts_.names.written_as[ours] = theirs;
    facts_.set(ours, is_a_list(ours) ? *at : plain(*at));
  }

  void refuse_value(const std::string& key, const Json& value) const {
    const bool off = value.is_null() || value == Json(false) || value == Json(0) ||
                     (value.is_structured() && value.empty());
    if (!off)
      facts_.refuse(key, brief(value),
                    "it left out; " + found_.model_type + " with it is not modelled");
  }

  // Values that the family's code fixes replace the file's; defaults of its class fill gaps.
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
    if (is_part_) take_width_of_part();
    if (!known_) guess();
  }

  void take_width_of_part() {
    if (facts_.has("hidden_size") || !facts_.has("width_of_part")) return;
    facts_.set("hidden_size", facts_.values["width_of_part"]);
    assumed_.push_back({"hidden_size", facts_.values["width_of_part"], why_default()});
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
    check_unknown_norm();
    if (is_encoder()) refuse_unknown("the sense of \"architectures\", which is an encoder's");
    if (has_word("absolute learned learned_absolute sinusoidal relative_key relative_key_query",
                 facts_.text("position_embedding_type"))) {
      refuse_unknown("its \"position_embedding_type\", which is not understood");
    }
    for (const std::string& key : unread_keys()) {
      if (changes_the_count(key)) refuse_unknown("\"" + key + "\", which is not understood");
    }
    for (std::string_view key :
         {"recurrent", "linear_key_head_dim", "linear_conv_kernel_dim", "use_cla",
          "compress_ratios", "index_topk_blocks", "sparse_attention_freq", "o_lora_rank",
          "image_size", "type_vocab_size", "relative_attention_num_buckets",
          "num_decoder_layers"}) {
      if (facts_.has(key))
        refuse_unknown("\"" + facts_.names.of(key) + "\", which is not understood");
    }
  }

  // By its names alone, "neobert" and "EttinEncoder".
  bool is_encoder() const {
    const std::string name = first_architecture();
    return has_any(name, {"ForMaskedLM", "Bert", "BERT", "Encoder"}) ||
           has_any(found_.model_type, {"bert", "Bert", "BERT"});
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

  // RMSNorm, and the gate by the activation.
  void guess() {
    const bool gated = !has_word("relu relu2 gelu_new", facts_.text("hidden_act"));
    facts_.set("norm", "rmsnorm");
    facts_.set("gated", gated);
    std::string line = "model_type \"" + found_.model_type +
                       "\" is not known; read as a decoder, taken for granted: RMSNorm before "
                       "attention and MLP, " +
                       (gated ? "a gated MLP" : "an MLP without gate") + ", rotary positions";
    if (!facts_.has("num_key_value_heads")) line += ", as many key heads as heads";
    for (const AssumedValue& a : assumed_) line += ", " + a.key + " " + brief(*a.value);
    const std::vector<std::string> unread = unread_keys();
    if (!unread.empty()) line += "; not understood, and taken to change no size: ";
    for (const std::string& key : unread) line += (&key == unread.data() ? "" : ", ") + key;
    notes_.push_back(std::move(line));
  }

  // The name of its epsilon tells the norm; beside LayerNorm there are MLPs with a gate and
  // without, with biases and without.
  void check_unknown_norm() const {
    if (document().contains("rms_norm_eps")) return;
    for (const char* key : {"layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon"}) {
      if (document().contains(key)) {
        refuse_unknown("the kind of its MLP and biases beside \"" + std::string(key) + "\"");
      }
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
    const bool gelu = act.substr(0, 4) == "gelu" || has_word("quick_gelu xielu gegelu geglu", act);
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

  // Embedders are decoders in which every token sees all; "vision" lets images alone do so.
  void translate_direction() {
    const bool named = has_any(first_architecture(), {"Bidirectional"});
    const std::string which = facts_.text("bidirectional");
    if (!which.empty()) facts_.set("bidirectional", which == "all");
    if (named || !facts_.flag("is_causal", true)) facts_.set("bidirectional", true);
    if (facts_.flag("is_decoder") && facts_.text("mixers") == "encoder")
      facts_.refuse("is_decoder", "true", "false; " + found_.model_type + " is an encoder");
  }

  // Decoders without a head over the vocabulary: embeddings ("MistralModel"), classifiers and
  // models of rewards are trained so.
  void translate_output() {
    const std::string name = first_architecture();
    const bool classifies =
        has_any(name, {"Classification", "Reward", "ForQuestionAnswering", "ForMultipleChoice"});
    const std::string_view config = family_->config_class;  // "LlamaConfig"
    const bool bare = (config.ends_with("Config") &&
                       name == std::string(config.substr(0, config.size() - 6)) + "Model") ||
                      name.ends_with("BidirectionalModel");
    if (facts_.text("mixers") == "encoder_decoder" && name.ends_with("EncoderModel")) {
      facts_.refuse("architectures", "\"" + name + "\"",
                    "an encoder with its decoder; one alone is not modelled");
    }
    const bool decodes = !is_part_ && !facts_.has("output") && !facts_.has("mixers");
    if (!decodes || !(classifies || bare)) return;
    facts_.set("output", "none");
    notes_.push_back("architectures says " + name + ": no head over the vocabulary is counted" +
                     (classifies ? ", nor its own of a few labels" : ""));
  }

  std::string first_architecture() const {
    const auto at = document().find("architectures");
    const bool named = at != document().end() && at->is_array() && !at->empty();
    return named && at->front().is_string() ? at->front().get<std::string>() : "";
  }

  static bool has_any(std::string_view name, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
      return name.find(part) != std::string_view::npos;
    });
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

  // Newer files have it in an object.
  double rope_theta() const {
    const auto part = document().find("rope_parameters");
    const Json& inner = part != document().end() && part->is_object() ? *part : document();
    for (const Json* of : {&document(), &inner}) {
      for (const char* key : {"rope_theta", "rotary_emb_base"}) {
        const auto at = of->find(key);
        if (at != of->end() && at->is_number() && *at >= 1) return at->get<double>();
      }
    }
    return 0;
  }

  std::string quantization() const {
    const auto at = document().find("quantization_config");
    if (at == document().end() || !at->is_object()) return "";
    return at->contains("quant_method") && (*at)["quant_method"].is_string()
               ? (*at)["quant_method"].get<std::string>()
               : "unnamed";
  }

  static constexpr const char* kTower = "vision_config";

  void note_parts() {
    if (!family_->leaves_out.empty()) {
      notes_.push_back(found_.model_type + ": not modelled: " + std::string(family_->leaves_out));
    }
    if (has_tower_) {
      notes_.push_back("vision_config is an encoder of images, which training.images counts");
    }
    std::vector<std::string> others = found_.others;
    const auto tower = std::find(others.begin(), others.end(), kTower);
    if (has_tower_ && tower != others.end()) others.erase(tower);
    if (!has_tower_ && tower == others.end() && outer_.contains(kTower)) others.push_back(kTower);
    for (const std::string& other : others) {
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
    model.rope_theta = rope_theta();
    model.dtype = text_of("dtype").empty() ? text_of("torch_dtype") : text_of("dtype");
    model.quantization = quantization();
    model.ignored_keys = unread_keys();
    model.notes = std::move(notes_);
    return model;
  }

  const Json& outer_;
  HfDocument found_;
  bool is_part_ = false;  // of a larger file
  HfFacts facts_;
  const HfFamily* family_ = nullptr;
  bool known_ = false;
  bool has_tower_ = false;
  std::set<std::string, std::less<>> seen_;
  std::vector<AssumedValue> assumed_;
  std::vector<std::string> notes_;
};

}  // namespace

ModelDescription read_hugging_face(const Json& document, const KeyNames& names) {
  return Translation(document, hf_language_model(document, names.path), names).run();
}

}  // namespace orrery
