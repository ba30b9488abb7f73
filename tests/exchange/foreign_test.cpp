// SPDX-License-Identifier: Apache-2.0
#include "exchange/foreign.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/recognise.h"
#include "exchange/settings.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_book.h"
#include "support/runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::resolved;
using testing::with;

const char* const kLlama = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
  "training": {"sequence_length": 8192, "global_batch": 256}, "framework": "megatron-core"})";

std::string text_of_data(const std::string& name) {
  const auto text = testing::text_of_file(std::string(ORRERY_TEST_DATA) + "/exchange/data/" + name);
  REQUIRE(text);
  return *text;
}

const ConfigLookup& shipped() {
  static const ConfigLookup lookup = testing::shipped_configs();
  return lookup;
}

std::vector<std::string> paths(const ExportedRun& e) {
  std::vector<std::string> list;
  for (const NotExpressed& n : e.not_expressed) list.push_back(n.path);
  return list;
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string> settings_of(const ImportedRun& r) {
  std::vector<std::string> list;
  for (const LeftOver& l : r.ignored) list.push_back(l.setting);
  return list;
}

// Keys that a format cannot express for any run.
std::vector<Json> runs() {
  const Json llama = json_of(kLlama);
  return {
      llama,
      with(llama, R"({"parallel": {"tp": 4, "pp": 4, "vpp": 4, "sequence_parallel": true},
                      "training": {"tokens": 8192e9}})"),
      with(llama, R"({"parallel": {"pp": 4, "stage_layers": [7, 9, 9, 7], "recompute": "full",
                      "recompute_method": "block", "recompute_layers": 3}})"),
      with(llama, R"({"parallel": {"cp": 4, "tp": 2, "cp_type": "a2a", "sequence_parallel": true},
                      "training": {"precision": "fp8"}})"),
      with(llama, R"({"parallel": {"zero": 3, "offload": {"optimizer": "host"}}})"),
      with(llama, R"({"framework": "fsdp", "parallel": {"zero": 3, "zero_shard_group": 8}})"),
      with(llama, R"({"framework": "deepspeed", "parallel": {"zero": 3, "zeropp": {"qwz": 8,
                      "hpz": 8}, "overlap": {"grad_reduce": true}}})"),
      with(llama, R"({"framework": "torchtitan", "parallel": {"tp": 8, "sequence_parallel": true,
                      "recompute": "none", "framework_options": {"async_tp": true, "float8": "tensorwise"}},
                      "training": {"precision": "fp8"}})"),
      with(llama, R"({"model": "gpt3-175b", "training": {"sequence_length": 2048,
                      "precision": "fp16", "flash_attention": false}, "framework": "megatron-lm",
                      "parallel": {"tp": 8, "pp": 8, "recompute": "selective"}})"),
      with(llama, R"({"model": "mixtral-8x7b", "training": {"sequence_length": 4096},
                      "parallel": {"ep": 8, "pp": 4, "tp": 2, "sequence_parallel": true}})"),
      with(llama, R"({"model": "deepseek-v3", "cluster": {"node": "h800-80gb", "gpus": 2048},
                      "training": {"sequence_length": 4096, "global_batch": 15360,
                                   "states": "bf16-moments"},
                      "parallel": {"ep": 64, "pp": 16, "recompute": "selective",
                                   "recompute_modules": ["layernorm", "mla_up_proj"]}})"),
      with(llama, R"({"framework": "generic", "flops_convention": "palm",
                      "parallel": {"pp": 2, "schedule": "gpipe"}})"),
  };
}

// Runs that a tool cannot train, by their place above.
bool is_of_another_tool(ForeignFormat format, std::size_t run) {
  constexpr std::array<std::size_t, 3> kNotMegatron = {5, 6, 11};
  constexpr std::array<std::size_t, 2> kNotDeepSpeed = {1, 11};
  const auto has = [run](const auto& list) {
    return std::find(list.begin(), list.end(), run) != list.end();
  };
  if (format == ForeignFormat::megatron || format == ForeignFormat::bridge)
    return has(kNotMegatron);
  if (format == ForeignFormat::accelerate) return resolved(runs()[run]).run.strategy.pp > 1;
  return format == ForeignFormat::deepspeed && has(kNotDeepSpeed);
}

