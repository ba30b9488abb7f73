// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "core/divide.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/run.h"
#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"

namespace orrery::megatron {
namespace {

constexpr std::int64_t kMostLayers = 100'000;

struct Positions {
  std::string_view theirs;
  const char* ours;
};
constexpr std::array kPositions = {Positions{"learned_absolute", "learned"},
                                   Positions{"absolute", "learned"},
                                   Positions{"rope", "rope"},
                                   Positions{"rotary", "rope"},
                                   Positions{"yarn", "rope"},
                                   Positions{"mrope", "rope"},
                                   Positions{"none", "none"},
                                   Positions{"alibi", "alibi"}};

// A log has "PositionEmbeddingType.alibi".
void positions(ImportDraft& d) {
  const bool rotary = d.is_on("use_rotary_position_embeddings");
  const auto word = d.settings.text("position_embedding_type");
  if (!word) {
    if (rotary) return d.set("model.position_embedding", "rope");
    return d.assume("model.position_embedding", "learned", "without --position-embedding-type");
  }
  const std::string last = word->substr(word->rfind('.') + 1);
  for (const Positions& p : kPositions) {
    if (p.theirs == last) return d.set("model.position_embedding", p.ours);
  }
  d.open("model.position_embedding", d.settings.written("position_embedding_type"),
         "no position embedding of ours");
}

// LayerNorm and RMSNorm; forks have other cases, and endings ("layernorm1p").
void norm(ImportDraft& d) {
  std::string word = d.settings.text("normalization").value_or("");
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.empty()) return d.assume("model.norm", "layernorm", "without --normalization");
  const bool layer = word.rfind("layernorm", 0) == 0;
  if (!layer && word != "rmsnorm") d.settings.refuse("normalization", "LayerNorm or RMSNorm");
  d.set("model.norm", layer ? "layernorm" : "rmsnorm");
}

void norm_and_positions(ImportDraft& d) {
  norm(d);
  positions(d);
}

// --qk-layernorm beside latent attention is what puts the norms on the latent vectors, which we
// always count.
void latent_norms(ImportDraft& d) {
  if (d.at("model.qk_norm") != true) {
    d.note("model.kv_lora_rank", "with a norm", "Megatron has it only with --qk-layernorm");
  }
  erase_at(d.out.run, "model.qk_norm");
}

// Latent attention has a key and a value of its own for each head.
void latent_heads(ImportDraft& d) {
  for (const char* name :
       {"group_query_attention", "num_query_groups", "num_key_value_heads", "attention_head_type"})
    d.settings.take(name);
  const Json& all = d.at("model.num_attention_heads");
  if (!all.is_null()) d.set("model.num_key_value_heads", Json(all));
}

void key_heads(ImportDraft& d) {
  if (d.is_on("multi_latent_attention")) return latent_heads(d);
  const bool grouped = d.is_on("group_query_attention");
  const auto groups = d.settings.count("num_query_groups", 1);
  const Json& all = d.at("model.num_attention_heads");
  // Megatron-DeepSpeed's name, which needs no flag beside it.
  const auto kv_heads = d.settings.count("num_key_value_heads", 1);
  // BigCode's fork names one head for all keys and values.
  const bool one = d.settings.word("attention_head_type") == "multiquery";
  if (one) {
    d.set("model.num_key_value_heads", 1);
  } else if (kv_heads && !grouped) {
    d.set("model.num_key_value_heads", *kv_heads);
  } else if (grouped && groups) {
    d.set("model.num_key_value_heads", *groups);
  } else if (grouped) {
    d.assume("model.num_key_value_heads", 1, "without --num-query-groups [from memory]");
  } else if (!all.is_null()) {
    d.assume("model.num_key_value_heads", all, "without --group-query-attention");
  }
}

void heads(ImportDraft& d) {
  key_heads(d);
  const std::int64_t width = d.count_at("model.hidden_size", 0);
  const std::int64_t heads = d.count_at("model.num_attention_heads", 0);
  if (d.is_on("attention_output_gate") && width > 0 && heads > 0) {
    d.set("model.attention_gate_dim", d.count_at("model.head_dim", width / heads));
  }
  const bool sinks = d.is_on("attn_sink");
  const bool learnable = d.settings.text("softmax_type") == "learnable";
  if (sinks || learnable) d.set("model.attention_sinks", true);
  if (!d.is_on("multi_latent_attention")) return d.set_aside(kLatentRows, "multi_latent_attention");
  read_rows_of(kLatentRows, d.settings, d.out.run);
  if (d.at("model.q_lora_rank") == 0) erase_at(d.out.run, "model.q_lora_rank");
  latent_norms(d);
  // Defaults of arguments.py, which go over MLATransformerConfig's: queries are not compressed.
  d.assume("model.kv_lora_rank", 32, "MLA's default");
  d.assume("model.qk_nope_head_dim", 128, "MLA's default");
  d.assume("model.qk_rope_head_dim", 64, "MLA's default");
  d.assume("model.v_head_dim", 128, "MLA's default");
  erase_at(d.out.run, "model.head_dim");
  d.set("model.head_dim",
        d.count_at("model.qk_nope_head_dim", 0) + d.count_at("model.qk_rope_head_dim", 0));
}

// DeepSpeed's experts are padded to their capacity, of one share each unless told otherwise.
void deepspeed_capacity(ImportDraft& d) {
  constexpr double kMostFactor = 1e6;
  const auto factor = d.settings.number("moe_train_capacity_factor", 0, kMostFactor);
  const bool drops = !d.is_on("disable_moe_token_dropping");
  if (!factor || *factor == 1 || !drops) return;
  d.set("model.moe_expert_capacity_factor", *factor);
  d.set("model.moe_pad_expert_input_to_capacity", true);
}

// Megatron pads experts to their capacity only where it is told to.
void capacity(ImportDraft& d) {
  constexpr const char* kPads = "moe_pad_expert_input_to_capacity";
  if (d.is_on("deepspeed")) return deepspeed_capacity(d);
  if (d.at("model.moe_expert_capacity_factor").is_null()) return;
  if (const auto pads = d.settings.flag(kPads)) return d.set(std::string("model.") + kPads, *pads);
  d.assume(std::string("model.") + kPads, false, "without --moe-pad-expert-input-to-capacity");
}

// One layer that predicts several tokens ahead, again and again, has its weights once.
void repeated_prediction(ImportDraft& d) {
  if (d.is_on("mtp_use_repeated_layer") && d.count_at("model.num_nextn_predict_layers", 0) > 1)
    d.refuse(d.settings.written("mtp_use_repeated_layer"),
             "each layer has weights of its own here");
}

void experts(ImportDraft& d) {
  if (!d.settings.has("num_experts")) {
    d.settings.take("moe_layer_freq");
    d.settings.take("mlp_type");
    return d.set_aside(kExpertRows, "num_experts");
  }
  read_rows_of(kExpertRows, d.settings, d.out.run);
  capacity(d);
  const bool deepspeed = d.is_on("deepspeed");
  d.assume("model.num_experts_per_tok", deepspeed ? 1 : 2,
           deepspeed ? "without --topk [from memory]" : "without --moe-router-topk");
  d.assume("model.moe_intermediate_size", d.at("model.intermediate_size"),
           "without --moe-ffn-hidden-size");
  read_expert_layers(d);
  const auto kind = d.settings.text("mlp_type");
  if (kind && *kind != "standard") {
    d.refuse("--mlp-type " + *kind, "an MLP beside the experts of a layer, which no key says");
  }
  // With experts in every layer there is no dense MLP that would have a width.
  const bool every = d.count_at("model.first_k_dense_replace", 0) == 0 &&
                     d.count_at("model.moe_layer_freq", 1) == 1 &&
                     d.at("model.layer_pattern").is_null();
  if (every) erase_at(d.out.run, "model.intermediate_size");
}

void biases(ImportDraft& d) {
  const bool added = d.settings.flag("add_bias_linear").value_or(true);
  const bool disabled = d.is_on("disable_bias_linear");
  const bool none = disabled || !added;
  const bool qkv = d.is_on("add_qkv_bias");
  const bool stated = d.settings.has("disable_bias_linear") || d.settings.has("add_bias_linear");
  if (!stated && !d.other_defaults.empty()) {
    for (const char* key :
         {"model.attention_bias", "model.attention_output_bias", "model.mlp_bias"})
      d.open(key, key, d.other_defaults);
    return;
  }
  d.set("model.attention_bias", !none || qkv);
  d.set("model.attention_output_bias", !none);
  d.set("model.mlp_bias", !none);
  if (!none) d.note("model.bias", "true", "without --disable-bias-linear");
}

// GPT-2's vocabulary is known; of other tokenizers only a model says how large theirs is.
void vocabulary(ImportDraft& d) {
  const auto padded = d.settings.count("padded_vocab_size", 1);
  if (padded) d.assume("model.vocab_size", *padded, "padded: --vocab-size is not given");
  const auto tokenizer = d.settings.text("tokenizer_type").value_or("GPT2BPETokenizer");
  if (tokenizer == "GPT2BPETokenizer" && d.settings.has("merge_file"))
    d.assume("model.vocab_size", 50257, "GPT-2's vocabulary");
  const auto multiple = d.settings.count("make_vocab_size_divisible_by", 1, kMostDegree);
  const std::int64_t n = d.count_at("model.vocab_size", 0);
  if ((!multiple && !padded) || n == 0 || n > kMostDegree || padded == n) return;
  const std::int64_t tp =
      d.settings.count("tensor_model_parallel_size", 1, kMostDegree).value_or(1);
  const std::int64_t theirs = padded ? *padded : rounded_up(n, *multiple * tp);
  if (theirs == rounded_up(n, 128 * tp)) return;
  const char* name = padded ? "padded_vocab_size" : "make_vocab_size_divisible_by";
  if (theirs < n || theirs % (128 * tp) != 0)
    return d.ignored(d.settings.written(name), "the profile pads to 128 x tp");
  d.note("model.vocab_size", std::to_string(theirs), "padded by " + d.settings.written(name));
  d.set("model.vocab_size", theirs);
}

// The n of a list in which each n-th layer is whole, or in which windows and whole layers
// alternate; 1: all have windows; 0: another list.
std::int64_t period_of(const std::vector<bool>& windows) {
  const auto whole = std::find(windows.begin(), windows.end(), false) - windows.begin();
  const auto n = static_cast<std::int64_t>(windows.size());
  if (whole == n) return 1;
  const auto is = [&](std::int64_t every, bool shifted) {
    for (std::int64_t i = 0; i < n; ++i) {
      const bool window = (i + 1) % every != 0;
      if (windows[static_cast<std::size_t>(i)] != (shifted ? !window : window)) return false;
    }
    return true;
  };
  constexpr std::int64_t kAlternate = 2;
  if (is(kAlternate, true)) return kAlternate;
  return whole > 0 && is(whole + 1, false) ? whole + 1 : 0;
}

// Every n-th layer has no window: a number, or a list of Python for all layers.
void window_pattern(ImportDraft& d) {
  const char* name = "window_attn_skip_freq";
  const std::optional<std::string> text = layer_list(d, name);
  if (!text) return;
  if (const auto number = parse_number(*text); number) {
    if (const auto every = d.settings.count(name, 1, kMostLayers))
      d.set("model.sliding_window_pattern", *every);
    return;
  }
  const std::int64_t every = period_of(listed_layers(d, name, *text));
  if (every == 0)
    return d.open("model.sliding_window_pattern", d.settings.written(name),
                  "a list of layers with windows; every n-th layer without one is known");
  if (every > 1) d.set("model.sliding_window_pattern", every);
}

// "127,0" is 127 tokens before each and the token itself; every second layer has it with 2.
void window(ImportDraft& d) {
  const auto words = d.settings.words("window_size");
  if (!words || words->empty()) return d.settings.take("window_attn_skip_freq");
  std::string text = words->front();
  text = text.substr(text.find_first_not_of("(["),
                     text.find(',') - std::min(text.find_first_not_of("(["), text.find(',')));
  const auto before = parse_number(text);
  if (!before || *before < 0 || *before > 1e9) {
    return d.open("model.sliding_window", d.settings.written("window_size"), "no number of tokens");
  }
  d.set("model.sliding_window", static_cast<std::int64_t>(*before) + 1);
  window_pattern(d);
}

void dropout(ImportDraft& d) {
  const auto attention = d.settings.number("attention_dropout", 0, 1);
  const auto hidden = d.settings.number("hidden_dropout", 0, 1);
  if (!attention && !hidden && !d.other_defaults.empty())
    return d.open("model.dropout", "model.dropout", d.other_defaults);
  // Both are 0.1 where they are not given.
  const bool any = attention.value_or(0.1) > 0 || hidden.value_or(0.1) > 0;
  d.set("model.dropout", any);
  if (!attention || !hidden) d.note("model.dropout", any ? "true" : "false", "Megatron's 0.1");
}

}  // namespace

