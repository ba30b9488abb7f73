// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/foreign.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::with;

const char* const kDense = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
  "training": {"sequence_length": 8192, "global_batch": 256}, "framework": "megatron-core",
  "parallel": {"recompute": "full"}})";

const char* const kOwnModel = R"({"model": {
  "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
  "intermediate_size": 14336, "vocab_size": 128256, "norm": "rmsnorm", "hidden_act": "swiglu",
  "position_embedding": "rope", "tie_word_embeddings": false, "sliding_window": 1025,
  "rope_theta": 250000.0}})";

ExportedRun exported(const Json& run, ForeignFormat format = ForeignFormat::megatron) {
  return export_run(format, testing::resolved(run), run, testing::shipped_configs());
}

bool says(const ExportedRun& e, const std::string& flag) {
  return (" " + e.text).find(" --" + flag + " ") != std::string::npos ||
         e.text.find(" --" + flag + "\n") != std::string::npos;
}

bool lists(const ExportedRun& e, const std::string& path) {
  return std::any_of(e.not_expressed.begin(), e.not_expressed.end(),
                     [&](const NotExpressed& n) { return n.path == path; });
}

}  // namespace

TEST_CASE("Megatron-LM takes a whole number as the base of rotary positions") {
  const ExportedRun e = exported(with(json_of(kDense), kOwnModel));
  CHECK(e.text.find("--rotary-base 250000 ") != std::string::npos);
}

TEST_CASE("A sliding window is written as the tokens before each") {
  const Json run = with(json_of(kDense), kOwnModel);
  CHECK(exported(run).text.find("--window-size 1024,0 ") != std::string::npos);
  CHECK(exported(run, ForeignFormat::bridge).text.find("window_size: [1024,0]") !=
        std::string::npos);
}

TEST_CASE("Megatron-LM's overlaps stand only beside what they need") {
  const auto of = [](const char* change) { return exported(with(json_of(kDense), change)); };
  const char* tp = "tp-comm-overlap";
  CHECK_FALSE(says(of("{}"), tp));
  CHECK(says(of(R"({"parallel": {"tp": 2, "sequence_parallel": true}})"), tp));
  const ExportedRun alone = of(R"({"parallel": {"tp": 2}})");
  CHECK_FALSE(says(alone, tp));
  CHECK(lists(alone, "parallel.framework_options.tp_comm_overlap"));
  const char* gather = "overlap-param-gather";
  CHECK(says(of("{}"), gather));
  CHECK_FALSE(says(of(R"({"parallel": {"zero": 0}})"), gather));
  const ExportedRun late =
      of(R"({"parallel": {"framework_options": {"overlap_grad_reduce": false}}})");
  CHECK_FALSE(says(late, gather));
  CHECK(lists(late, "parallel.framework_options.overlap_param_gather"));
}

TEST_CASE("Megatron's exports say where gradients have a pass of their own") {
  const Json apart =
      with(json_of(kDense),
           R"({"parallel": {"framework_options": {"gradient_accumulation_fusion": false}}})");
  const char* flag = "no-gradient-accumulation-fusion";
  CHECK_FALSE(says(exported(json_of(kDense)), flag));
  CHECK(says(exported(apart), flag));
  const ExportedRun bridge = exported(apart, ForeignFormat::bridge);
  CHECK(bridge.text.find("gradient_accumulation_fusion: false") != std::string::npos);
}

TEST_CASE("Megatron-LM's optimizer on the host, and of few bits, names what it rests on") {
  const auto of = [](const char* change) { return exported(with(json_of(kDense), change)); };
  const char* aware = "use-precision-aware-optimizer";
  CHECK(says(of(R"({"parallel": {"offload": {"optimizer": "host"}}})"), aware));
  CHECK(says(of(R"({"training": {"states": "bf16-moments"}})"), aware));
  CHECK_FALSE(says(of("{}"), aware));
}

TEST_CASE("DeepSeek-V3 in Megatron-LM's words has its norms and the router its bias is of") {
  const Json run = json_of(R"({"model": "deepseek-v3",
      "cluster": {"node": "h800-80gb", "gpus": 2048}, "framework": "megatron-core",
      "training": {"sequence_length": 4096, "global_batch": 15360},
      "parallel": {"ep": 64, "pp": 16, "recompute": "full"}})");
  const ExportedRun e = exported(run);
  CHECK(says(e, "moe-router-enable-expert-bias"));
  CHECK(says(e, "moe-router-score-function sigmoid"));
  CHECK(says(e, "multi-latent-attention --qk-layernorm"));
  CHECK_FALSE(says(e, "tp-comm-overlap"));
}

