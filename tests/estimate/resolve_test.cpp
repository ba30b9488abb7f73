// SPDX-License-Identifier: Apache-2.0
//
// Run files to runs: what is refused and how, what is assumed, and that a resolved run resolves to
// itself.
#include "estimate/resolve.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "estimate/mixed_document.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json gpt3() {
  return json_of(R"({
    "model": "gpt3-175b",
    "cluster": {"node": "dgx-a100-80gb", "gpus": 1024},
    "training": {"sequence_length": 2048, "global_batch": 1536, "micro_batch": 1,
                 "precision": "fp16", "flash_attention": false, "tokens": 300e9},
    "parallel": {"tp": 8, "pp": 8, "dp": "auto", "sequence_parallel": true, "zero": 1,
                 "recompute": "selective"},
    "framework": "megatron-lm"})");
}

std::string refusal_of(const Json& run) {
  try {
    resolved(run);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

std::string refusal(const std::string& change) { return refusal_of(with(gpt3(), change)); }

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool assumes(const ResolvedRun& r, const std::string& path) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&path](const Fact& a) { return a.path == path; });
}

// The resolved run, read again, is the same run.
void check_round_trip(const Json& run) {
  const ResolvedRun once = resolve_with_rl(run, "run.json", shipped_configs());
  const ResolvedRun twice = resolve_with_rl(*once.inputs, "run.json", shipped_configs());
  CHECK(*twice.inputs == *once.inputs);
  const Answer a = estimate(once.run);
  const Answer b = estimate(twice.run);
  CHECK(a.step_time == b.step_time);
  CHECK(a.memory.peak == b.memory.peak);
  CHECK(a.model_flops == b.model_flops);
  for (const Fact& still : twice.assumed) CAPTURE(still.path);
  CHECK(!assumes(twice, "parallel.dp"));
  CHECK(!assumes(twice, "parallel.recompute"));
  CHECK(!assumes(twice, "training.states"));
}

}  // namespace

TEST_CASE("a switch that takes what our key says is derived from it") {
  const std::string option = "parallel.framework_options.cp_comm_type";
  const auto run = [](const char* parallel) {
    return resolved(with(
        gpt3(), R"({"framework": "megatron-core", "parallel": )" + std::string(parallel) + "}"));
  };
  const auto known = [&](const char* parallel) {
    const ResolvedRun r = run(parallel);
    return find_fact(r.assumed, option)->known;
  };
  CHECK(known(R"({"cp": 2})") == Known::tool_default);
  CHECK(known(R"({"cp": 2, "cp_type": "p2p"})") == Known::tool_default);  // it says so by itself
  CHECK(known(R"({"cp": 2, "cp_type": "a2a"})") == Known::derived);
}

TEST_CASE("a run of the README resolves") {
  const ResolvedRun r = resolved(gpt3());
  CHECK(r.run.strategy.dp == 16);
  CHECK(r.run.strategy.micro_batches == 96);
  CHECK(r.run.training.tokens == 300000000000);
  CHECK(assumes(r, "parallel.dp"));
  CHECK(assumes(r, "parallel.schedule"));
  CHECK(!assumes(r, "parallel.tp"));
  CHECK(r.run.strategy.partition == Partition{1, 1, 16});
}

TEST_CASE("model, cluster, sequence and batch are required, nothing else is") {
  for (const char* path : {"model", "cluster", "training"}) {
    Json run = gpt3();
    run.erase(path);
    CHECK(holds(refusal_of(run), std::string("run.json: ") + path + ": found nothing"));
  }
  CHECK(holds(refusal(R"({"training": {"sequence_length": null}})"), "training.sequence_length"));
  CHECK(holds(refusal(R"({"training": {"global_batch": null}})"), "training.global_batch"));
  const Json least = json_of(R"({"model": "llama-3-8b",
      "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 8}})");
  const ResolvedRun r = resolved(least);
  CHECK(r.run.strategy.dp == 8);
  for (const char* path : {"training.precision", "training.states", "training.micro_batch",
                           "parallel.tp", "parallel.zero", "parallel.recompute", "framework"}) {
    CAPTURE(path);
    CHECK(assumes(r, path));
  }
}

