// SPDX-License-Identifier: Apache-2.0
// Hugging Face's config.json: each family gives the Architecture its code builds.
#include <doctest/doctest.h>

#include <algorithm>

#include "model/hf_families.h"
#include "model/model_files.h"

namespace orrery {
namespace {

Architecture llama_like(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                        std::int64_t kv_heads, std::int64_t intermediate, std::int64_t vocab,
                        std::int64_t positions) {
  Architecture a;
  a.layers = layers;
  a.hidden = hidden;
  a.heads = heads;
  a.kv_heads = kv_heads;
  a.head_dim = 128;
  a.intermediate = intermediate;
  a.vocab = vocab;
  a.max_positions = positions;
  a.activation = Activation::kSilu;
  a.gated = true;
  a.norm = Norm::kRmsNorm;
  a.positions = PositionEmbedding::kRope;
  return a;
}

Architecture gpt_like(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                      std::int64_t vocab, std::int64_t positions) {
  Architecture a;
  a.layers = layers;
  a.hidden = hidden;
  a.heads = heads;
  a.kv_heads = heads;
  a.head_dim = hidden / heads;
  a.intermediate = 4 * hidden;
  a.vocab = vocab;
  a.max_positions = positions;
  a.activation = Activation::kGelu;
  a.norm = Norm::kLayerNorm;
  a.qkv_bias = true;
  a.attention_out_bias = true;
  a.mlp_bias = true;
  return a;
}

Architecture with_experts(Architecture a, std::int64_t experts, std::int64_t top_k,
                          std::int64_t expert_intermediate) {
  a.moe.experts = experts;
  a.moe.top_k = top_k;
  a.moe.expert_intermediate = expert_intermediate;
  a.moe.layer_freq = 1;
  return a;
}

Architecture of_sample(const std::string& name) {
  return read_model(hf_sample(name), name).architecture;
}

bool assumes(const ModelDescription& model, const std::string& key) {
  return std::any_of(model.assumed.begin(), model.assumed.end(),
                     [&](const AssumedValue& v) { return v.key == key; });
}

}  // namespace

TEST_CASE("llama files give RMSNorm SwiGLU RoPE without bias") {
  CHECK(of_sample("llama-2-7b") == llama_like(32, 4096, 32, 32, 11008, 32000, 4096));
  CHECK(of_sample("llama-3-8b") == llama_like(32, 4096, 32, 8, 14336, 128256, 8192));
  CHECK(of_sample("llama-3-70b") == llama_like(80, 8192, 64, 8, 28672, 128256, 8192));
  CHECK(of_sample("llama-3.1-405b") == llama_like(126, 16384, 128, 8, 53248, 128256, 131072));
}

TEST_CASE("gpt2 files give tied learned LayerNorm GPTs with dropout and 4h") {
  for (const auto& [name, expected] : {std::pair{"gpt2", gpt_like(12, 768, 12, 50257, 1024)},
                                       std::pair{"gpt2-xl", gpt_like(48, 1600, 25, 50257, 1024)}}) {
    Architecture a = expected;
    a.tie_word_embeddings = true;
    a.dropout = true;
    CHECK(of_sample(name) == a);
  }
}

TEST_CASE("gpt_neox has a parallel residual RoPE and biases and no dropout in the 20B file") {
  Architecture a = gpt_like(44, 6144, 64, 50432, 2048);
  a.positions = PositionEmbedding::kRope;
  a.parallel_residual = true;
  CHECK(of_sample("gpt-neox-20b") == a);
}

TEST_CASE("mixtral's intermediate_size is an expert's") {
  CHECK(of_sample("mixtral-8x7b") ==
        with_experts(llama_like(32, 4096, 32, 8, 0, 32000, 32768), 8, 2, 14336));
}

TEST_CASE("qwen3 has its own head_dim and norms queries and keys") {
  Architecture small = llama_like(28, 1024, 16, 8, 3072, 151936, 40960);
  small.qk_norm = true;
  small.tie_word_embeddings = true;
  CHECK(of_sample("qwen3-0.6b") == small);
  Architecture large = llama_like(36, 4096, 32, 8, 12288, 151936, 40960);
  large.qk_norm = true;
  CHECK(of_sample("qwen3-8b") == large);
}

TEST_CASE("qwen3_moe ignores the dense intermediate_size when every layer has experts") {
  Architecture a = with_experts(llama_like(48, 2048, 32, 4, 0, 151936, 40960), 128, 8, 768);
  a.qk_norm = true;
  CHECK(of_sample("qwen3-30b-a3b") == a);
}

TEST_CASE("deepseek_v3 has latent attention three dense layers a shared expert and MTP") {
  Architecture a =
      with_experts(llama_like(61, 7168, 128, 128, 18432, 129280, 163840), 256, 8, 2048);
  a.attention = AttentionKind::kLatent;
  a.head_dim = 192;
  a.mla = {1536, 512, 128, 64, 128};
  a.moe.shared_experts = 1;
  a.moe.shared_intermediate = 2048;
  a.moe.first_k_dense = 3;
  a.moe.router_correction_bias = true;
  a.moe.groups = 8;
  a.moe.top_groups = 4;
  a.mtp_layers = 1;
  const ModelDescription model = read_model(hf_sample("deepseek-v3"), "deepseek-v3");
  CHECK(model.architecture == a);
  CHECK(model.quantization == "fp8");
  CHECK(model.dtype == "bfloat16");
}

TEST_CASE("null means none where absent means the class default") {
  Json document = hf_sample("deepseek-v3");
  document["q_lora_rank"] = nullptr;
  CHECK(read_model(document, "d").architecture.mla.q_lora_rank == 0);
  document.erase("q_lora_rank");
  const ModelDescription model = read_model(document, "d");
  CHECK(model.architecture.mla.q_lora_rank == 1536);
  CHECK(assumes(model, "q_lora_rank"));
}

TEST_CASE("an omitted key takes the default of its own family") {
  const auto kv_heads = [](const std::string& rest) {
    return model_of("{\"hidden_size\": 4096, " + rest + "}").architecture.kv_heads;
  };
  CHECK(kv_heads(R"("model_type": "mixtral", "num_local_experts": 8)") == 8);
  CHECK(kv_heads(R"("model_type": "qwen3")") == 32);
  CHECK(kv_heads(R"("model_type": "qwen3_moe", "num_experts": 8)") == 4);
  CHECK(kv_heads(R"("model_type": "llama", "num_attention_heads": 64)") == 64);
  CHECK(model_of(R"({"model_type": "gpt2", "n_embd": 768})").architecture == of_sample("gpt2"));
  const ModelDescription qwen = model_of(R"({"model_type": "qwen3", "hidden_size": 1000})");
  CHECK(qwen.architecture.head_dim == 128);
  CHECK(assumes(qwen, "head_dim"));
}

TEST_CASE("no family has a default for the width or for the number of experts") {
  for (const std::span<const HfFamily> part : hf_families()) {
    for (const HfFamily& family : part) {
      CAPTURE(family.types);
      const std::string type(family.types.substr(0, family.types.find(' ')));
      const std::string line = refusal("{\"model_type\": \"" + type + "\"}");
      CHECK(says(line, "hidden_size: found nothing"));
    }
  }
  CHECK(says(refusal(R"({"model_type": "mixtral", "hidden_size": 4096})"),
             "num_local_experts: found nothing"));
  CHECK(says(refusal(R"({"model_type": "qwen3_moe", "hidden_size": 4096, "num_experts": null})"),
             "num_experts: found nothing"));
}

TEST_CASE("an unknown family with the keys of a decoder is read as one and says so") {
  const std::string shape =
      R"({"model_type": "newcomer", "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
          "intermediate_size": 128, "rms_norm_eps": 1e-6)";
  const ModelDescription model = model_of(shape + ", \"rope_theta\": 10000}");
  CHECK(model.architecture.gated);
  CHECK(model.architecture.norm == Norm::kRmsNorm);
  CHECK(model.architecture.kv_heads == 2);
  CHECK(model.rope_theta == 10000);
  CHECK(model_of(shape + R"(, "rope_parameters": {"rope_theta": 500000}})").rope_theta == 500000);
  REQUIRE(model.notes.size() == 1);
  CHECK(says(model.notes.front(), "\"newcomer\" is not known; read as a decoder"));
  CHECK(says(model.notes.front(), "tie_word_embeddings true"));
  const ModelDescription squared = model_of(shape + ", \"hidden_act\": \"relu2\"}");
  CHECK(!squared.architecture.gated);
  CHECK(says(squared.notes.front(), "an MLP without gate"));
  // Unsupported keys that may change the count.
  for (const char* key : {R"("hyper_heads": 4)", R"("memory_config": {"size": 3})",
                          R"("conv_kernel": 4)", R"("use_residual_gate": true)"}) {
    CAPTURE(key);
    CHECK(says(refusal(shape + ", " + key + "}"), "which is not understood"));
  }
  CHECK(says(refusal(R"({"model_type": "newcomer", "hidden_size": 64})"), "missing"));
  CHECK(says(refusal(R"({"model_type": "zamba"})"), "not modelled"));
  CHECK(says(refusal(shape + R"(, "hash_table_entries": 1000000})"), "not understood"));
  CHECK(says(refusal(shape + R"(, "layer_types": ["linear_attention", "full_attention"]})"),
             "a family whose recurrence is known"));
  // LayerNorm leaves gate and biases open; an encoder's keys are no decoder's.
  const std::string other = shape.substr(0, shape.find("\"rms_norm_eps\""));
  CHECK(says(refusal(other + R"("layer_norm_epsilon": 1e-5})"), "beside \"layer_norm_epsilon\""));
  CHECK(says(refusal(shape + R"(, "type_vocab_size": 2})"), "not understood"));
  CHECK(says(refusal(shape + R"(, "position_embedding_type": "absolute"})"), "not understood"));
}

