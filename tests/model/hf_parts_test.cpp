// SPDX-License-Identifier: Apache-2.0
// Hugging Face's config.json: heads by `architectures`, parts of larger files, families of few.
#include <doctest/doctest.h>

#include "model/model_files.h"

namespace orrery {
namespace {

const std::string kWidths =
    R"("hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 100,
       "intermediate_size": 128, "num_key_value_heads": 4)";

Architecture architecture(const std::string& type, const std::string& rest = kWidths) {
  return model_of("{\"model_type\": \"" + type + "\", " + rest + "}").architecture;
}

}  // namespace

TEST_CASE("a decoder that architectures calls bare or a classifier has no head") {
  const auto output = [](const char* type, const char* name) {
    return architecture(type, kWidths + ", \"architectures\": [\"" + name + "\"]").output;
  };
  CHECK(output("llama", "LlamaForCausalLM") == ModelOutput::vocabulary);
  CHECK(output("llama", "LlamaForSequenceClassification") == ModelOutput::none);
  CHECK(output("mistral", "MistralModel") == ModelOutput::none);
  CHECK(output("gpt2", "GPT2LMHeadModel") == ModelOutput::vocabulary);
  // Code that stands beside the weights calls a whole model so.
  CHECK(output("internlm2", "InternLM2Model") == ModelOutput::vocabulary);
  for (const char* name : {"Qwen2ForProcessRewardModel", "Qwen2ForRewardModelWithGating",
                           "Qwen2BidirectionalModel", "Qwen2ForQuestionAnswering"})
    CHECK(output("qwen2", name) == ModelOutput::none);
  const ModelDescription reward =
      model_of("{\"model_type\": \"llama\", " + kWidths +
               R"(, "architectures": ["LlamaForSequenceClassification"]})");
  REQUIRE(reward.notes.size() == 1);
  CHECK(says(reward.notes.front(), "no head over the vocabulary"));
  CHECK(says(refusal("{\"model_type\": \"newcomer\", \"rms_norm_eps\": 1, " + kWidths +
                     R"(, "architectures": ["NewcomerForMaskedLM"]})"),
             "an encoder's"));
  CHECK(says(
      refusal("{\"model_type\": \"t5\", " + kWidths + R"(, "architectures": ["T5EncoderModel"]})"),
      "architectures: found \"T5EncoderModel\""));
  // The head of a larger file's language model stands beside it.
  const Architecture part =
      model_of("{\"model_type\": \"llava\", \"text_config\": {" + kWidths +
               R"(, "model_type": "llama", "architectures": ["LlamaModel"]}})")
          .architecture;
  CHECK(part.output == ModelOutput::vocabulary);
}

TEST_CASE("a language model within a larger file may leave out its class's width") {
  const std::string text = R"("text_config": {"model_type": "llama", "vocab_size": 32064}})";
  const Architecture a = model_of(R"({"model_type": "llava", )" + text).architecture;
  CHECK(a.hidden == 4096);
  CHECK(a.layers == 32);
  CHECK(says(refusal(R"({"model_type": "llama", "vocab_size": 32064})"), "hidden_size: found"));
  CHECK_THROWS_AS(read_model(parse_json(R"({"model_type": "llama"})", "r"), "r", "model", "m"),
                  InputError);
}

TEST_CASE("a file in others' keys without its family is asked for it") {
  CHECK(says(refusal(R"({"d_model": 2560, "n_layer": 64, "ssm_cfg": {"layer": "Mamba2"}})"),
             "model_type: found nothing"));
  CHECK(says(refusal(R"({"dim": 4096, "n_layers": 32, "n_heads": 32})"), "model_type: found"));
}

TEST_CASE("the first files of Falcon 40B say their decoder by the key of its heads") {
  const std::string shape = R"("hidden_size": 64, "n_layer": 2, "n_head": 8, "vocab_size": 100,
                               "parallel_attn": true, "bias": false)";
  const Architecture a = architecture("RefinedWeb", shape + R"(, "n_head_kv": 2)");
  CHECK(a.kv_heads == 2);
  CHECK_FALSE(a.shared_norm);
  const Architecture seven = architecture("RefinedWebModel", shape + R"(, "multi_query": true)");
  CHECK(seven.kv_heads == 1);
  CHECK(seven.shared_norm);
}

TEST_CASE("Grok 2 has a dense MLP beside its experts") {
  const Architecture a =
      architecture("git", kWidths + R"(, "residual_moe": true, "moe_intermediate_size": 32,
                       "num_local_experts": 8, "num_experts_per_tok": 2)");
  CHECK(a.moe.expert_intermediate == 32);
  CHECK(a.moe.shared_intermediate == 128);
  CHECK(a.norm_placement == NormPlacement::sandwich);
}

TEST_CASE("the first OLMo's files say the width of gate and up together") {
  const std::string shape =
      R"("d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "mlp_hidden_size": 256,
         "embedding_size": 128, "weight_tying": true)";
  const Architecture olmo = architecture("hf_olmo", shape);
  CHECK(olmo.intermediate == 128);
  CHECK(olmo.norm == Norm::kLayerNormBare);
  CHECK(olmo.tie_word_embeddings);
  const std::string ratio =
      R"("d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "mlp_ratio": 8)";
  CHECK(architecture("hf_olmo", ratio).intermediate == 256);
}