// The exported text, read back and completed from the run, is the same run.
void check_round_trip(ForeignFormat format, const Json& run) {
  const ResolvedRun before = resolved(run);
  const ExportedRun e = export_run(format, before, run, testing::shipped_configs());
  ImportedRun imported = import_run(format, e.text, "written",
                                    {{"cluster", before.inputs->at("cluster")}}, &shipped());
  fit_import(imported, {{"model", before.inputs->at("model")}}, testing::shipped_configs());
  Json back = imported.run;
  back["cluster"] = before.inputs->at("cluster");
  for (const NotExpressed& n : e.not_expressed) {
    if (n.value.is_null()) {
      erase_at(back, n.path);
    } else if (n.path.rfind("cluster", 0) != 0) {
      set_at(back, n.path, n.value);
    }
  }
  const ResolvedRun after = resolved(back);
  CAPTURE(e.text);
  CHECK(estimate(after.run).step_time == estimate(before.run).step_time);
  CHECK(estimate(after.run).memory.peak == estimate(before.run).memory.peak);
}

}  // namespace

TEST_CASE("a run in another tool's words, with what is listed beside them, is the same run") {
  for (std::size_t f = 0; f < kWrittenFormats; ++f) {
    for (std::size_t i = 0; i < runs().size(); ++i) {
      if ((f + i) % testing::kShare != 0) continue;
      const auto format = static_cast<ForeignFormat>(f);
      const Json run = runs()[i];
      CAPTURE(kNamesOf<ForeignFormat>[f]);
      CAPTURE(run.dump());
      if (is_of_another_tool(format, i)) {
        CHECK_THROWS_AS(export_run(format, resolved(run), run, testing::shipped_configs()),
                        InputError);
      } else {
        check_round_trip(format, run);
      }
    }
  }
}

TEST_CASE("every shipped run comes back from every format, or is refused by the key it lacks") {
  std::size_t written = 0, seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ORRERY_CONFIG_DIR "/runs")) {
    if (seen++ % testing::kShare != 0) continue;
    const Json run = json_of(*testing::text_of_file(entry.path().string()));
    for (std::size_t f = 0; f < kWrittenFormats; ++f) {
      const auto format = static_cast<ForeignFormat>(f);
      CAPTURE(entry.path().string());
      CAPTURE(kNamesOf<ForeignFormat>[f]);
      try {
        (void)export_run(format, resolved(run), run, testing::shipped_configs());
      } catch (const InputError& e) {
        CAPTURE(e.path());
        CHECK((e.path().rfind("parallel.", 0) == 0 || e.path().rfind("model", 0) == 0 ||
               e.path().rfind("training.", 0) == 0 || e.path() == "cluster.groups"));
        continue;
      }
      check_round_trip(format, run);
      ++written;
    }
  }
  CHECK(written > 40 / testing::kShare);
}

TEST_CASE("overrides of Megatron-Bridge say what Megatron-LM's arguments say") {
  const auto lookup = testing::shipped_configs();
  for (const std::size_t i : {0U, 1U, 2U, 3U, 9U, 10U}) {
    const Json run = runs()[i];
    const auto stated = [&](ForeignFormat format) {
      return paths(export_run(format, resolved(run), run, lookup));
    };
    std::vector<std::string> megatron = stated(ForeignFormat::megatron);
    for (const std::string& path : stated(ForeignFormat::bridge)) {
      CHECK_MESSAGE((has(megatron, path) || path == "cluster.gpus"), path);
    }
  }
}

TEST_CASE("overrides switch off what a recipe may have switched on") {
  const Json run = with(runs()[0], R"({"parallel": {"recompute": "none"}})");
  const std::string text =
      export_run(ForeignFormat::bridge, resolved(run), run, testing::shipped_configs()).text;
  for (const char* line :
       {"  sequence_parallel: false\n", "  recompute_granularity: null\n", "  fp8: null\n",
        "  virtual_pipeline_model_parallel_size: null\n", "  num_moe_experts: null\n"}) {
    CHECK_MESSAGE(text.find(line) != std::string::npos, line);
  }
}

