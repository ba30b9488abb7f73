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
  CHECK(output("Dream", "DreamModel") == ModelOutput::vocabulary);
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

TEST_CASE("the first OLMo's files say the width of gate and up together, LLaDA's of one") {
  const std::string shape =
      R"("d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "mlp_hidden_size": 256,
         "embedding_size": 128, "weight_tying": true)";
  const Architecture olmo = architecture("hf_olmo", shape);
  CHECK(olmo.intermediate == 128);
  CHECK(olmo.norm == Norm::kLayerNormBare);
  CHECK(olmo.tie_word_embeddings);
  CHECK(architecture("llada", shape).intermediate == 256);
  const std::string ratio =
      R"("d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "mlp_ratio": 8)";
  CHECK(architecture("hf_olmo", ratio).intermediate == 256);
}

TEST_CASE("OPT's biases and norms without weights are what the file says") {
  const Architecture usual = architecture("opt");
  CHECK(usual.qkv_bias);
  CHECK(usual.mlp_bias);
  CHECK(usual.norm == Norm::kLayerNorm);
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
  CHECK(says(refusal(R"({"model_type": "mimo_v2_flash"})"), "another number of key heads"));
  CHECK(says(refusal(R"({"model_type": "ouro"})"), "run several times"));
}

}  // namespace orrery