TEST_CASE("OPT's biases and norms without weights are what the file says") {
  const Architecture plain = architecture("opt");
  CHECK(plain.qkv_bias);
  CHECK(plain.mlp_bias);
  CHECK(plain.norm == Norm::kLayerNorm);
  const Architecture bare = architecture(
      "opt", kWidths + R"(, "enable_bias": false, "layer_norm_elementwise_affine": false)");
  CHECK_FALSE(bare.qkv_bias);
  CHECK_FALSE(bare.attention_out_bias);
  CHECK_FALSE(bare.mlp_bias);
  CHECK(bare.norm == Norm::kLayerNormBare);
}

TEST_CASE("Zamba 2's shared blocks stand where either of its two lists says") {
  const std::string shape = kWidths + R"(, "n_mamba_heads": 2, "num_mem_blocks": 1, )";
  CHECK(architecture("zamba2", shape + R"("hybrid_layer_ids": [1, 3])") ==
        architecture("zamba2",
                     shape + R"("layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"])"));
}

TEST_CASE("layers whose attention differs in width, or that run again, are refused so") {
  CHECK(says(refusal(R"({"model_type": "mimo_v2_flash"})"), "different numbers of key heads"));
  CHECK(says(refusal(R"({"model_type": "ouro"})"), "run several times"));
  for (const char* type : {"Dream", "llada"})
    CHECK(says(refusal(std::string(R"({"model_type": ")") + type + "\"}"), "diffusion"));
}

TEST_CASE("ModernBERT's first layer and every third sees all, the others half a window around") {
  const Architecture a = architecture("modernbert", kWidths);
  REQUIRE(a.pattern.length == 3);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    const Mixer expected = i % 3 == 0 ? Mixer::encoder : Mixer::local_encoder;
    CHECK(layer_kind(a, layer_type(a, i)).mixer == expected);
  }
  CHECK(a.sliding_window == 128);
  const Architecture listed = architecture(
      "modernbert", kWidths + R"(, "layer_types": ["full_attention", "sliding_attention",
                                 "full_attention", "sliding_attention"])");
  CHECK(listed.pattern.length == 2);
  CHECK(listed.pattern.kinds[1].mixer == Mixer::local_encoder);
}

TEST_CASE("a decoder whose tokens see all is an encoder's stack") {
  const std::string window =
      kWidths + R"(, "sliding_window": 8, "use_bidirectional_attention": true, "layer_types":
      ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])";
  const Architecture gemma = architecture("gemma3_text", window);
  CHECK(gemma.pattern.kinds[0].mixer == Mixer::local_encoder);
  CHECK(gemma.pattern.kinds[1].mixer == Mixer::encoder);
  CHECK(architecture("llama_bidirec").pattern.kinds[0].mixer == Mixer::encoder);
  CHECK(architecture("llama_bidirec").output == ModelOutput::none);
  CHECK(architecture("qwen2", kWidths + R"(, "is_causal": false)").pattern.kinds[0].mixer ==
        Mixer::encoder);
}

TEST_CASE("keys that make another model of a known family are refused by name") {
  const auto refused = [](const char* type, const std::string& rest, const char* part) {
    return says(
        refusal("{\"model_type\": \"" + std::string(type) + "\", " + kWidths + ", " + rest + "}"),
        part);
  };
  for (const char* type : {"alibi", "rotary", "relative_key", "relative_key_query"}) {
    CHECK(refused("bert", R"("position_embedding_type": ")" + std::string(type) + "\"",
                  "position_embedding_type: found"));
  }
  CHECK(refused("bert", R"("feed_forward_type": "geglu")", "feed_forward_type: found \"geglu\""));
  CHECK(refused("bert", R"("alibi_starting_size": 512)", "alibi_starting_size: found 512"));
  CHECK(refused("bert", R"("is_decoder": true)", "is_decoder: found true"));
  CHECK(refused("gpt2", R"("add_cross_attention": true)", "add_cross_attention: found true"));
  CHECK(refused("glm", R"("block_position_encoding": true)", "block_position_encoding: found"));
  CHECK(refused("chatglm", R"("position_encoding_2d": true)", "position_encoding_2d: found"));
  CHECK(says(refusal(R"({"model_type": "glm", "hidden_size": 64, "vocab_size": 100})"),
             "intermediate_size: found nothing"));
  CHECK(architecture("bert", kWidths + R"(, "position_embedding_type": "absolute",
                             "feed_forward_type": "original", "is_decoder": false)")
            .layers == 4);
}