TEST_CASE("Accelerate says sharding, degrees and precision of a run of PyTorch's") {
  const auto of = [](const char* change) {
    const Json run = with(with(json_of(kLlama), R"({"framework": "hf-trainer"})"), change);
    return export_run(ForeignFormat::accelerate, resolved(run), run, testing::shipped_configs());
  };
  const ExportedRun sharded = of(R"({"parallel": {"zero": 3, "zero_shard_group": 8,
      "recompute": "full"}})");
  for (const char* part :
       {"dp_replicate_size: 8\n", "dp_shard_size: 8\n", "mixed_precision: bf16\n",
        "fsdp_reshard_after_forward: true\n", "fsdp_activation_checkpointing: true\n"}) {
    CHECK_MESSAGE(sharded.text.find(part) != std::string::npos, part);
  }
  for (const char* key : {"parallel.zero", "parallel.recompute", "training.precision"}) {
    CHECK_FALSE(has(paths(sharded), key));
  }
  CHECK(has(paths(sharded), "training.sequence_length"));
  CHECK(of(R"({"parallel": {"zero": 2, "recompute": "none"}})")
            .text.find("fsdp_reshard_after_forward: false\n") != std::string::npos);
  const ExportedRun ulysses = of(R"({"parallel": {"zero": 3, "cp": 4, "cp_type": "a2a"}})");
  CHECK(ulysses.text.find("sp_size: 4\n") != std::string::npos);
  CHECK_FALSE(has(paths(ulysses), "parallel.cp_type"));
  CHECK_THROWS_AS(of(R"({"parallel": {"pp": 2}})"), InputError);
}

TEST_CASE("a job's header says its GPUs, and completes a file that counts by replica") {
  const Json run = runs()[0];
  const ExportedRun e =
      export_run(ForeignFormat::sbatch, resolved(run), run, testing::shipped_configs());
  CHECK(e.text.find("#SBATCH --nodes=8\n") != std::string::npos);
  CHECK_FALSE(has(paths(e), "cluster.gpus"));
  CHECK(has(paths(e), "cluster.node"));
  ImportJob job;
  job.files = {{"job.sbatch", e.text + "srun accelerate launch train.py --config x.yml\n"},
               {"x.yml",
                "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 2\n"
                "gradient_accumulation_steps: 4\nbf16: true\n"}};
  const ConfigLookup lookup = testing::shipped_configs();
  job.lookup = &lookup;
  const ImportedRun both = import_files(std::move(job));
  CHECK(value_at(both.run, "cluster.gpus") == 64);
  CHECK(value_at(both.run, "training.global_batch") == 512);
}

TEST_CASE("Megatron-LM's arguments say all of its own runs but what they run on") {
  const auto lookup = testing::shipped_configs();
  for (const std::size_t i : {0U, 1U, 2U, 3U, 9U, 10U}) {
    const Json run = runs()[i];
    const ExportedRun e = export_run(ForeignFormat::megatron, resolved(run), run, lookup);
    for (const std::string& path : paths(e)) {
      CAPTURE(e.text);
      const bool unsayable =
          path == "cluster.node" || path == "model.name" || path == "model.stated_parameters";
      CHECK_MESSAGE(unsayable, path);
    }
  }
}

TEST_CASE("what a format has no word for is listed") {
  const auto lookup = testing::shipped_configs();
  const Json run = with(runs().back(), R"({"parallel": {"schedule": "1f1b"}})");
  const ExportedRun m = export_run(ForeignFormat::megatron, resolved(run), run, lookup);
  CHECK(has(paths(m), "framework"));
  CHECK(has(paths(m), "flops_convention"));
  const ExportedRun d = export_run(ForeignFormat::deepspeed, resolved(run), run, lookup);
  CHECK(has(paths(d), "model"));
  CHECK(has(paths(d), "training.sequence_length"));
  CHECK_FALSE(has(paths(d), "training.global_batch"));
}

TEST_CASE("a launch script of Megatron-LM is a run") {
  const ImportedRun r = import_run(ForeignFormat::megatron, text_of_data("pretrain_llama.sh"),
                                   "x.sh", Json(), &shipped());
  CHECK(value_at(r.run, "cluster.gpus") == 128);
  CHECK(value_at(r.run, "parallel.tp") == 4);
  CHECK(value_at(r.run, "parallel.pp") == 2);
  CHECK(value_at(r.run, "parallel.vpp") == 4);
  CHECK(value_at(r.run, "parallel.zero") == 1);
  CHECK(value_at(r.run, "parallel.recompute_modules") == Json({"core_attn", "mlp"}));
  CHECK(value_at(r.run, "parallel.framework_options.overlap_grad_reduce") == true);
  CHECK(value_at(r.run, "parallel.framework_options.overlap_param_gather") == false);
  CHECK(value_at(r.run, "training.tokens") == 1000LL * 512 * 8192);
  CHECK(value_at(r.run, "model.num_key_value_heads") == 8);
  CHECK(settings_of(r) == std::vector<std::string>{"--hybrid-layer-pattern M-M*"});
  CHECK(missing_keys(r.run) == std::vector<std::string>{"cluster.node"});
  Json run = r.run;
  run["cluster"]["node"] = "dgx-h100";
  CHECK(resolved(run).run.strategy.dp == 16);
}