TEST_CASE("a type that ends in _text is the text model of its family") {
  const std::string rest = R"(, "hidden_size": 64, "num_attention_heads": 4})";
  const Architecture text = model_of(R"({"model_type": "olmo2_text")" + rest).architecture;
  CHECK(text == model_of(R"({"model_type": "olmo2")" + rest).architecture);
  CHECK(text.norm_placement == NormPlacement::post);
}

TEST_CASE("two stacks have two tables of positions and the widths of one") {
  const std::string bart =
      R"({"model_type": "bart", "d_model": 64, "vocab_size": 100, "encoder_layers": 2,
          "decoder_layers": 3, "encoder_attention_heads": 4, "max_position_embeddings": 30,
          "encoder_ffn_dim": 128, "num_hidden_layers": 5, "decoder_ffn_dim": )";
  const Architecture a = model_of(bart + "128}").architecture;
  CHECK(a.layers == 5);
  CHECK(a.max_positions == 64);
  CHECK(layer_kind(a, layer_type(a, 1)).mixer == Mixer::encoder);
  CHECK(layer_kind(a, layer_type(a, 2)).mixer == Mixer::cross);
  CHECK(says(refusal(bart + "256}"), "decoder_ffn_dim: found 256; allowed: the encoder's, 128"));
}