// A model of ours by name stands for all of them.
void set_aside_model(ImportDraft& d) {
  for (const char* name : {"swiglu",
                           "geglu",
                           "quick_geglu",
                           "squared_relu",
                           "relu",
                           "normalization",
                           "position_embedding_type",
                           "use_rotary_position_embeddings",
                           "group_query_attention",
                           "num_query_groups",
                           "multi_latent_attention",
                           "moe_layer_freq",
                           "disable_bias_linear",
                           "add_bias_linear",
                           "add_qkv_bias",
                           "padded_vocab_size",
                           "tokenizer_type",
                           "make_vocab_size_divisible_by",
                           "attention_dropout",
                           "hidden_dropout",
                           "window_size",
                           "window_attn_skip_freq",
                           "spec",
                           "is_hybrid_model",
                           "hybrid_override_pattern",
                           "hybrid_layer_pattern",
                           "hybrid_attention_ratio",
                           "hybrid_mlp_ratio",
                           "mamba_num_heads",
                           "mamba_head_dim",
                           "mamba_num_groups",
                           "mamba_state_dim",
                           "embed_layernorm",
                           "glu_activation",
                           "reglu",
                           "attention_head_type",
                           "attention_output_gate",
                           "encoder_num_layers",
                           "decoder_num_layers"}) {
    if (d.settings.has(name))
      d.out.without_effect.push_back(std::string(name) + " (the model by name)");
    d.settings.take(name);
  }
}

void read_model_of(ImportDraft& d) {
  if (d.at("model").is_string() || value_at(d.given, "model").is_string() || d.is_open("model")) {
    for (const auto& rows :
         {std::span<const NameRow>(kModelRows), std::span<const NameRow>(kExpertRows),
          std::span<const NameRow>(kLatentRows)}) {
      d.set_aside(rows, "the model by name");
    }
    return set_aside_model(d);
  }
  read_rows_of(kModelRows, d.settings, d.out.run);
  const auto encoder = d.settings.count("encoder_num_layers", 1, kMostLayers);
  if (encoder && !d.settings.has("num_layers")) d.set("model.num_hidden_layers", *encoder);
  if (d.out.run.empty()) return;
  read_hybrid(d);
  read_activation_of(d);
  window(d);
  norm_and_positions(d);
  heads(d);
  experts(d);
  repeated_prediction(d);
  biases(d);
  vocabulary(d);
  dropout(d);
  d.assume("model.tie_word_embeddings", true, "without --untie-embeddings-and-output-weights");
}

}  // namespace orrery::megatron