TEST_CASE("an adapter trains a part that the model has") {
  const std::string encoder = R"({"model": {"num_hidden_layers": 2, "hidden_size": 64,
      "num_attention_heads": 8, "intermediate_size": 256, "vocab_size": 1000, "output": "none"},
      "training": {"adapter": )";
  CHECK(
      holds(refusal(encoder + R"({"kind": "frozen", "trained": ["head"]}}})"),
            "training.adapter.trained: found nothing that the model has; allowed: at least one of "
            "embedding or norms"));
  CHECK(
      holds(refusal(encoder + R"({"kind": "lora", "targets": ["head"]}}})"),
            "training.adapter.targets: found nothing that the model has; allowed: at least one of "
            "query, key"));
}

TEST_CASE("an error names file, path and the nearest right name") {
  CHECK(holds(refusal(R"({"modle": 1})"), "run.json: modle: found an unknown key"));
  CHECK(holds(refusal(R"({"training": {"adapter": {"kind": "lora", "targets": []}}})"),
              "training.adapter.targets: found []"));
  CHECK(holds(refusal(R"({"training": {"adapter": {"kind": "frozen", "trained": []}}})"),
              "training.adapter.trained: found []"));
  CHECK(holds(refusal(R"({"training": {"adapter": {"kind": "frozen", "trained": ["head"],
                                                   "rank": 8}}})"),
              "training.adapter.rank: found it beside kind \"frozen\""));
  CHECK(holds(refusal(R"({"training": {"adapter": {"kind": "qlora", "base_precision": "16bit"}}})"),
              "training.adapter.base_precision: found \"16bit\" beside kind \"qlora\""));
  CHECK(
      holds(refusal(R"({"training": {"adapter": {"kind": "lora", "double_quantisation": true}}})"),
            "training.adapter.double_quantisation: found it beside base_precision \"16bit\""));
  CHECK(holds(refusal(R"({"training": {"adapter": {"kind": "lora", "targets": ["gate"]}}})"),
              "training.adapter.targets: found \"gate\"; allowed: \"up\""));
  CHECK(holds(refusal(R"({"training": {"image_tokens": 256}})"),
              "training.image_tokens: found 256 without training.images"));
  CHECK(holds(refusal(R"({"training": {"sequence_lengths": [{"length": 4096, "share": 1}]}})"),
              "training.sequence_lengths: found a document of 4096 tokens; "
              "allowed: up to sequence_length, 2048"));
  CHECK(holds(refusal(R"({"modle": 1})"), "did you mean \"model\"?"));
  CHECK(holds(refusal(R"({"model": "gpt3-175"})"), "did you mean \"gpt3-175b\"?"));
  CHECK(holds(refusal(R"({"parallel": {"tp": 0}})"), "run.json: parallel.tp: found 0"));
  CHECK(holds(refusal(R"({"parallel": {"tp": 7}})"), "tp·cp·pp 56, gpus 1024"));
  CHECK(holds(refusal(R"({"parallel": {"recompute": "ful"}})"), "did you mean \"full\"?"));
  CHECK(holds(refusal(R"({"training": {"precision": "fp8"}})"), "training.precision"));
  CHECK(holds(refusal(R"({"training": {"states": "adam-mixed-18"}})"), "adam-mixed-16"));
  CHECK(holds(refusal(R"({"training": {"global_batch": 1537}})"), "training.global_batch"));
  CHECK(holds(refusal(R"({"training": {"global_batch": 1536.5}})"), "training.global_batch"));
  CHECK(holds(refusal(R"({"framework": "megatron"})"), "megatron-lm"));
  CHECK(holds(refusal(R"({"parallel": {"framework_options": {"x": true}}})"),
              "parallel.framework_options.x"));
}

TEST_CASE("a stack without a fused kernel on the device takes none, and refuses one") {
  const char* volta = R"({"cluster": {"node": "dgx-1-v100-32gb"},
                          "training": {"flash_attention": null}})";
  const auto fused = [&](const char* framework) {
    Json run = with(gpt3(), volta);
    run["framework"] = framework;
    return resolved(run).run.training.fused_attention;
  };
  CHECK_FALSE(fused("megatron-lm"));
  CHECK_FALSE(fused("megatron-core"));
  CHECK(fused("eager"));  // PyTorch's memory-efficient kernel
  const std::string refused =
      refusal(R"({"cluster": {"node": "dgx-1-v100-32gb"}, "training": {"flash_attention": true}})");
  CHECK(holds(refused, "has no fused kernel of megatron-lm"));
  CHECK(holds(refused, "training.attention_kernel"));
}