TEST_CASE("mlp_layer_types names the layers with experts") {
  const std::string base =
      R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_experts": 8, "num_hidden_layers": 3,
          "mlp_layer_types": )";
  const Architecture a = model_of(base + R"(["dense", "sparse", "sparse"]})").architecture;
  CHECK(a.moe.first_k_dense == 1);
  CHECK(says(refusal(base + R"(["dense", "sparse"]})"), "mlp_layer_types: found 2 layers"));
  CHECK(says(refusal(base + R"(["dense", "sparse", "other"]})"), "mlp_layer_types[2]"));
}

TEST_CASE("of a file for text and images the language model is read") {
  const ModelDescription model = model_of(
      R"({"model_type": "qwen3_vl", "tie_word_embeddings": true, "vision_config": {"depth": 27},
          "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 128,
                          "num_hidden_layers": 3, "vocab_size": 200}})");
  CHECK(model.architecture.layers == 3);
  CHECK(model.architecture.tie_word_embeddings);
  CHECK(model.model_type == "qwen3_vl_text");
  REQUIRE(model.notes.size() == 1);
  CHECK(says(model.notes.front(), "vision_config is left out"));
  CHECK(says(refusal(R"({"model_type": "qwen3_vl", "text_config": {"hidden_size": 0}})"),
             "text_config.hidden_size"));
}

TEST_CASE("the published samples leave nothing unread and assume only what they omit") {
  for (const char* name :
       {"llama-2-7b", "llama-3-8b", "llama-3-70b", "llama-3.1-405b", "gpt2", "gpt2-xl",
        "gpt-neox-20b", "mixtral-8x7b", "qwen3-0.6b", "qwen3-8b", "qwen3-30b-a3b", "deepseek-v3"}) {
    CAPTURE(name);
    const ModelDescription model = read_model(hf_sample(name), name);
    CHECK(model.ignored_keys.empty());
    for (const AssumedValue& v : model.assumed) {
      const Json document = hf_sample(name);
      const bool given = document.contains(v.key) && !document[v.key].is_null();
      CHECK_MESSAGE(!given, v.key);
    }
  }
}

