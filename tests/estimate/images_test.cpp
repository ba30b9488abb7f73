// SPDX-License-Identifier: Apache-2.0
//
// Runs with images, and with packed documents of different lengths.
#include <doctest/doctest.h>

#include "core/error.h"
#include "estimate/estimate.h"
#include "parallel/stages.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// A small Qwen2-VL on 16 GPUs.
Json images_run(std::int64_t images) {
  return json_of(R"({"model": {"model_type": "qwen2_vl", "hidden_size": 1024,
      "num_hidden_layers": 8, "num_attention_heads": 16, "num_key_value_heads": 4,
      "intermediate_size": 4096, "vocab_size": 32000, "vision_config": {"depth": 4,
      "embed_dim": 512, "num_heads": 8, "mlp_ratio": 4, "patch_size": 14}},
    "cluster": {"node": "dgx-h100", "gpus": 16},
    "training": {"sequence_length": 4096, "global_batch": 64, "image_tokens": 256, "images": )" +
                 std::to_string(images) + R"(}, "parallel": {"tp": 2, "pp": 2}})");
}

Json documents_run(const std::string& lengths, const std::string& parallel) {
  const std::string given = lengths.empty() ? "" : R"(, "sequence_lengths": )" + lengths;
  return json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
    "training": {"sequence_length": 32768, "global_batch": 64)" +
                 given + R"(}, "parallel": {"tp": 2)" + parallel + "}}");
}

double step(const Json& run) { return estimate(run_of(run)).step_time.si(); }

double sent_by_context(const Json& run) {
  const Answer a = estimate(run_of(run));
  double bytes = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (a.comm[i].dimension == CommDimension::cp) bytes += a.comm[i].bytes.si();
  }
  return bytes;
}

}  // namespace

TEST_CASE("an image has no more tokens than the encoder has positions for") {
  Json run = images_run(1);
  run["model"]["model_type"] = "paligemma";
  run["model"]["vision_config"] = json_of(R"({"model_type": "siglip_vision_model",
      "num_hidden_layers": 4, "hidden_size": 512, "num_attention_heads": 8,
      "intermediate_size": 2048, "patch_size": 14, "num_image_tokens": 256})");
  CHECK(run_of(run).model.tower.positions == 256);
  run["training"]["image_tokens"] = 257;
  CHECK_THROWS_WITH_AS(run_of(run),
                       doctest::Contains("training.image_tokens: found 257; allowed: up to 256"),
                       InputError);
}

TEST_CASE(
    "images add their encoder to memory and time of the first stage, more the more they are") {
  const Run without = run_of(images_run(0));
  CHECK(without.model.tower.layers == 0);
  const Run some = run_of(images_run(4));
  CHECK(some.model.tower.layers == 4);
  CHECK(some.model_flops > without.model_flops);
  CHECK(estimate(some).memory[MemoryLine::weights] > estimate(without).memory[MemoryLine::weights]);
  CHECK(step(images_run(4)) > step(images_run(0)));
  CHECK(step(images_run(8)) > step(images_run(4)));
  // The resolved run says the same when it is read again.
  const ResolvedRun once = resolved(images_run(4));
  CHECK(run_of(*once.inputs).model == some.model);
}

TEST_CASE("an encoder of images may have the first stage to itself") {
  Json apart = images_run(8);
  apart["parallel"]["pp"] = 4;
  const Run beside = run_of(apart);
  apart["parallel"]["vision_stage"] = true;
  const Run alone = run_of(apart);
  std::vector<std::int64_t> layers;
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const BlockCounts n = blocks_of(alone.strategy, alone.model, stage);
    CHECK(n[BlockType::tower] == (stage == 0 ? 4 : 0));
    layers.push_back(n[BlockType::layer_0]);
  }
  CHECK(layers == std::vector<std::int64_t>{0, 2, 3, 3});
  CHECK(blocks_of(beside.strategy, beside.model, 0)[BlockType::layer_0] == 2);
  // The same work on other stages.
  CHECK(estimate(alone).step_time != estimate(beside).step_time);
  CHECK(alone.model_flops == beside.model_flops);
  CHECK(run_of(*resolved(apart).inputs).strategy.vision_stage);
}

TEST_CASE("a stage for images needs a pipeline and images") {
  Json run = images_run(8);
  run["parallel"] = {{"tp", 2}, {"pp", 1}, {"vision_stage", true}};
  CHECK_THROWS_AS(run_of(run), InputError);
  run = images_run(0);
  run["parallel"]["vision_stage"] = true;
  CHECK_THROWS_AS(run_of(run), InputError);
}

TEST_CASE("packed documents take less than whole sequences and unequal ones more than equal") {
  const double whole = step(documents_run("", ""));
  const double equal = step(documents_run(R"([{"length": 4096, "share": 1}])", ""));
  CHECK(equal < whole);
  CHECK(step(documents_run(R"([{"length": 32768, "share": 1}])", "")) == about(whole));
  // Lengths with the same mean square over mean: 4,096 tokens for a mean token.
  const std::string mixed = R"([{"length": 1024, "share": 8}, {"length": 7168, "share": 1}])";
  CHECK(step(documents_run(mixed, "")) > equal);
}

TEST_CASE("dynamic context parallelism sends the keys of long documents alone") {
  const std::string mixed = R"([{"length": 2048, "share": 8}, {"length": 32768, "share": 1}])";
  const double all = sent_by_context(documents_run(mixed, R"(, "cp": 4)"));
  const double few = sent_by_context(documents_run(mixed, R"(, "cp": 4, "dynamic_cp": true)"));
  CHECK(few > 0);
  CHECK(few == about(all * 32768 / (32768 + 8 * 2048)));
}