TEST_CASE("torchtitan splits the sequence with tensor parallelism unless the run says otherwise") {
  const auto split = [](const char* sequence) {
    Json run = with(gpt3(), R"({"framework": "torchtitan", "parallel": {"zero": 3}})");
    run["parallel"]["sequence_parallel"] = json_of(sequence);
    return resolved(run);
  };
  CHECK(split("null").run.strategy.sequence_parallel);
  CHECK(assumes(split("null"), "parallel.sequence_parallel"));
  CHECK_FALSE(split("false").run.strategy.sequence_parallel);
}

TEST_CASE("a framework of the user's own with unknown states is refused, not run") {
  Json run = gpt3();
  const auto text = shipped_config("frameworks", "generic");
  run["framework"] = parse_json(text->text, text->file);
  run["framework"]["states"] = "adam-mixed-17";
  const std::string stated = refusal_of(run);
  CHECK(holds(stated, "adam-mixed-16"));
}

TEST_CASE("absent recompute is the least that fits") {
  const auto chosen = [](const char* change) {
    const ResolvedRun r = resolved(with(gpt3(), change));
    CHECK(assumes(r, "parallel.recompute"));
    return r.run.strategy.recompute;
  };
  // 114sbh/t a layer is 32 GiB, four times that is more than there is, a third of it is not.
  CHECK(chosen(R"({"parallel": {"recompute": null}})") == Recompute::none);
  CHECK(chosen(R"({"parallel": {"recompute": null}, "training": {"micro_batch": 4}})") ==
        Recompute::selective);
  CHECK(chosen(R"({"model": "gpt3-1.3b", "parallel": {"recompute": null}})") == Recompute::none);
}

TEST_CASE("absent recompute is the least that fits of what the framework has") {
  const auto chosen = [](const char* framework, int micro_batch) {
    Json run = with(gpt3(), R"({"parallel": {"recompute": null, "zero": 1}})");
    const auto text = shipped_config("frameworks", "megatron-lm");
    run["framework"] = parse_json(text->text, text->file);
    run["framework"]["runs"] = json_of(framework);
    run["training"]["micro_batch"] = micro_batch;
    return resolved(run).run.strategy;
  };
  // GPT-3 in this layout needs selective recompute for 4 sequences, some layers in full for 16.
  const char* any = R"({"recompute": ["none", "selective", "layers", "full"]})";
  const char* whole = R"({"recompute": ["none", "full"]})";
  CHECK(chosen(any, 4).recompute == Recompute::selective);
  CHECK(chosen(any, 16).recompute_layers > 0);
  CHECK(chosen(whole, 1).recompute == Recompute::none);
  CHECK(chosen(whole, 4).recompute == Recompute::full);
  CHECK(chosen(whole, 4).recompute_layers == 0);
  CHECK(chosen(whole, 4).recompute_method == RecomputeMethod::uniform);
  CHECK(chosen(R"({"recompute": ["none"]})", 16).recompute == Recompute::none);
}

TEST_CASE("recompute left open is of one layer in n where the framework has no other") {
  const auto layers = [](bool one_in_n, double capacity) {
    Json run = with(gpt3(), R"({"parallel": {"recompute": null}, "training": {"micro_batch": 4}})");
    const auto text = shipped_config("frameworks", "megatron-lm");
    run["framework"] = parse_json(text->text, text->file);
    run["framework"]["runs"] = json_of(R"({"recompute": ["layers", "full"]})");
    run["framework"]["recompute"]["one_in_n"] = one_in_n;
    run["cluster"]["device"]["memory_capacity"] = capacity;
    return resolved(run).run.strategy.recompute_layers;
  };
  // Twelve layers a chunk: every second to every twelfth.
  for (double capacity = 60e9; capacity < 140e9; capacity += 2e9) {
    const std::int64_t any = layers(false, capacity);
    const std::int64_t one_in_n = layers(true, capacity);
    CAPTURE(capacity);
    if (any == 0) {
      CHECK(one_in_n == 0);
      continue;
    }
    const std::int64_t next = any <= 4 ? any : any <= 6 ? 6 : 0;  // 0: all, one by one
    CHECK(one_in_n == next);
  }
}