TEST_CASE("keys nobody knows are tolerated in a Hugging Face file and listed") {
  Json document = hf_sample("llama-3-8b");
  document["secret_sauce"] = 7;
  document["num_hiden_layers"] = 12;
  const ModelDescription model = read_model(document, "llama");
  CHECK(model.ignored_keys == std::vector<std::string>{"secret_sauce", "num_hiden_layers"});
  CHECK(model.architecture.layers == 32);
}

TEST_CASE("layer_types become a pattern") {
  const std::string base =
      R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 6,
          "sliding_window": 128, "layer_types": )";
  const std::string s = "\"sliding_attention\"";
  const std::string f = "\"full_attention\"";
  const auto read = [&](const std::string& list) {
    return model_of(base + list + "}").architecture;
  };
  const Architecture alternating =
      read("[" + s + "," + f + "," + s + "," + f + "," + s + "," + f + "]");
  CHECK(alternating.sliding_window == 128);
  CHECK(alternating.sliding_window_pattern == 2);
  CHECK(is_local_layer(alternating, 0));
  CHECK_FALSE(is_local_layer(alternating, 1));
  const Architecture all = read("[" + s + "," + s + "," + s + "," + s + "," + s + "," + s + "]");
  CHECK(all.sliding_window_pattern == 0);
  CHECK(is_local_layer(all, 5));
  CHECK_FALSE(
      has_local_attention(read("[" + f + "," + f + "," + f + "," + f + "," + f + "," + f + "]")));
  const Architecture first = read("[" + f + "," + s + "," + s + "," + s + "," + s + "," + s + "]");
  CHECK(first.pattern.length == 6);
  CHECK(layer_kind(first, layer_type(first, 0)).mixer == Mixer::attention);
  CHECK(layer_kind(first, layer_type(first, 5)).mixer == Mixer::local_attention);
  CHECK(says(refusal(base + "[" + s + "]}"), "1 layers"));
  CHECK(says(refusal(R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 1,
                         "layer_types": ["fancy"]})"),
             "sliding_attention"));
  CHECK(says(refusal(R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 1,
                         "layer_types": ["mamba"]})"),
             "layer_types: found a recurrence"));
}

TEST_CASE("a window that is switched off is none and one on the last layers is a pattern") {
  const auto read = [](const std::string& rest) {
    return R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 8,
               "sliding_window": 64, )" +
           rest + "}";
  };
  CHECK_FALSE(has_local_attention(model_of(read(R"("use_sliding_window": false)")).architecture));
  CHECK_FALSE(has_local_attention(
      model_of(read(R"("use_sliding_window": true, "max_window_layers": 8)")).architecture));
  CHECK(model_of(read(R"("use_sliding_window": true, "max_window_layers": 0)"))
            .architecture.sliding_window == 64);
  const Architecture late =
      model_of(read(R"("use_sliding_window": true, "max_window_layers": 4)")).architecture;
  CHECK(layer_kind(late, layer_type(late, 3)).mixer == Mixer::attention);
  CHECK(layer_kind(late, layer_type(late, 4)).mixer == Mixer::local_attention);
}

TEST_CASE("Qwen's sparse step counts from one and its dense layers are listed") {
  const std::string base =
      R"({"model_type": "qwen3_moe", "hidden_size": 2048, "num_experts": 16, )";
  const auto has_experts = [](const Architecture& a, std::int64_t i) {
    return layer_kind(a, layer_type(a, i)).feedforward == Feedforward::experts;
  };
  const Architecture a =
      model_of(base + R"("num_hidden_layers": 5, "decoder_sparse_step": 2})").architecture;
  CHECK_FALSE(has_experts(a, 0));
  CHECK(has_experts(a, 1));
  CHECK_FALSE(has_experts(a, 2));
  CHECK(has_experts(a, 3));
  CHECK(a.pattern.length == 0);
  CHECK(a.intermediate == 6144);
  const Architecture led = model_of(base + R"("mlp_only_layers": [0, 1]})").architecture;
  CHECK(led.moe.first_k_dense == 2);
  const Architecture odd = model_of(base + R"("mlp_only_layers": [3]})").architecture;
  CHECK(has_experts(odd, 2));
  CHECK_FALSE(has_experts(odd, 3));
  CHECK(has_experts(odd, 4));
}