TEST_CASE("as many layers checkpointed as every n-th is are torchtitan's option n") {
  const auto of = [](const char* change) {
    return exported(with(with(json_of(kDense), R"({"framework": "torchtitan"})"), change),
                    ForeignFormat::torchtitan_toml);
  };
  const ExportedRun half =
      of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 16}})");
  CHECK(half.text.find("selective_ac_option = \"2\"") != std::string::npos);
  CHECK_FALSE(lists(half, "parallel.recompute"));
  CHECK_FALSE(lists(half, "parallel.recompute_layers"));
  const ExportedRun most =
      of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 20}})");
  CHECK(most.text.find("selective_ac_option") == std::string::npos);
  CHECK(lists(most, "parallel.recompute_layers"));
}

TEST_CASE("a schedule the tool does not have is refused by name") {
  const auto run = [](const std::string& schedule) {
    return with(json_of(kDense), R"({"parallel": {"pp": 4, "schedule": ")" + schedule + "\"}}");
  };
  for (const char* schedule : {"breadth-first", "gpipe", "zb-h1", "dualpipe"}) {
    CHECK_THROWS_WITH_AS(exported(run(schedule)),
                         doctest::Contains((std::string("parallel.schedule: found \"") + schedule +
                                            "\"; allowed: 1f1b or interleaved")
                                               .c_str()),
                         InputError);
  }
  CHECK_NOTHROW(exported(run("1f1b")));
  CHECK_NOTHROW(exported(run("gpipe"), ForeignFormat::torchtitan));
  CHECK_NOTHROW(exported(run("deepspeed"), ForeignFormat::deepspeed));
  CHECK_THROWS_AS(exported(run("zb-h1"), ForeignFormat::torchtitan_toml), InputError);
  CHECK_THROWS_AS(exported(run("zb-h1"), ForeignFormat::deepspeed), InputError);
}

TEST_CASE("a key whose loss changes step or memory is refused, one that does not is listed") {
  const auto of = [](const char* change) { return exported(with(json_of(kDense), change)); };
  CHECK_THROWS_WITH_AS(
      of(R"({"parallel": {"offload": {"parameters": "host"}, "zero": 3}})"),
      doctest::Contains("parallel.offload: found {\"optimizer\":\"none\",\"parameters\":\"host\""),
      InputError);
  CHECK_THROWS_AS(of(R"({"training": {"precision": "tf32"}})"), InputError);
  const ExportedRun listed = of(R"({"model": "opt-175b", "cluster": {"gpus": 1024},
      "training": {"sequence_length": 2048, "global_batch": 1024}, "parallel": {"tp": 8}})");
  CHECK(lists(listed, "model.hidden_act"));
}

TEST_CASE("torchtitan converts layers to fp8 only where its list of converters says so") {
  const auto of = [](const char* change) {
    return exported(with(with(json_of(kDense), R"({"framework": "torchtitan",
        "training": {"precision": "fp8"}})"),
                         change),
                    ForeignFormat::torchtitan_toml);
  };
  for (const char* recipe : {"none", "tensorwise", "rowwise"}) {
    CAPTURE(recipe);
    const ExportedRun e =
        of((R"({"parallel": {"framework_options": {"float8": ")" + std::string(recipe) + "\"}}}")
               .c_str());
    CHECK(e.text.find("converters = [\"quantize.linear.float8\"]\n") != std::string::npos);
    CHECK_FALSE(lists(e, "training.precision"));
    CHECK_FALSE(lists(e, "parallel.framework_options.float8"));
  }
  const ExportedRun bf16 = of(R"({"training": {"precision": "bf16"}})");
  CHECK(bf16.text.find("converters") == std::string::npos);
  CHECK(bf16.text.find("float8") == std::string::npos);
}

TEST_CASE("torchtitan's types say what computes and what is kept, but no reduction in 16 bits") {
  const auto of = [](const char* change) {
    return exported(with(with(json_of(kDense), R"({"framework": "torchtitan"})"), change),
                    ForeignFormat::torchtitan_toml);
  };
  const ExportedRun wide = of(R"({"training": {"precision": "fp32"}})");
  CHECK(wide.text.find("mixed_precision_param = \"float32\"\n") != std::string::npos);
  CHECK_FALSE(lists(wide, "training.precision"));
  CHECK_FALSE(lists(wide, "training.states"));
  const ExportedRun narrow = of(R"({"training": {"states": {"weights": 2, "gradients": 2,
      "optimizer": 4, "reduced": 4, "gathered": 2}}})");
  CHECK(narrow.text.find("\ndtype = \"bfloat16\"\n") != std::string::npos);
  CHECK_FALSE(lists(narrow, "training.states"));
  const ExportedRun sent_in_16 = of(R"({"training": {"states": "fsdp-amp"}})");
  CHECK(sent_in_16.text.find("mixed_precision_reduce") == std::string::npos);
  CHECK(lists(sent_in_16, "training.states"));
}