TEST_CASE("one head of keys, and a gate, by the words of GPT-2's and MPT's files") {
  const std::string many = R"("n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100)";
  CHECK(architecture("gpt2", many + R"(, "attention_head_type": "multiquery")").kv_heads == 1);
  CHECK(architecture("gpt2", many + R"(, "attention_head_type": "multihead")").kv_heads == 4);
  const auto mpt = [](const std::string& attention, const std::string& mlp) {
    return architecture("mpt", R"("d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100,
        "attn_config": {"attn_type": ")" +
                                   attention + R"("}, "ffn_config": {"ffn_type": ")" + mlp + "\"}");
  };
  CHECK(mpt("multiquery_attention", "mptmlp").kv_heads == 1);
  CHECK(mpt("multihead_attention", "mptmlp").kv_heads == 4);
  CHECK_FALSE(mpt("multihead_attention", "mptmlp").gated);
  CHECK(mpt("multihead_attention", "mptglu").gated);
  CHECK_THROWS_AS(mpt("multihead_attention", "mb_dmoe"), InputError);
}

TEST_CASE("parts beside a language model are named, whatever they are called") {
  const ModelDescription model = model_of(
      R"({"model_type": "ovis", "visual_tokenizer_config": {"vocab_size": 65536},
          "qformer_config": {"num_hidden_layers": 12}, "quantization_config": {"bits": 4},
          "llm_config": {"model_type": "llama", )" +
      kWidths + "}}");
  REQUIRE(model.notes.size() == 2);
  CHECK(says(model.notes[0], "visual_tokenizer_config is left out"));
  CHECK(says(model.notes[1], "qformer_config is left out"));
}

TEST_CASE("an unknown family is no decoder by a BERT's name or a key of its tables") {
  const auto unknown = [](const char* type, const std::string& rest = "") {
    return refusal("{\"model_type\": \"" + std::string(type) + "\", \"rms_norm_eps\": 1, " +
                   kWidths + rest + "}");
  };
  CHECK(says(unknown("neobert"), "an encoder's"));
  CHECK(says(unknown("ettin", R"(, "architectures": ["EttinEncoder"])"), "an encoder's"));
  CHECK(says(unknown("newcomer", R"(, "input_embedding": "mixed")"), "\"input_embedding\""));
  CHECK(architecture("newcomer", "\"rms_norm_eps\": 1, " + kWidths +
                                     R"(, "share_embedding": true, "tie_word_embeddings": false)")
            .tie_word_embeddings);
}

TEST_CASE("LongCat-Flash's layers are pairs, the first with experts beside its MLP") {
  const std::string base =
      R"({"model_type": "longcat_flash", "hidden_size": 64, "num_attention_heads": 4,
          "ffn_hidden_size": 128, "expert_ffn_hidden_size": 16, "vocab_size": 100,
          "q_lora_rank": 16, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4,
          "v_head_dim": 8, "head_dim": 4, "n_routed_experts": 8, "zero_expert_num": 4)";
  const std::string full = base + R"(, "moe_topk": 3, "num_layers": 3, "num_hidden_layers": 6})";
  const ModelDescription model = model_of(full);
  const Architecture& a = model.architecture;
  CHECK(a.layers == 6);
  for (std::int64_t i = 0; i < 6; ++i) CHECK(is_moe_layer(a, i) == (i % 2 == 0));
  CHECK(a.intermediate == 128);
  CHECK(a.moe.shared_intermediate == 128);
  CHECK(a.moe.experts == 8);
  CHECK(a.moe.top_k == 2);  // of 3 chosen from 12, those that are among the 8
  REQUIRE(model.notes.size() == 1);
  CHECK(says(model.notes.front(), "experts that do nothing"));
  // Released files say num_layers alone.
  CHECK(a == model_of(base + R"(, "moe_topk": 3, "num_layers": 3})").architecture);
  CHECK(says(refusal(base + R"(, "moe_topk": 3})"), "num_layers: found nothing"));
  CHECK(says(refusal(R"({"model_type": "longcat_flash", "hidden_size": 64, "num_layers": 3})"),
             "zero_expert_num: found nothing"));
  CHECK(says(refusal(base + R"(, "moe_topk": 4, "num_layers": 3})"), "zero_expert_num: found 4"));
  CHECK(says(refusal(base + R"(, "moe_topk": 3, "num_layers": 3, "zero_expert_type": "copy"})"),
             "zero_expert_type: found \"copy\""));
  CHECK(
      says(refusal(base + R"(, "ngram_vocab_size_ratio": 78})"), "ngram_vocab_size_ratio: found"));
  CHECK(says(refusal(R"({"model_type": "longcat_flash_ngram"})"), "embeddings of n-grams"));
}

TEST_CASE("Gemma's and MiMo's later families are refused by what they are built of") {
  for (const char* type : {"gemma3n", "gemma3n_text"})
    CHECK(says(refusal(std::string(R"({"model_type": ")") + type + "\"}"), "residual streams"));
  for (const char* type : {"gemma4", "gemma4_text", "gemma4_unified_text"})
    CHECK(says(refusal(std::string(R"({"model_type": ")") + type + "\"}"), "wider heads"));
  CHECK(says(refusal(R"({"model_type": "gemma4", "text_config": {"hidden_size": 64}})"),
             "wider heads"));
  CHECK(says(refusal(R"({"model_type": "mimo_v2"})"), "value heads narrower"));
}

}  // namespace orrery