TEST_CASE("the arguments a log of Megatron-LM begins with are a run") {
  const ImportedRun r = import_run(ForeignFormat::megatron, text_of_data("arguments.log"), "x.log",
                                   Json(), &shipped());
  CHECK(value_at(r.run, "cluster.gpus") == 64);
  CHECK(value_at(r.run, "model.vocab_size") == 128256);
  CHECK(value_at(r.run, "model.num_local_experts").is_null());
  CHECK(value_at(r.run, "parallel.recompute_layers") == 5);
  CHECK(value_at(r.run, "training.flash_attention") == true);
  CHECK(settings_of(r) == std::vector<std::string>{"some_new_switch true"});
}

TEST_CASE("DeepSpeed's batches fix each other over the replicas") {
  const std::string text = text_of_data("ds_config.json");
  const Json given = {{"cluster", {{"gpus", 64}}}};
  const ImportedRun r = import_run(ForeignFormat::deepspeed, text, "ds.json", given, &shipped());
  CHECK(value_at(r.run, "training.global_batch") == 2 * 4 * 64);
  CHECK(value_at(r.run, "parallel.zero") == 3);
  CHECK(value_at(r.run, "parallel.offload.optimizer") == "host");
  CHECK(value_at(r.run, "parallel.offload.optimizer_fraction") == 0.5);
  CHECK(value_at(r.run, "parallel.framework_options.zero_hpz_partition_size") == 8);
  CHECK(value_at(r.run, "parallel.framework_options.stage3_prefetch_bucket_size") == 10'000'000);
  CHECK(settings_of(r) ==
        std::vector<std::string>{"activation_checkpointing.partition_activations true"});
  const ImportedRun open =
      import_run(ForeignFormat::deepspeed, text, "ds.json", Json(), &shipped());
  CHECK(value_at(open.run, "training.global_batch").is_null());
  CHECK_THROWS_AS(import_run(ForeignFormat::deepspeed,
                             R"({"train_batch_size": 100, "gradient_accumulation_steps": 4,
                                 "train_micro_batch_size_per_gpu": 2})",
                             "ds.json", given, &shipped()),
                  InputError);
}

TEST_CASE("torchtitan's TOML is a run, its replicas from the GPUs") {
  const Json given = {{"cluster", {{"gpus", 64}}}};
  const ImportedRun r = import_run(ForeignFormat::torchtitan_toml, text_of_data("llama3_8b.toml"),
                                   "x.toml", given, &shipped());
  CHECK(r.run["model"] == "llama-3-8b");
  CHECK(value_at(r.run, "parallel.zero_shard_group") == 16);
  CHECK(value_at(r.run, "training.global_batch") == 64);
  CHECK(value_at(r.run, "parallel.sequence_parallel") == true);
  CHECK(value_at(r.run, "parallel.framework_options.async_tp") == true);
  CHECK(value_at(r.run, "parallel.framework_options.reshard_after_forward") == "never");
  CHECK(settings_of(r) == std::vector<std::string>{"model_extras.list 1 2"});
}

TEST_CASE("torchtitan's tokens must be whole sequences") {
  const char* good =
      "./run_train.sh --module llama3 --config llama3_70b --training.seq_len 4096 "
      "--training.num_tokens_per_microbatch_per_dp_rank 8192 "
      "--training.num_tokens_per_train_step=1048576 --parallelism.tensor-parallel-degree 8";
  const ImportedRun r = import_run(ForeignFormat::torchtitan, good, "x.sh", Json(), &shipped());
  CHECK(value_at(r.run, "training.micro_batch") == 2);
  CHECK(value_at(r.run, "training.global_batch") == 256);
  CHECK(value_at(r.run, "parallel.tp") == 8);
  CHECK_THROWS_AS(import_run(ForeignFormat::torchtitan,
                             "--training.seq_len 4096 --training.num_tokens_per_train_step 5000",
                             "x.sh", Json(), &shipped()),
                  InputError);
}

