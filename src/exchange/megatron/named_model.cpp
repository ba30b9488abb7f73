// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "core/divide.h"
#include "core/units.h"
#include "estimate/given_document.h"
#include "estimate/resolve.h"
#include "exchange/arguments.h"
#include "exchange/megatron/megatron.h"
#include "exchange/text_lines.h"
#include "model/architecture_json.h"

namespace orrery::megatron {
namespace {

using A = Architecture;

bool is_latent(const A& a) { return a.attention == AttentionKind::kLatent; }
bool is_grouped(const A& a) { return !is_latent(a); }
bool is_any(const A&) { return true; }
bool has_table(const A& a) { return a.positions == PositionEmbedding::kLearned; }

struct Dimension {
  std::string_view name;
  std::int64_t (*of)(const A&);
  bool (*counts)(const A&) = is_any;  // a model of another kind leaves the setting unused
};
constexpr std::array kDimensions = {
    Dimension{"num_layers", [](const A& a) { return a.layers; }},
    Dimension{"hidden_size", [](const A& a) { return a.hidden; }},
    Dimension{"num_attention_heads", [](const A& a) { return a.heads; }},
    Dimension{"num_query_groups", [](const A& a) { return a.kv_heads; }, is_grouped},
    Dimension{"num_key_value_heads", [](const A& a) { return a.kv_heads; }, is_grouped},
    Dimension{"kv_channels", [](const A& a) { return a.head_dim; }, is_grouped},
    Dimension{"vocab_size", [](const A& a) { return a.vocab; }},
    Dimension{"max_position_embeddings", [](const A& a) { return a.max_positions; }, has_table},
    Dimension{"num_experts", [](const A& a) { return a.moe.experts; }},
    Dimension{"moe_router_topk", [](const A& a) { return a.moe.top_k; }, is_moe},
    Dimension{"moe_ffn_hidden_size", [](const A& a) { return a.moe.expert_intermediate; }, is_moe},
    Dimension{"moe_shared_expert_intermediate_size",
              [](const A& a) { return a.moe.shared_intermediate; }, is_moe},
    Dimension{"moe_router_num_groups", [](const A& a) { return a.moe.groups; }, is_moe},
    Dimension{"moe_router_group_topk", [](const A& a) { return a.moe.top_groups; }, is_moe},
    Dimension{"moe_latent_size", [](const A& a) { return a.moe.latent; }, is_moe},
    Dimension{"mtp_num_layers", [](const A& a) { return a.mtp_layers; }},
    Dimension{"q_lora_rank", [](const A& a) { return a.mla.q_lora_rank; }, is_latent},
    Dimension{"kv_lora_rank", [](const A& a) { return a.mla.kv_lora_rank; }, is_latent},
    Dimension{"qk_head_dim", [](const A& a) { return a.mla.qk_nope_head_dim; }, is_latent},
    Dimension{"qk_pos_emb_head_dim", [](const A& a) { return a.mla.qk_rope_head_dim; }, is_latent},
    Dimension{"v_head_dim", [](const A& a) { return a.mla.v_head_dim; }, is_latent},
};

bool is_gated(const A& a, Activation kind) { return a.gated && a.activation == kind; }

// A switch, and whether a model agrees with its value.
struct Switch {
  std::string_view name;
  bool (*agrees)(const A&, bool on);
};
constexpr std::array kSwitches = {
    Switch{
        "qk_layernorm",
        [](const A& a, bool on) { return is_latent(a) || on == (a.qk_norm || a.qk_norm_whole); }},
    Switch{"multi_latent_attention", [](const A& a, bool on) { return on == is_latent(a); }},
    Switch{"untie_embeddings_and_output_weights",
           [](const A& a, bool on) { return on == !a.tie_word_embeddings; }},
    Switch{"group_query_attention",
           [](const A& a, bool on) { return on || is_latent(a) || a.kv_heads == a.heads; }},
    Switch{"disable_bias_linear",
           [](const A& a, bool on) { return on == !(a.attention_out_bias || a.mlp_bias); }},
    Switch{"add_bias_linear",
           [](const A& a, bool on) { return on == (a.attention_out_bias || a.mlp_bias); }},
    Switch{"add_qkv_bias",
           [](const A& a, bool on) { return on == a.qkv_bias || a.attention_out_bias; }},
    Switch{"moe_router_enable_expert_bias",
           [](const A& a, bool on) { return !is_moe(a) || on == a.moe.router_correction_bias; }},
    Switch{"swiglu", [](const A& a, bool on) { return on == is_gated(a, Activation::kSilu); }},
    Switch{"geglu", [](const A& a, bool on) { return !on || is_gated(a, Activation::kGelu); }},
    Switch{"quick_geglu",
           [](const A& a, bool on) { return !on || is_gated(a, Activation::kGelu); }},
    Switch{"squared_relu",
           [](const A& a, bool on) { return !on || a.activation == Activation::kRelu2; }},
    Switch{"relu", [](const A& a, bool on) { return !on || a.activation == Activation::kRelu; }},
    Switch{"embed_layernorm", [](const A& a, bool on) { return on == a.embedding_norm; }},
    Switch{"attention_output_gate",
           [](const A& a, bool on) { return on == (a.attention_gate_dim > 0); }},
};

std::string in_small_letters(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

class Comparison {
 public:
  Comparison(const std::string& name, const A& model, ImportDraft& d)
      : name_(name), a_(model), d_(d) {}

  void all() {
    for (const Dimension& n : kDimensions) dimension(n);
    for (const Switch& s : kSwitches) {
      const auto on = d_.settings.flag(s.name);
      if (on && !s.agrees(a_, *on)) differs(s.name, "has it otherwise");
    }
    width();
    norm();
    positions();
    dropout();
    window();
    experts();
    padding();
  }

 private:
  void differs(std::string_view setting, const std::string& why) {
    d_.open("model", d_.settings.written(setting),
            name_ + " " + why + "; give the file of the model too, or --model");
  }

  void dimension(const Dimension& n) {
    const auto own = d_.settings.count(n.name);
    if (!own || !n.counts(a_) || *own == n.of(a_)) return;
    differs(n.name, "has " + std::to_string(n.of(a_)));
  }

  // Experts are as wide as the dense MLP, unless their own width is said.
  void width() {
    const auto own = d_.settings.count("ffn_hidden_size");
    if (!own) return;
    const bool dense = a_.intermediate > 0;
    if (!dense && d_.settings.has("moe_ffn_hidden_size")) return;
    const std::int64_t ours = dense ? a_.intermediate : a_.moe.expert_intermediate;
    if (*own != ours) differs("ffn_hidden_size", "has " + std::to_string(ours));
  }

  void norm() {
    const auto word = d_.settings.word("normalization");
    if (!word) return;
    const bool rms = in_small_letters(*word) == "rmsnorm";
    if (rms != (a_.norm == Norm::kRmsNorm)) differs("normalization", "has another norm");
  }

  void positions() {
    const auto word = d_.settings.word("position_embedding_type");
    if (!word) return;
    const std::string last = word->substr(word->rfind('.') + 1);
    const bool turns = last == "rope" || last == "rotary" || last == "yarn" || last == "mrope";
    const bool same = turns                       ? a_.positions == PositionEmbedding::kRope
                      : contains(last, "absolut") ? has_table(a_)
                      : last == "alibi"           ? a_.positions == PositionEmbedding::kAlibi
                                                  : a_.positions == PositionEmbedding::kNone;
    if (!same) differs("position_embedding_type", "has other positions");
  }

  void dropout() {
    const auto attention = d_.settings.number("attention_dropout", 0, 1);
    const auto hidden = d_.settings.number("hidden_dropout", 0, 1);
    const bool any = attention.value_or(0) > 0 || hidden.value_or(0) > 0;
    const bool none = attention == 0.0 && hidden == 0.0;
    const char* stated =
        attention.value_or(0) > 0 || !hidden ? "attention_dropout" : "hidden_dropout";
    if ((any && !a_.dropout) || (none && a_.dropout)) differs(stated, "has it otherwise");
  }

  // "4096,0" is 4096 tokens before each; a model counts the token itself, or does not.
  void window() {
    const auto words = d_.settings.words("window_size");
    if (words && !words->empty()) {
      const std::string& first = words->front();
      const std::size_t begin = std::min(first.find_first_of("-0123456789"), first.size());
      const std::string text = first.substr(begin, first.find_first_of(",)", begin) - begin);
      const auto before = parse_number(text);
      const auto ours = static_cast<double>(a_.sliding_window);
      const bool none = before && *before < 0;
      const bool same =
          none ? ours == 0 : before && ours > 0 && (*before == ours || *before + 1 == ours);
      if (!same) differs("window_size", "sees other tokens");
    }
    const auto every = d_.settings.word("window_attn_skip_freq");
    if (every && *every != std::to_string(a_.sliding_window_pattern) && a_.sliding_window > 0)
      differs("window_attn_skip_freq", "sees other tokens");
  }

  void experts() {
    const auto factor = d_.settings.number("moe_expert_capacity_factor", -1, 1e6);
    if (factor && is_moe(a_) && std::max(0.0, *factor) != a_.moe.capacity_factor)
      differs("moe_expert_capacity_factor", "has it otherwise");
    if (!is_moe(a_) || !d_.settings.has("moe_layer_freq")) return;
    const std::vector<bool> layers = layers_with_experts(d_);
    bool same = layers.empty() ? a_.moe.first_k_dense == 0 &&
                                     d_.settings.count("moe_layer_freq") == a_.moe.layer_freq
                               : static_cast<std::int64_t>(layers.size()) == a_.layers;
    for (std::size_t i = 0; same && i < layers.size(); ++i)
      same = layers[i] == is_moe_layer(a_, static_cast<std::int64_t>(i));
    if (!same) differs("moe_layer_freq", "has experts in other layers");
  }

  // A profile pads by itself.
  void padding() {
    const std::int64_t tp =
        d_.settings.count("tensor_model_parallel_size", 1, kMostDegree).value_or(1);
    const std::int64_t most = rounded_up(a_.vocab, 128 * tp);
    const auto padded = d_.settings.count("padded_vocab_size", 1);
    if (padded && (*padded < a_.vocab || *padded > most))
      differs("padded_vocab_size", "has " + std::to_string(a_.vocab));
    const auto multiple = d_.settings.count("make_vocab_size_divisible_by", 1, kMostDegree);
    if (multiple && rounded_up(a_.vocab, *multiple * tp) != most)
      d_.ignored(d_.settings.written("make_vocab_size_divisible_by"),
                 "the profile pads to 128 x tp");
  }

  const std::string& name_;
  const A& a_;
  ImportDraft& d_;
};

}  // namespace

void compare_with_named(const std::string& name, const ImportJob& job, ImportDraft& d) {
  if (name.empty() || job.lookup == nullptr || !value_at(d.given, "model").is_null()) return;
  const Json model = name;
  const GivenDocument document = find_document(Reader(model, "the files", "model"), "model",
                                               job.lookup->model, job.lookup->model_names);
  const A own = read_model(document.json, document.file, document.path, document.name).architecture;
  Comparison(name, own, d).all();
}

}  // namespace orrery::megatron