TEST_CASE("a run that asks for recompute that its framework lacks is warned") {
  const auto warning = [](const char* parallel) {
    const ResolvedRun r = resolved(with(json_of(R"({
        "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
        "training": {"sequence_length": 2048, "global_batch": 8}, "framework": "hf-trainer"})"),
                                        parallel));
    return r.warnings.empty() ? std::string() : r.warnings.front();
  };
  CHECK(warning(R"({"parallel": {"recompute": "full"}})").empty());
  CHECK(warning("{}").empty());
  CHECK(warning(R"({"parallel": {"recompute": "selective"}})") ==
        "framework hf-trainer has recompute none or full, and this run asks for selective");
  CHECK(holds(warning(R"({"parallel": {"recompute_layers": 3}})"),
              "asks for full recompute of some layers"));
  CHECK(warning(R"({"framework": "torchtitan", "parallel": {"recompute": "full",
                    "recompute_method": "block", "recompute_layers": 10}})")
            .empty());
  CHECK(warning(R"({"framework": "torchtitan", "parallel": {"recompute": "full",
                    "recompute_method": "block", "recompute_layers": 7}})") ==
        "framework torchtitan recomputes one layer in n, and no n makes that 7 of 32 layers");
}

TEST_CASE("attention that takes 16 bits is warned of in 32") {
  const auto warnings = [](const char* change) {
    return resolved(with(gpt3(), change)).warnings.size();
  };
  CHECK(warnings("{}") == 0);
  CHECK(warnings(R"({"training": {"precision": "fp32", "flash_attention": true}})") == 1);
  CHECK(warnings(R"({"training": {"precision": "fp32", "flash_attention": false}})") == 0);
  CHECK(warnings(R"({"training": {"precision": "fp32", "flash_attention": true,
                                  "attention_kernel": "sdpa"}})") == 0);
}

TEST_CASE("SGD has one moment of the framework's recipe") {
  const auto recipe = [](const char* training) {
    return resolved(with(gpt3(), training)).run.training.recipe;
  };
  // Weights, gradients and one moment in 32 bits.
  const StateRecipe whole = recipe(R"({"training": {"precision": "fp32", "optimizer": "sgd"}})");
  CHECK(whole == StateRecipe{4, 4, 4, 4, 4, 0, 4});
  // Main gradients stay in 32 bits; fp32 weights and one moment.
  const StateRecipe named =
      recipe(R"({"training": {"states": "adam-fp32-gradients-18", "optimizer": "sgd"}})");
  CHECK(named == StateRecipe{2, 4, 8, 4, 2, 0, 4});
  CHECK(recipe(R"({"training": {"states": "sgd", "optimizer": "sgd"}})") ==
        find_recipe("sgd")->recipe);
}

TEST_CASE("a run whose layout its framework is not known to run is warned") {
  const auto warning = [](const char* framework, const char* parallel) {
    Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
                           "training": {"sequence_length": 2048, "global_batch": 64}})");
    run["framework"] = framework;
    run["parallel"] = json_of(parallel);
    const ResolvedRun r = resolved(run);
    CHECK(r.warnings.size() <= 1);
    return r.warnings.empty() ? std::string() : r.warnings.front();
  };
  CHECK(warning("hf-trainer", R"({"tp": 8})") ==
        "framework hf-trainer is known to run tp 1; tp 8 is priced as asked");
  CHECK(warning("hf-trainer", "{}").empty());
  CHECK(warning("deepspeed", R"({"pp": 4, "zero": 3})") ==
        "framework deepspeed is known to run zero 0 or 1 beside a pipeline; zero 3 is priced as "
        "asked");
  CHECK(warning("deepspeed", R"({"pp": 4, "zero": 1})").empty());
  CHECK(warning("deepspeed", R"({"zero": 3})").empty());
  CHECK(warning("megatron-lm", R"({"pp": 4, "schedule": "zb-h1"})") ==
        "framework megatron-lm is known to run schedule 1f1b or interleaved; schedule zb-h1 is "
        "priced as asked");
  CHECK(warning("generic", R"({"pp": 4, "zero": 3, "schedule": "zb-h1"})").empty());
}