TEST_CASE("DeepSpeed's pipeline checkpoints all layers in groups, not the first ones alone") {
  const auto of = [](const char* change) {
    return exported(with(with(json_of(kDense), R"({"framework": "deepspeed",
        "parallel": {"pp": 2, "zero": 1, "schedule": "deepspeed"}})"),
                         change),
                    ForeignFormat::deepspeed);
  };
  const auto interval = [](const ExportedRun& e) {
    return value_at(json_of(e.text), "pipeline.activation_checkpoint_interval");
  };
  // 16 layers a stage.
  const ExportedRun first =
      of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 6}})");
  CHECK(interval(first).is_null());
  CHECK(lists(first, "parallel.recompute"));
  CHECK(interval(of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 16}})")) ==
        1);
  CHECK(interval(of(R"({"parallel": {"recompute_method": "uniform", "recompute_layers": 4}})")) ==
        4);
  CHECK(interval(of("{}")) == 1);
  CHECK(interval(of(R"({"parallel": {"recompute": "none"}})")) == 0);
}

TEST_CASE("a mixture in Megatron-LM's words groups its experts and names its dispatcher") {
  const auto of = [](const char* change) {
    return exported(with(json_of(R"({"model": "mixtral-8x7b", "framework": "megatron-core",
        "cluster": {"node": "dgx-h100", "gpus": 64}, "parallel": {"ep": 8, "recompute": "full"},
        "training": {"sequence_length": 4096, "global_batch": 256}})"),
                         change));
  };
  const ExportedRun flex = of("{}");
  CHECK(says(flex, "moe-grouped-gemm"));
  CHECK(says(flex, "moe-token-dispatcher-type flex"));
  CHECK(says(flex, "moe-enable-deepep"));
  const ExportedRun all = of(R"({"parallel": {"framework_options": {"dispatcher": "alltoall"}}})");
  CHECK(says(all, "moe-token-dispatcher-type alltoall"));
  CHECK_FALSE(says(all, "moe-enable-deepep"));
  const ExportedRun older = of(R"({"framework": "megatron-lm"})");
  CHECK(says(older, "moe-token-dispatcher-type alltoall"));
  const ExportedRun alone = of(R"({"framework": "megatron-lm", "parallel": {"ep": 1, "tp": 8}})");
  CHECK_FALSE(says(alone, "moe-token-dispatcher-type alltoall"));
  CHECK_FALSE(says(exported(json_of(kDense)), "moe-grouped-gemm"));
}

TEST_CASE("Megatron-LM's optimizers are written as they are read") {
  const auto of = [](const char* change) { return exported(with(json_of(kDense), change)); };
  const ExportedRun muon = of(R"({"training": {"optimizer": "muon"}, "parallel": {"zero": 1}})");
  CHECK(says(muon, "optimizer dist_muon"));
  CHECK_FALSE(says(muon, "use-distributed-optimizer"));
  CHECK_FALSE(lists(muon, "training.optimizer"));
  CHECK_FALSE(lists(muon, "parallel.zero"));
  CHECK(says(of(R"({"training": {"optimizer": "muon"}, "parallel": {"zero": 0}})"),
             "optimizer muon"));
  // 2 + 4 bytes, and 2 + 4 + 4 of remainders and moments.
  const ExportedRun remainders = of(R"({"training": {"states": {"weights": 2, "gradients": 4,
      "optimizer": 10, "reduced": 4, "gathered": 2}}})");
  CHECK(says(remainders, "use-precision-aware-optimizer"));
  CHECK_FALSE(says(remainders, "no-store-param-remainders"));
  CHECK_FALSE(says(remainders, "exp-avg-dtype bf16"));
  CHECK_FALSE(lists(remainders, "training.states"));
  // 2 + 2 + 2, of gradients in 16 bits.
  const ExportedRun least = of(R"({"training": {"states": {"weights": 2, "gradients": 2,
      "optimizer": 6, "reduced": 2, "gathered": 2}}})");
  CHECK(says(least, "main-grads-dtype bf16"));
  CHECK(says(least, "exp-avg-dtype bf16"));
  CHECK(says(least, "exp-avg-sq-dtype bf16"));
  CHECK_FALSE(lists(least, "training.states"));
}

TEST_CASE("a model without positions says so in Megatron-LM's words") {
  Json run = json_of(kDense);
  run["model"] = json_of(R"({"num_hidden_layers": 32, "hidden_size": 4096, "vocab_size": 128256,
      "num_attention_heads": 32, "intermediate_size": 16384, "position_embedding": "none"})");
  const ExportedRun e = exported(run);
  CHECK(says(e, "position-embedding-type none"));
  CHECK_FALSE(lists(e, "model.position_embedding"));
}

}  // namespace orrery