TEST_CASE("hybrid stacks follow the file's list period or letters") {
  const auto mixers = [](const std::string& text) {
    const Architecture a = model_of(text).architecture;
    std::string kinds;
    for (std::int64_t i = 0; i < a.layers; ++i) {
      const LayerKind kind = layer_kind(a, layer_type(a, i));
      kinds += kind.mixer == Mixer::recurrent   ? 'r'
               : kind.mixer == Mixer::attention ? 'a'
               : kind.mixer == Mixer::none      ? '-'
                                                : '?';
      if (kind.feedforward == Feedforward::experts) kinds += 'e';
    }
    return kinds;
  };
  CHECK(mixers(R"({"model_type": "qwen3_next", "hidden_size": 2048, "num_experts": 4,
                   "num_experts_per_tok": 2, "num_hidden_layers": 8})") == "rerereaererereae");
  CHECK(mixers(R"({"model_type": "jamba", "hidden_size": 512, "num_experts": 4,
                   "num_hidden_layers": 8})") == "rrerrearerre");
  CHECK(mixers(R"({"model_type": "nemotron_h", "hidden_size": 512, "intermediate_size": 1024,
                   "hybrid_override_pattern": "M-M*-"})") == "r-ra-");
  CHECK(mixers(R"({"model_type": "bamba", "hidden_size": 512, "num_hidden_layers": 4,
                   "attn_layer_indices": [2]})") == "rrar");
  CHECK(mixers(R"({"model_type": "minimax", "hidden_size": 512, "num_attention_heads": 8,
                   "intermediate_size": 64, "vocab_size": 99, "num_local_experts": 4,
                   "num_hidden_layers": 3, "attn_type_list": [0, 0, 1]})") == "rereae");
}

TEST_CASE("a faulty Hugging Face file is refused in its own words") {
  const struct {
    const char* document;
    const char* part;
  } rows[] = {
      {R"({"model_type": "lama"})", "model_type: found \"lama\""},
      {R"({"model_type": "zamba"})", "whose weights several layers share"},
      {R"({"model_type": 3})", "model_type"},
      {R"({"model_type": "gpt2", "n_embd": 700})", "n_embd 700 is no multiple of"},
      {R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 0})", "n_layer: found 0"},
      {R"({"model_type": "gpt2", "n_embd": 768, "n_head": 2.5})", "n_head: found 2.5"},
      {R"({"model_type": "llama", "hidden_size": 4096, "num_key_value_heads": 5})",
       "num_key_value_heads: found 5"},
      {R"({"model_type": "llama", "hidden_size": 4096, "hidden_act": "mish"})",
       "hidden_act: found \"mish\""},
      {R"({"model_type": "llama", "hidden_size": null})", "hidden_size: found nothing"},
      {R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": null})",
       "num_hidden_layers"},
      {R"({"model_type": "mixtral", "hidden_size": 4096, "num_local_experts": 8,
           "num_experts_per_tok": 9})",
       "num_local_experts, which is 8"},
      {R"({"model_type": "qwen3_moe", "hidden_size": 4096, "num_experts": "many"})",
       "num_experts: found \"many\""},
      {R"({"model_type": "deepseek_v3", "hidden_size": 4096, "n_routed_experts": 4})",
       "n_routed_experts, which is 4"},
      {R"({"model_type": "gpt2", "n_embd": 768, "attn_pdrop": 3})", "attn_pdrop: found 3"},
      {R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text",
           "hidden_size": 2560}, "vision_config": {"depth": 2, "hidden_size": 64, "num_heads": 4,
           "patch_size": 16, "intermediate_size": 64, "num_position_embeddings": 64,
           "deepstack_visual_indexes": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}})",
       "vision_deeper_projectors: found 13"},
      {R"({"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512})",
       "narrower embeddings are not modelled"},
      {R"({"model_type": "nomic_bert", "n_embd": 768, "moe_every_n_layers": 2})",
       "moe_every_n_layers: found 2"},
  };
  for (const auto& row : rows) {
    const std::string line = refusal(row.document);
    CAPTURE(row.document);
    CAPTURE(line);
    CHECK(says(line, row.part));
    CHECK(line.find('\n') == std::string::npos);
  }
}

}  // namespace orrery
