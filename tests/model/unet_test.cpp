// SPDX-License-Identifier: Apache-2.0
// U-Nets: FLOPs and kept bytes of convolutions counted by hand, and files that are refused.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "model/blocks.h"
#include "model/flops.h"
#include "model/model_files.h"
#include "model/trunk.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Architecture unet(const std::string& keys) {
  return model_of(R"({"_class_name": "UNet2DConditionModel", )" + keys + "}").architecture;
}

Architecture with_words(Architecture a, std::int64_t words) {
  a.trunk.text = words;
  return a;
}

// One level of 64 channels: two residual blocks down, two in the middle, three up, a transformer in
// the middle.
const char* const kOneLevel = R"("block_out_channels": [64], "cross_attention_dim": 32,
    "attention_head_dim": 4, "down_block_types": ["DownBlock2D"], "up_block_types": ["UpBlock2D"])";

}  // namespace

TEST_CASE("a U-Net does the FLOPs of its convolutions and transformers") {
  // AI-Hypercomputer/tpu-recipes, v5p, MaxDiffusion: 2.41 TFLOP a sample of SD 2 at 512², 20.28 of
  // SDXL at 1024² (162.27 for 8), which are three passes. By hand, level by level:
  CHECK(forward_flops(with_words(shipped_model("sd-2.1").architecture, 77), 4096, true).si() ==
        804'257'464'320.0);
  CHECK(forward_flops(with_words(shipped_model("sdxl").architecture, 77), 16384, true).si() ==
        6'761'236'398'080.0);
}

TEST_CASE("one level of a U-Net is counted by hand") {
  const Architecture a = with_words(unet(kOneLevel), 8);
  const double n = 256;  // 16 × 16 latents
  const double c = 64;
  // Six residual blocks of 18c² a token (of 27c² where the block of before is read besides, with a
  // product of 2c² more) and the sample's vector of 4c; the transformer's two products.
  const double blocks = 2 * n * (7 * 18 * c * c + 3 * (9 * c * c + 2 * c * c)) + 7 * 2 * 4 * c * c;
  const double around = 2 * n * 2 * c * c;
  const double attention = 2 * n * 4 * c * c + 4 * n * n * c;
  const double cross = 2 * n * 2 * c * c + 2 * 8 * 2 * 32 * c + 4 * n * 8 * c;
  const double mlp = 2 * n * 12 * c * c;
  const double ends = 2 * n * 9 * (4 + 4) * c + 2 * (4 * c * c + 16 * c * c);
  CHECK(forward_flops(a, 256, true).si() == blocks + around + attention + cross + mlp + ends);
}

TEST_CASE("a residual block keeps the inputs of its norms, activations and convolutions") {
  const Architecture a = unet(kOneLevel);
  // 3 of the width in and 3 of the width out, in 16 bits: four blocks of c, three of 2c; around the
  // transformer the input of a norm and of two products.
  const double c = 64;
  CHECK(kept_a_token(a, 0) == 2 * (4 * 6 * c + 3 * (3 * 2 * c + 3 * c) + 3 * c));
  ListOptions o;
  o.sequence = 256;
  const auto list = std::make_unique<ModelOperators>(model_operators(a, o));
  // Full recompute keeps each block's input, and runs the widest of them: its share of the level.
  const SavedTensor& input = list->layers[0].input;
  CHECK(input.cols.units == 256 * (4 * 64 + 3 * 128 + 64));
  const double widest = 256.0 * 2 * 9 * c + 4 * c * 2;  // and the sample's vector
  CHECK(saved_bytes(list->layers[0]) / list->layers[0].pieces == doctest::Approx(widest));
}

TEST_CASE("the ends of a U-Net keep what they read once") {
  ListOptions o;
  o.sequence = 256;
  const auto list = std::make_unique<ModelOperators>(model_operators(unet(kOneLevel), o));
  // The head: inputs of a norm, of SiLU and of the convolution, and the difference in fp32.
  CHECK(saved_bytes(list->head) == 256.0 * (3 * 64 * 2 + 4 * 8));
}

TEST_CASE("levels have a quarter of the tokens of the one before") {
  const Architecture a = shipped_model("sd-1.5").architecture;
  CHECK(tokens_of(a.trunk.sample, {512, 512}) == 4096);
  CHECK(a.trunk.kinds == 8);
  CHECK(a.layers == 4 + 5 + 5 + 5 + 1);
  CHECK(a.trunk.layers[6].shrink == 64);
  CHECK(a.trunk.layers[6].residuals.count == 7);
  const Architecture xl = shipped_model("sdxl").architecture;
  CHECK(xl.layers == 3 + 5 * 2 + 6 * 10);
  CHECK(xl.heads == 20);
}

TEST_CASE("U-Nets of other parts are refused, with the parts that are read") {
  CHECK(says(refusal(R"({"_class_name": "UNet2DConditionModel"})"), "block_out_channels"));
  const auto without = [](const std::string& keys) {
    return refusal(R"({"_class_name": "UNet2DConditionModel", "block_out_channels": [64, 128], )" +
                   keys + "}");
  };
  CHECK(says(without(R"("down_block_types": ["DownBlock2D", "AttnDownBlock2D"])"),
             "CrossAttnDownBlock2D"));
  CHECK(says(without(R"("down_block_types": ["DownBlock2D"])"), "each of the 2 levels"));
  CHECK(says(without(R"("class_embed_type": "timestep")"), "null"));
  CHECK(says(without(R"("resnet_time_scale_shift": "scale_shift")"), "default"));
  CHECK(says(without(R"("attention_head_dim": [5, 7])"), "divide the width"));
}