TEST_CASE("TOML whose headers have no key is refused by its place") {
  for (const char* text :
       {"[\n  1\n]\n", "[ \n", "[[\n]]\n", "[a.\n]\n", "[\"a\n", "a.\n= 1\n", "["}) {
    CAPTURE(text);
    CHECK_THROWS_AS(import_run(ForeignFormat::torchtitan_toml, text, "x.toml", Json(), &shipped()),
                    InputError);
  }
}

TEST_CASE("formats are told apart") {
  const tools::ToolBook tools(shipped());
  const auto format = [&](const std::string& text) { return recognise({"x", text}, tools).format; };
  const auto is_titan = [&](const std::string& text) {
    const tools::Tool* tool = recognise({"x", text}, tools).tool;
    return tool != nullptr && tool->name == "torchtitan";
  };
  CHECK(format(text_of_data("ds_config.json")) == ForeignFormat::deepspeed);
  CHECK(is_titan(text_of_data("llama3_8b.toml")));
  CHECK(format(text_of_data("pretrain_llama.sh")) == ForeignFormat::megatron);
  CHECK(format(text_of_data("arguments.log")) == ForeignFormat::megatron);
  CHECK(is_titan("--training.seq_len 4096"));
  CHECK(format("export DGXNNODES=2\nexport MINIBS=4\n") == ForeignFormat::mlperf);
}

TEST_CASE("types and ranges are strict") {
  const auto megatron = [](const std::string& text) {
    return import_run(ForeignFormat::megatron, text, "x.sh", Json(), &shipped());
  };
  CHECK_THROWS_WITH_AS(megatron("--micro-batch-size 5.5"),
                       doctest::Contains("--micro-batch-size: found \"5.5\""), InputError);
  CHECK_THROWS_AS(megatron("--num-layers twelve"), InputError);
  CHECK_THROWS_AS(megatron("--num-layers"), InputError);
  CHECK_THROWS_AS(megatron("--tensor-model-parallel-size 0"), InputError);
  CHECK_THROWS_AS(megatron("--recompute-granularity some"), InputError);
  CHECK_THROWS_AS(megatron("no arguments here"), InputError);
  CHECK_THROWS_AS(
      import_run(ForeignFormat::deepspeed, R"({"train_batch_size": 5.5})", "d", Json(), &shipped()),
      InputError);
  CHECK(value_at(import_run(ForeignFormat::deepspeed, R"({"train_batch_size": 5e2})", "d", Json(),
                            &shipped())
                     .run,
                 "training.global_batch") == 500);
}

TEST_CASE("a layout of stages and a pattern of experts are read as Megatron-LM writes them") {
  const char* base = "--num-layers 10 --hidden-size 64 --num-attention-heads 8 ";
  const auto layers = [&](const std::string& more) {
    const ImportedRun r = import_run(ForeignFormat::megatron, base + more, "x", Json(), &shipped());
    return value_at(r.run, "parallel.stage_layers");
  };
  CHECK(layers("--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "
               "'Et*2|(t*3|)*2t,tL'") == Json({2, 3, 3, 2}));
  CHECK(layers("--pipeline-model-parallel-size 4 --account-for-embedding-in-pipeline-split "
               "--num-layers 11") == Json({2, 3, 3, 3}));
  const char* both =
      "--pipeline-model-parallel-size 4 --account-for-embedding-in-pipeline-split "
      "--account-for-loss-in-pipeline-split";
  CHECK(value_at(
            import_run(ForeignFormat::megatron, base + std::string(both), "x", Json(), &shipped())
                .run,
            "parallel.layer_split") == "ends_as_layers");
  CHECK_THROWS_AS(import_run(ForeignFormat::megatron, base + std::string(both) + " --num-layers 9",
                             "x", Json(), &shipped()),
                  InputError);
  CHECK(layers("--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1") ==
        Json({1, 3, 3, 3}));
  CHECK(layers("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'E|t*10L'")
            .is_array());
  const ImportedRun moe =
      import_run(ForeignFormat::megatron,
                 std::string(base) + "--num-experts 4 --moe-layer-freq '([0]*3+[1]*7)'", "x",
                 Json(), &shipped());
  CHECK(value_at(moe.run, "model.first_k_dense_replace") == 3);
}

}  // namespace orrery
