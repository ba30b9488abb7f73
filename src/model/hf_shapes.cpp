// SPDX-License-Identifier: Apache-2.0
//
// Widths, norms, positions, attention and experts: from the many ways of files to say them to ours.
#include <algorithm>
#include <string>

#include "core/divide.h"
#include "model/hf_facts.h"
#include "model/hf_words.h"

namespace orrery {
namespace {

class Shapes {
 public:
  explicit Shapes(HfFacts& facts) : facts_(facts) {}

  void run() {
    translate_shape();
    translate_norms();
    translate_positions();
    translate_attention();
    translate_experts();
  }

 private:
  void translate_shape() {
    facts_.needed("hidden_size");
    if (facts_.flag("dense_beside_experts")) translate_longcat();
    if (facts_.has("expansion_ratio") && !facts_.has("intermediate_size")) {
      const double ratio = facts_.find("expansion_ratio")->number(0, 1e6);
      const auto hidden = static_cast<double>(facts_.needed("hidden_size"));
      facts_.set("intermediate_size", static_cast<std::int64_t>(ratio * hidden));
    }
    if (facts_.flag("halved")) {
      facts_.set("intermediate_size", facts_.needed("intermediate_size") / 2);
    }
    if (facts_.flag("two_thirds_wide")) narrow_width();
    if (facts_.has("image_size")) translate_image();
    if (facts_.flag("wide_heads") && !facts_.has("head_dim")) {
      facts_.set("head_dim",
                 2 * facts_.needed("hidden_size") / facts_.needed("num_attention_heads"));
    }
    const std::int64_t projected = facts_.whole("word_embed_proj_dim");
    if (projected > 0 && projected != facts_.needed("hidden_size")) {
      if (facts_.flag("projects_tables")) return facts_.set("embedding_size", projected);
      facts_.refuse("word_embed_proj_dim", std::to_string(projected),
                    "hidden_size; narrower embeddings are not modelled");
    }
  }

  // LongCat-Flash: two of our layers for one of its own. Routing is even, so that of the experts a
  // token chooses as large a share computes as of all.
  void translate_longcat() {
    expect("attention_method", "MLA");
    expect("idle_expert_type", "identity");
    for (const auto& [ours, theirs] :
         {std::pair{"layer_pairs", "num_layers"}, std::pair{"idle_experts", "zero_expert_num"}}) {
      if (!facts_.has(ours)) facts_.refuse(theirs, "nothing", "this key is required");
    }
    facts_.set("num_hidden_layers", 2 * facts_.needed("layer_pairs"));
    facts_.set("moe_shared_expert_intermediate_size", facts_.needed("intermediate_size"));
    facts_.set("n_shared_experts", 1);
    const std::int64_t computing = facts_.needed("num_local_experts");
    const std::int64_t all = computing + facts_.whole("idle_experts");
    const std::int64_t chosen = facts_.needed("num_experts_per_tok") * computing;
    if (chosen % all != 0) {
      facts_.refuse("idle_experts", std::to_string(facts_.whole("idle_experts")),
                    "experts of which a token's share is a whole number");
    }
    facts_.set("num_experts_per_tok", chosen / all);
  }

  void expect(std::string_view key, const std::string& value) const {
    const std::string found = facts_.text(key);
    if (!found.empty() && found != value)
      facts_.refuse(key, "\"" + found + "\"", "\"" + value + "\"");
  }

  // LFM2 writes the width of an ungated MLP; its gated one has two thirds, rounded up.
  void narrow_width() {
    const auto factor = facts_.find("width_factor");
    const auto multiple = facts_.find("width_multiple");
    const auto wide = static_cast<double>(facts_.needed("intermediate_size") * 2 / 3);
    const auto width = static_cast<std::int64_t>(wide * (factor ? factor->number(0, 1e3) : 1));
    const std::int64_t step = multiple ? multiple->integer(1, HfFacts::kMany) : 1;
    facts_.set("intermediate_size", rounded_up(width, step));
  }

