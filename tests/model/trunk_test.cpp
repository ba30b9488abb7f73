// SPDX-License-Identifier: Apache-2.0
// Models that are no text decoder: parameters beside published totals, tokens of samples, FLOPs and
// saved bytes of layers counted by hand.
#include "model/trunk.h"

#include <doctest/doctest.h>

#include <string>

#include "model/blocks.h"
#include "model/flops.h"
#include "model/model_files.h"
#include "model/operators.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::int64_t total(const Architecture& a) { return parameter_count(a, 1024).total; }

Architecture diffusers(const std::string& name, const std::string& keys = "") {
  return model_of(R"({"_class_name": ")" + name + "\"" + (keys.empty() ? "" : ", " + keys) + "}")
      .architecture;
}

Architecture with_text(Architecture a, std::int64_t tokens) {
  a.trunk.text = tokens;
  return a;
}

// Forward of one sample, matrix products and attention.
double forward(const Architecture& a, std::int64_t tokens) {
  return forward_flops(a, tokens, true).si();
}

std::int64_t tokens(const Architecture& a, const SampleSize& size) {
  return tokens_of(a.trunk.sample, size);
}

}  // namespace

TEST_CASE("trunks have the parameters that their files' keys give") {
  struct Row {
    const char* name;
    const char* keys;
    std::int64_t parameters;
  };
  const Row rows[] = {
      {"DiTTransformer2DModel", R"("num_attention_heads": 6, "attention_head_dim": 64,
        "num_layers": 12)",
       32'865'056},
      {"DiTTransformer2DModel", R"("num_attention_heads": 12, "attention_head_dim": 64,
        "num_layers": 12)",
       130'315'808},
      {"DiTTransformer2DModel", R"("num_attention_heads": 16, "attention_head_dim": 64,
        "num_layers": 24)",
       457'840'672},
      {"DiTTransformer2DModel", "", 674'834'720},
      {"PixArtTransformer2DModel", R"("sample_size": 64)", 610'856'096},
      {"PixArtTransformer2DModel", R"("sample_size": 128)", 611'349'152},
      {"SD3Transformer2DModel", R"("num_layers": 24, "num_attention_heads": 24)", 2'028'328'000},
      {"SD3Transformer2DModel", R"("num_layers": 38, "num_attention_heads": 38,
        "qk_norm": "rms_norm")",
       8'056'627'520},
      {"SD3Transformer2DModel", R"("num_layers": 24, "num_attention_heads": 24,
        "qk_norm": "rms_norm", "dual_attention_layers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        12])",
       2'243'171'520},
      {"FluxTransformer2DModel", R"("guidance_embeds": true)", 11'901'408'320},
      {"FluxTransformer2DModel", "", 11'891'178'560},
      {"Flux2Transformer2DModel", "", 32'223'281'152},
      {"Flux2Transformer2DModel", R"("num_layers": 5, "num_single_layers": 20,
        "num_attention_heads": 24, "joint_attention_dim": 7680, "guidance_embeds": false)",
       3'875'544'576},
      {"Flux2Transformer2DModel", R"("num_layers": 8, "num_single_layers": 24,
        "num_attention_heads": 32, "joint_attention_dim": 12288, "guidance_embeds": false)",
       9'078'581'248},
      {"QwenImageTransformer2DModel", "", 20'430'401'088},
      {"HunyuanVideoTransformer3DModel", "", 12'821'012'544},
      {"HunyuanVideo15Transformer3DModel", "", 8'326'608'160},
      {"WanTransformer3DModel", R"("num_attention_heads": 12, "ffn_dim": 8960,
        "num_layers": 30)",
       1'418'996'800},
      {"WanTransformer3DModel", "", 14'288'491'584},
      {"WanTransformer3DModel", R"("num_attention_heads": 24, "ffn_dim": 14336, "num_layers": 30,
        "in_channels": 48, "out_channels": 48)",
       4'999'787'712},
      {"WanTransformer3DModel", R"("in_channels": 36)", 14'288'901'184},
      {"WanTransformer3DModel", R"("in_channels": 36, "image_dim": 1280)", 16'394'878'784},
      {"CogVideoXTransformer3DModel", "", 1'693'783'872},
      {"CogVideoXTransformer3DModel", R"("num_attention_heads": 48, "num_layers": 42)",
       5'570'283'072},
      {"CosmosTransformer3DModel", "", 7'236'192'256},
      {"CosmosTransformer3DModel", R"("num_attention_heads": 40, "num_layers": 36)",
       14'267'149'312},
      {"CosmosTransformer3DModel", R"("num_attention_heads": 16, "extra_pos_embed_type": null)",
       1'956'405'248},
      {"CosmosTransformer3DModel", R"("num_attention_heads": 16, "extra_pos_embed_type": null,
        "in_channels": 17, "use_crossattn_projection": true,
        "crossattn_proj_in_channels": 100352)",
       2'059'174'912},
      {"LTXVideoTransformer3DModel", "", 1'923'385'472},
      {"LTXVideoTransformer3DModel", R"("attention_head_dim": 128, "num_layers": 48,
        "cross_attention_dim": 4096)",
       13'042'569'344},
      {"MochiTransformer3DModel", "", 10'027'677'744},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.keys);
    CHECK(total(diffusers(row.name, row.keys)) == row.parameters);
  }
}

TEST_CASE("shipped trunks have the parameters that their authors state") {
  for (const char* name : {"dit-xl-2",        "pixart-sigma-1024",
                           "sd3-medium",      "sd3.5-large",
                           "flux.1-dev",      "flux.1-schnell",
                           "flux.2-dev",      "qwen-image",
                           "hunyuanvideo",    "wan2.1-t2v-14b",
                           "wan2.1-t2v-1.3b", "wan2.2-ti2v-5b",
                           "cogvideox-2b",    "cogvideox-5b",
                           "cosmos-1.0-7b",   "cosmos-1.0-14b",
                           "ltx-video-2b",    "mochi-1",
                           "vit-b-16",        "vit-l-16",
                           "vit-h-14",        "clip-vit-l-14",
                           "dinov2-l-14",     "whisper-tiny",
                           "whisper-base",    "whisper-small",
                           "whisper-medium",  "whisper-large",
                           "wav2vec2-base",   "sd-1.5",
                           "sd-2.1",          "sdxl"}) {
    CAPTURE(name);
    const ModelDescription m = shipped_model(name);
    CHECK(static_cast<double>(total(m.architecture)) == m.stated_parameters);
    CHECK(read_model(model_json(m), "again").architecture == m.architecture);
  }
  for (const char* name : {"vit-22b", "dinov3-7b", "siglip-so400m-14-384"}) {
    const ModelDescription m = shipped_model(name);
    CHECK(static_cast<double>(total(m.architecture)) / m.stated_parameters ==
          doctest::Approx(1).epsilon(0.0005));
  }
}

// 960 × 544 and the like: height × width of the sources are written here height first.
TEST_CASE("samples are as many tokens as their pixels and frames give") {
  CHECK(tokens(diffusers("DiTTransformer2DModel"), {256, 256}) == 256);
  CHECK(tokens(diffusers("FluxTransformer2DModel"), {1024, 1024}) == 4096);
  CHECK(tokens(diffusers("QwenImageTransformer2DModel"), {1328, 1328}) == 6889);
  CHECK(tokens(diffusers("HunyuanVideoTransformer3DModel"), {720, 1280, 129}) == 118'800);
  CHECK(tokens(diffusers("HunyuanVideo15Transformer3DModel"), {720, 1280, 121}) == 111'600);
  CHECK(tokens(diffusers("WanTransformer3DModel"), {480, 832, 81}) == 32'760);
  CHECK(tokens(diffusers("WanTransformer3DModel"), {720, 1280, 81}) == 75'600);
  CHECK(tokens(shipped_model("wan2.2-ti2v-5b").architecture, {704, 1280, 121}) == 27'280);
  CHECK(tokens(diffusers("CogVideoXTransformer3DModel"), {480, 720, 49}) == 17'550);
  CHECK(tokens(diffusers("CogVideoXTransformer3DModel", R"("patch_size_t": 2)"), {768, 1360, 81}) ==
        44'880);
  CHECK(tokens(diffusers("CosmosTransformer3DModel"), {704, 1280, 121}) == 56'320);
  CHECK(tokens(diffusers("LTXVideoTransformer3DModel"), {512, 768, 121}) == 6'144);
  CHECK(tokens(diffusers("MochiTransformer3DModel"), {480, 848, 163}) == 44'520);
  CHECK(tokens(shipped_model("vit-b-16").architecture, {224, 224}) == 197);
  CHECK(tokens(shipped_model("siglip-so400m-14-384").architecture, {384, 384}) == 729);
  CHECK(tokens(shipped_model("whisper-tiny").architecture, {.points = 3000}) == 1500);
  CHECK(tokens(shipped_model("wav2vec2-base").architecture, {.points = 8 * 16000}) == 399);
  CHECK(tokens(shipped_model("timesfm-2.0-500m").architecture, {.points = 512}) == 16);
}

// The cost of one layer more, forward: section 4 of the papers' formulas, in FLOPs of two a
// multiply-add.
TEST_CASE("layers of a trunk do the FLOPs that are counted by hand") {
  const double T = 1024;
  const double t = 256;
  const auto added = [&](const std::string& name, const std::string& key, const std::string& rest,
                         std::int64_t s) {
    const auto with = [&](int n) {
      return forward(
          with_text(diffusers(name, "\"" + key + "\": " + std::to_string(n) + rest), 256), s);
    };
    return with(6) - with(5);
  };
  SUBCASE("DiT") {
    const double h = 1152;
    CHECK(added("DiTTransformer2DModel", "num_layers", "", 1024) ==
          24 * h * h * T + 4 * h * T * T + 12 * h * h);
  }
  SUBCASE("FLUX: two streams, then one") {
    const double h = 3072;
    const double L = T + t;
    CHECK(added("FluxTransformer2DModel", "num_layers", "", 1280) ==
          24 * h * h * L + 4 * h * L * L + 24 * h * h);
    CHECK(added("FluxTransformer2DModel", "num_single_layers", "", 1280) ==
          24 * h * h * L + 4 * h * L * L + 6 * h * h);
  }
  SUBCASE("Wan: cross attention") {
    const double h = 5120;
    const double f = 13824;
    CHECK(added("WanTransformer3DModel", "num_layers", "", 1024) ==
          8 * h * h * T + 4 * h * T * T + 4 * h * h * T + 4 * h * h * t + 4 * h * T * t +
              4 * h * f * T);
  }
  SUBCASE("Cosmos: keys of narrower text, products of rank 256") {
    const double h = 4096;
    CHECK(added("CosmosTransformer3DModel", "num_layers", "", 1024) ==
          28 * h * h * T + 4 * 1024 * h * t + 4 * h * T * T + 4 * h * T * t +
              6 * (256 * h + 256 * 3 * h));
  }
}

TEST_CASE("whole samples do the FLOPs that are published") {
  const auto tflop = [](const Architecture& a, std::int64_t s) {
    return model_flops(a, FlopsConvention::megatron, {.sequence = s, .lengths = {}}).si() / 1e12;
  };
  // README of facebookresearch/DiT: 119 and 525 Gflops, which are multiply-adds.
  const Architecture dit = diffusers("DiTTransformer2DModel");
  CHECK(forward(dit, 256) / 2e9 == doctest::Approx(118.4).epsilon(0.005));
  CHECK(forward(dit, 1024) / 2e9 == doctest::Approx(524.4).epsilon(0.005));
  // MLPerf Training 5.1, NVIDIA's constant for FLUX.1 of 256 and 256 tokens: 20.3.
  const Architecture flux = with_text(diffusers("FluxTransformer2DModel"), 256);
  CHECK(tflop(flux, 512) == doctest::Approx(20.3).epsilon(0.01));
  // maxdiffusion, README: 4893.27 a device for a quarter of a sample.
  CHECK(tflop(diffusers("WanTransformer3DModel"), 75'600) ==
        doctest::Approx(4 * 4893.27).epsilon(0.001));
  // open_clip, docs/model_profile.csv: 162.03 GFLOP of ViT-L/14, without its head of classes.
  const Architecture vit = model_of(R"({"model_type": "vit", "hidden_size": 1024,
      "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096,
      "patch_size": 14})")
                               .architecture;
  CHECK(forward(vit, 257) / 1e9 == doctest::Approx(162.03).epsilon(0.001));
  // Encoder 0.087, decoder 0.064 TFLOP by 12d², 16d², the vocabulary and attention, which is causal
  // in the decoder.
  CHECK(forward(shipped_model("whisper-base").architecture, 1500) / 1e12 ==
        doctest::Approx(0.087 + 0.064).epsilon(0.03));
}

TEST_CASE("layers of a trunk keep the bytes that are counted tensor by tensor") {
  const double statistic = 4;  // a head and token
  CHECK(kept_a_token(diffusers("DiTTransformer2DModel"), 0) == 40 * 1152 + 16 * statistic);
  const Architecture flux = with_text(diffusers("FluxTransformer2DModel"), 256);
  CHECK(kept_a_token(flux, 0) == 44 * 3072 + 24 * statistic);
  CHECK(kept_a_token(flux, 1) == 38 * 3072 + 24 * statistic);
  // Two attentions, so two statistics.
  CHECK(kept_a_token(diffusers("WanTransformer3DModel"), 0) ==
        50 * 5120 + 4 * 13824 + 2 * 40 * statistic);
  CHECK(kept_a_token(shipped_model("vit-b-16").architecture, 0) == 32 * 768 + 12 * statistic);
}

TEST_CASE("a Conformer and a Chronos are counted by hand") {
  // FastConformer XL: 24d² + 9d + 32d a layer (two MLPs of 8d², attention 5d², products of 3d²),
  // subsampling by three convolutions of 256 channels, 1,025 labels.
  const std::int64_t d = 1024;
  const std::int64_t front = 9 * 256 + 256 + 2 * (9 * 256 + 256) + 2 * (256 * 256 + 256);
  CHECK(total(shipped_model("fastconformer-xl").architecture) ==
        24 * (24 * d * d + 41 * d) + front + 2560 * d + d + 1025 * (d + 1));
  // 12.5 tokens a second of 100 frames; attention's 2s − 1 positions by a product of their own.
  const Architecture xl = shipped_model("fastconformer-xl").architecture;
  CHECK(tokens(xl, {.points = 2000}) == 250);
  const double s = 250;
  const double h = 1024;
  const double layer =
      2 * s * 23 * h * h + 2 * (2 * s - 1) * h * h + 4 * s * s * h + 2 * s * (2 * s - 1) * h;
  const double ends = 2 * s * (160 * 9 * 256 + 50 * 256 * 256 + 2560 * h + h * 1025);
  CHECK(forward(xl, 250) == 24 * layer + ends);
  // Chronos-T5 base: encoder layers of 4d² + 2df, decoder layers of 8d² + 2df, their norms, 4,096
  // words, two tables of positions.
  const std::int64_t w = 768;
  CHECK(total(shipped_model("chronos-t5-base").architecture) ==
        12 * (12 * w * w + 4 * w * 3072 + 5 * w) + 4096 * w + 2 * 32 * 12 + 2 * w);
}

TEST_CASE("a diffusion transformer without text is its closed form") {
  // DiT-XL/2 at 256²: 28 layers of 24h²T + 4hT² + 12h², its ends and the products of one sample.
  const double h = 1152;
  const double T = 256;
  const double blocks = 28 * (24 * h * h * T + 4 * h * T * T + 12 * h * h);
  const double ends = 2 * T * h * (16 + 32) + 2 * (256 * h + h * h + 2 * h * h);
  CHECK(forward(diffusers("DiTTransformer2DModel"), 256) == blocks + ends);
  // FLUX's single blocks at 0 tokens of text, whose projection then does nothing.
  Architecture flux = diffusers("FluxTransformer2DModel", R"("num_layers": 0)");
  const std::int64_t with_text_too = total(flux);
  flux.trunk.text = 0;
  const double w = 3072;
  const double single = 38 * (24 * w * w * T + 4 * w * T * T + 6 * w * w);
  CHECK(forward(flux, 256) ==
        single + 4 * T * 64 * w + 2 * (256 * w + 768 * w + 2 * w * w + 2 * w * w));
  CHECK(total(flux) == with_text_too);
}

TEST_CASE("more tokens, text and width are never fewer FLOPs, and no fewer bytes") {
  for (const char* name :
       {"DiTTransformer2DModel", "PixArtTransformer2DModel", "FluxTransformer2DModel",
        "Flux2Transformer2DModel", "WanTransformer3DModel", "MochiTransformer3DModel",
        "CosmosTransformer3DModel", "CogVideoXTransformer3DModel"}) {
    CAPTURE(name);
    const Architecture a = diffusers(name);
    double last = 0;
    for (const std::int64_t s : {1024, 1040, 2048, 4096, 4112}) {
      const double now = forward(with_text(a, 256), s);
      CHECK(now > last);
      last = now;
    }
    CHECK(forward(with_text(a, 512), 2048 + (joins_text(a.trunk) ? 256 : 0)) >=
          forward(with_text(a, 256), 2048));
    CHECK(forward(diffusers(name, R"("num_attention_heads": 60)"), 2048) > forward(a, 2048));
    CHECK(kept_a_token(diffusers(name, R"("num_attention_heads": 60)"), 0) > kept_a_token(a, 0));
  }
}

TEST_CASE("weights meet what they see: 6N is over tokens, samples and text apart") {
  const Architecture flux = with_text(diffusers("FluxTransformer2DModel"), 256);
  const CountedStep step{.sequence = 512, .global_batch = 1, .lengths = {}};
  const double six_n = model_flops(flux, FlopsConvention::six_n, step).si();
  const double palm = model_flops(flux, FlopsConvention::palm, step).si();
  CHECK(palm == model_flops(flux, FlopsConvention::causal, step).si());
  CHECK(palm - six_n == doctest::Approx(3.0 * 57 * 4 * 3072 * 512 * 512));
  const double naive = 6 * static_cast<double>(total(flux)) * 512;
  CHECK(naive / six_n == doctest::Approx(1.8).epsilon(0.03));
}

TEST_CASE("what is not modelled is refused by name") {
  CHECK(says(refusal(R"({"_class_name": "UNetMotionModel"})"), "U-Net of images with text"));
  CHECK(says(refusal(R"({"model_type": "t5", "d_model": 64, "num_layers": 2,
      "chronos_config": {"input_patch_size": 16}})"),
             "values as words"));
  CHECK(says(refusal(R"({"_class_name": "FluxPipeline"})"), "config.json of its transformer"));
  CHECK(says(refusal(R"({"_class_name": "FluxTransformer2DModl"})"), "FluxTransformer2DModel"));
  CHECK(says(refusal(R"({"model_type": "swin", "hidden_size": 96})"), "windows"));
  CHECK(says(refusal(R"({"_class_name": "SD3Transformer2DModel"})"), "num_layers"));
}