TEST_CASE("a resolved run resolves to itself") {
  check_round_trip(gpt3());
  for (const char* change : {
           R"({"parallel": {"recompute": null}})",
           R"({"parallel": {"zero": 3, "zero_shard_group": 4}})",
           R"({"parallel": {"zero": null, "partition": {"weights": 2, "gradients": 4,
                                                        "optimizer": 16}}})",
           R"({"parallel": {"vpp": 3, "cp": 2, "cp_type": "a2a"}})",
           R"({"parallel": {"recompute": "full", "recompute_method": "block",
                            "recompute_layers": 2}})",
           R"({"parallel": {"recompute": "selective", "recompute_modules": ["mlp", "core_attn"]}})",
           R"({"parallel": {"stage_layers": [9, 13, 13, 13, 12, 12, 12, 12]}})",
           R"({"parallel": {"offload": {"optimizer": "host", "optimizer_fraction": 0.5}}})",
           R"({"parallel": {"overlap": {"grad_reduce": true}}})",
           R"({"parallel": {"framework_options": {"overlap_grad_reduce": true}}})",
           R"({"parallel": {"order": "tp-cp-ep-pp-dp"}})",
           R"({"training": {"states": {"weights": 2, "gradients": 4, "optimizer": 6}}})",
           R"({"training": {"precision": "bf16", "optimizer": "sgd"}})",
           R"({"cluster": {"device": {"memory_capacity": "96 GiB"}}})",
           R"({"flops_convention": "palm", "framework": "megatron-core"})",
           R"({"model": "deepseek-v3", "cluster": {"node": "hgx-b200"},
               "parallel": {"ep": 8, "etp": 1}, "training": {"precision": "bf16"}})",
       }) {
    CAPTURE(change);
    check_round_trip(with(gpt3(), change));
  }
}

TEST_CASE("a switch left alone is its default") {
  const std::filesystem::path folder = std::filesystem::path(ORRERY_CONFIG_DIR) / "frameworks";
  int switches = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const Json own = parse_json(text_of_file(path).value_or(""), path);
    if (!value_at(own, "options").is_object()) continue;
    Json run = with(gpt3(), R"({"training": {"precision": "bf16", "flash_attention": null},
                                "parallel": {"recompute": "full"}})");
    run["framework"] = own["name"];
    const Answer alone = estimate(resolved(run).run);
    for (const auto& [name, option] : own["options"].items()) {
      const std::string set = own["name"].get<std::string>() + " " + name;
      CAPTURE(set);
      run["parallel"]["framework_options"] = {{name, option["default"]}};
      const Answer stated = estimate(resolved(run).run);
      CHECK(stated.step_time == alone.step_time);
      CHECK(stated.memory.peak == alone.memory.peak);
      ++switches;
    }
  }
  CHECK(switches > 30);
}

// Sweeps resolve each point for its numbers alone.
TEST_CASE("a run that is resolved for its numbers is the run, with its file in errors") {
  const Json run = json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 8}, "parallel": {"tp": 2}})");
  const ResolvedRun numbers = resolve_for_numbers(run, "point.json", shipped_configs());
  CHECK(numbers.file == "point.json");
  CHECK(estimate(numbers.run).step_time == estimate(resolved(run).run).step_time);
  CHECK(estimate(numbers.run).memory.peak == estimate(resolved(run).run).memory.peak);
  Json wrong = run;
  wrong["parallel"]["tp"] = 0;
  CHECK_THROWS_WITH(resolve_for_numbers(wrong, "point.json", shipped_configs()),
                    doctest::Contains("point.json"));
}

TEST_CASE("a framework of the user's own is kept in the inputs") {
  Json run = gpt3();
  const auto text = shipped_config("frameworks", "generic");
  run["framework"] = parse_json(text->text, text->file);
  run["framework"]["name"] = "mine";
  run["framework"]["host"]["step_overhead"] = "1 s";
  check_round_trip(run);
}

TEST_CASE("shipped runs resolve, and to themselves") {
  const std::filesystem::path folder = std::filesystem::path(ORRERY_CONFIG_DIR) / "runs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    CAPTURE(path);
    const Json run = parse_json(text_of_file(path).value_or(""), path);
    if (has_groups(run)) continue;  // resolved kind by kind (mixed_resolve.h)
    check_round_trip(run);
  }
}

TEST_CASE("torchtitan's float8 stands beside fp8") {
  Json run = gpt3();
  run["framework"] = "torchtitan";
  run["cluster"]["node"] = "dgx-h100";
  run["training"]["global_batch"] = 2048;
  run["training"]["flash_attention"] = true;
  run["parallel"] = {
      {"zero", 3}, {"recompute", "full"}, {"framework_options", {{"float8", "rowwise"}}}};
  run["training"]["precision"] = "bf16";
  CHECK(refusal_of(run).find("parallel.framework_options.float8: found rowwise, and "
                             "training.precision bf16; allowed: none, or training.precision fp8") !=
        std::string::npos);
  run["training"]["precision"] = "fp8";
  CHECK(refusal_of(run) == "accepted");
}