  // The projection of a patch counts as a table of as many rows as a patch has numbers, with its
  // bias and the class token.
  void translate_image() {
    constexpr std::int64_t kMost = 100'000;  // pixels of a side, channels
    facts_.needed("patch_size");
    facts_.needed("image_size");
    const std::int64_t side = facts_.find("patch_size")->integer(1, kMost);
    const std::int64_t across = facts_.find("image_size")->integer(side, kMost) / side;
    const std::int64_t channels = std::min(kMost, facts_.whole("num_channels", 3));
    const std::int64_t numbers = channels * side * side;
    const std::int64_t token = facts_.flag("class_token") ? 1 : 0;
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
    if (!facts_.flag("norm_weights", true)) facts_.set("norm", "layernorm_bare");
    if (facts_.has("parallel_attn")) translate_falcon();
    if (!facts_.flag("do_layer_norm_before", true)) facts_.set("norm_placement", "post");
    const bool no_final =
        !facts_.flag("do_layer_norm_before", true) || facts_.flag("remove_final_layer_norm");
    if (no_final) facts_.set("no_final_norm", true);
  }

  void translate_falcon() {
    // The first files of Falcon 40B say it by this key alone.
    const bool first =
        facts_.has("num_key_value_heads") && facts_.names.of("num_key_value_heads") == "n_head_kv";
    const bool is_new = facts_.flag("new_decoder_architecture", first);
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
    if (facts_.text("mixers") == "encoder") check_encoder(type);
    if (facts_.has("alibi"))
      facts_.set("position_embedding", facts_.flag("alibi") ? "alibi" : "rope");
    if (type == "nope") facts_.set("position_embedding", "none");
    if (type == "alibi" || type == "rope") facts_.set("position_embedding", type);
    const std::string positions = facts_.text("position_embedding");
    if (facts_.has("extra_positions") && facts_.has("max_position_embeddings")) {
      facts_.set("max_position_embeddings",
                 facts_.whole("position_tables", 1) *
                     (facts_.needed("max_position_embeddings") + facts_.whole("extra_positions")));
    }
    if (positions != "relative") facts_.drop("relative_attention_num_buckets");
    if (facts_.flag("table_a_layer")) {
      facts_.set("relative_attention_num_buckets", facts_.needed("relative_attention_num_buckets") *
                                                       facts_.needed("num_hidden_layers"));
    }
    if (facts_.whole("type_vocab_size") == 0) facts_.drop("type_vocab_size");
  }

  // Forks of BERT say what they changed.
  void check_encoder(const std::string& positions) const {
    const bool learned = facts_.text("position_embedding") == "learned";
    if (learned && !positions.empty() && positions != "absolute")
      facts_.refuse("position_embedding_type", "\"" + positions + "\"", "\"absolute\"");
    const std::string mlp = facts_.text("feed_forward_type");
    if (!mlp.empty() && mlp != "original")
      facts_.refuse("feed_forward_type", "\"" + mlp + "\"", "\"original\"");
  }

  // MPT's MLP is two products, or three with a gate.
  void translate_gate() {
    const std::string mlp = facts_.text("mlp_of");
    if (mlp == "mptglu") facts_.set("gated", true);
    if (!mlp.empty() && mlp != "mptmlp" && mlp != "mptglu")
      facts_.refuse("mlp_of", "\"" + mlp + "\"", "\"mptmlp\" or \"mptglu\"");
  }

  void translate_attention() {
    translate_gate();
    if (has_word("multiquery multiquery_attention", facts_.text("attention_heads_of")))
      facts_.set("num_key_value_heads", 1);
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
    if (facts_.has("kv_lora_rank")) {
      translate_latent();
    } else {
      check_narrow_queries();
    }
    translate_indexer(facts_);
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

  // Latent attention's code reads the widths of the parts alone. MiniCPM3 has no key for values.
  void translate_latent() {
    if (!facts_.has("v_head_dim") && facts_.flag("values_as_hidden")) {
      facts_.set("v_head_dim", facts_.needed("hidden_size") / facts_.needed("num_attention_heads"));
    }
    if (facts_.text("recurrent") != "lightning") facts_.drop("head_dim");
  }

  void check_narrow_queries() const {
    if (!facts_.has("q_lora_rank") || facts_.has("o_lora_rank") || facts_.flag("narrow_queries"))
      return;
    facts_.refuse("q_lora_rank", "it without kv_lora_rank", "both or neither");
  }

  std::int64_t gate_width() const {
    if (facts_.has("kv_lora_rank")) return facts_.needed("v_head_dim");
    if (facts_.has("head_dim")) return facts_.needed("head_dim");
    return facts_.needed("hidden_size") / facts_.needed("num_attention_heads");
  }

  // --- experts

  void translate_experts() {
    if (facts_.flag("shared_as_hidden")) {
      facts_.set("moe_shared_expert_intermediate_size", facts_.needed("hidden_size"));
    }
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

  HfFacts& facts_;
};

}  // namespace

void translate_shapes(HfFacts& facts) { Shapes(facts).run(); }

}  // namespace orrery
