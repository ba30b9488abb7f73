// SPDX-License-Identifier: Apache-2.0
// TOML files and command lines of torchtitan.
#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

// A file of torchtitan with tensor and pipeline ranks.
std::string titan(const std::string& training, const std::string& parallelism) {
  return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 4\n"
         "seq_len = 8192\n" +
         training + "[parallelism]\ndata_parallel_shard_degree = 4\n" + parallelism +
         "[activation_checkpoint]\nmode = \"none\"\n";
}

}  // namespace

TEST_CASE("A pipeline of torchtitan says the number of its micro batches, or their size") {
  const auto micro = [](const std::string& more) {
    return at(read({{"a.toml",
                     "[training]\nbatch_size = 16\nseq_len = 8\n[parallelism]\n"
                     "pipeline_parallel_degree = 2\npipeline_parallel_schedule_csv = \"\"\n" +
                         more}},
                   kEight),
              "training.micro_batch");
  };
  CHECK(micro("") == 1);
  CHECK(micro("pipeline_parallel_microbatches = 8\n") == 2);
  CHECK_THROWS_AS(micro("pipeline_parallel_microbatches = 5\n"), InputError);
}

TEST_CASE("Replicas that meet every few steps, and weights rounded in training, stop the import") {
  const std::string head = "[training]\nlocal_batch_size = 1\nseq_len = 8\n[fault_tolerance]\n";
  CHECK(refuses_at(
      read({{"a.toml", head + "enable = true\nsemi_sync_method = \"diloco\"\n"}}, kEight),
      "fault_tolerance.semi_sync_method"));
  CHECK_FALSE(refuses_at(read({{"a.toml", head + "enable = false\ngroup_size = 2\n"}}, kEight),
                         "fault_tolerance"));
  CHECK(refuses_at(read({{"a.yml", kAxolotl + "qat:\n  weight_dtype: int4\n"}}), "qat"));
}

TEST_CASE("torchtitan's stages count what the ends stand for") {
  const ConfigLookup shipped = testing::shipped_configs();
  const auto stages = [&](const std::string& more) {
    const std::string text =
        "[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n[training]\nseq_len = 8\n"
        "local_batch_size = 8\n[parallelism]\npipeline_parallel_degree = 2\n"
        "pipeline_parallel_schedule = \"Interleaved1F1B\"\n" +
        more;
    return import_files({{{"a.toml", text}}, {}, json_of(kEight), {}, &shipped});
  };
  // With 27 layers (27 + 1 + 1) / 8 are four stages, 27 / 9 three.
  const std::string size = "pipeline_parallel_layers_per_stage = 8\n";
  CHECK(at(stages(size), "parallel.vpp") == 2);
  CHECK(at(stages(size + "pipeline_parallel_first_stage_less_layers = 0\n"
                         "pipeline_parallel_last_stage_less_layers = 0\n"),
           "parallel.layer_split") == "even");
  CHECK_THROWS_AS(stages("pipeline_parallel_layers_per_stage = 9\n"
                         "pipeline_parallel_first_stage_less_layers = 0\n"
                         "pipeline_parallel_last_stage_less_layers = 0\n"),
                  InputError);
}

TEST_CASE("A converter of the experts alone leaves the precision open") {
  const std::string base =
      "[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n"
      "converters = [\"quantize.grouped_mm.mx\"LINEAR]\n[training]\nlocal_batch_size = 4\n";
  const auto with = [&](const std::string& linear) {
    std::string text = base;
    return read(text.replace(text.find("LINEAR"), 6, linear));
  };
  CHECK(is_open(with(""), "training.precision"));
  CHECK(at(with(", \"quantize.linear.mx\""), "training.precision") == "mxfp8");
}

TEST_CASE("A pipeline of the command line counts in torchtitan's replicas and micro batches") {
  const ImportedRun r = read(
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n"
      "local_batch_size = 2\n",
      R"({"cluster": {"gpus": 8}, "parallel": {"pp": 2}})");
  CHECK(at(r, "training.global_batch") == 8);
  CHECK(at(r, "training.micro_batch") == 1);
}

TEST_CASE("torchtitan compiles what its list names, and quantises by its converters") {
  const auto toml = [](const std::string& more) {
    return read("[model]\nname = \"llama3\"\nflavor = \"8B\"\n" + more, kEight);
  };
  const std::string compile =
      "[training]\nseq_len = 4096\nlocal_batch_size = 2\n[compile]\nenable = true\ncomponents = ";
  CHECK(at(toml(compile + "[\"loss\"]\n"), "parallel.framework_options.compile") == false);
  CHECK(at(toml(compile + "[\"loss\"]\n"), "parallel.framework_options.compile_loss") == true);
  CHECK(at(toml(compile + "[\"model\"]\n"), "parallel.framework_options.compile") == true);
  const std::string recipe = "[quantize.linear.float8]\nrecipe_name = \"rowwise\"\n";
  CHECK(at(toml(recipe), "training.precision") == "bf16");
  const std::string converters = "converters = [\"float8\"]\n";
  CHECK(at(toml(converters + recipe), "training.precision") == "fp8");
  const char* float8 = "parallel.framework_options.float8";
  CHECK(at(toml(converters + recipe), float8) == "rowwise");
  // Scales of whole tensors; FSDP gathers 8 bits where it is told to.
  CHECK(at(toml(converters), float8) == "none");
  const std::string gathers = "[float8]\nenable_fsdp_float8_all_gather = ";
  CHECK(at(toml(converters + gathers + "true\n"), float8) == "tensorwise");
  CHECK(at(toml(converters + gathers + "false\n"), float8) == "none");
  CHECK(at(toml("[parallelism]\nfsdp_reshard_after_forward = \"never\"\n"),
           "parallel.framework_options.reshard_after_forward") == "never");
}

TEST_CASE("Variables before run_train.sh are torchtitan's launcher and configuration") {
  const std::string toml =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
      "local_batch_size = 2\nseq_len = 4096\n";
  const ImportedRun r = read(
      {{"a.sh", "CONFIG_FILE=\"./configs/b.toml\" NGPU=4 ./run_train.sh\n"}, {"b.toml", toml}});
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.global_batch") == 8);
  const ImportedRun later =
      read({{"a.sh",
             "NGPU=8 MODULE=llama3 CONFIG=llama3_70b ./run_train.sh --training.seq_len 4096\n"}});
  CHECK(at(later, "model") == "llama-3-70b");
  CHECK(at(later, "cluster.gpus") == 8);
}

TEST_CASE("Tables of torchtitan in a YAML are torchtitan's, and DeepSpeed's Muon is ours") {
  const ImportedRun r = read({{"a.yaml",
                               "model:\n  name: llama3\n  flavor: 8B\nprocesses:\n  procs: 8\n"
                               "training:\n  local_batch_size: 1\n  seq_len: 2048\n"
                               "parallelism:\n  tensor_parallel_degree: 2\n"
                               "activation_checkpoint:\n  mode: full\n"}});
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(
      at(read({{"a.json", "{\"bf16\": {\"enabled\": true}, \"optimizer\": {\"type\": \"Muon\"}}"}}),
         "training.optimizer") == "muon");
}

TEST_CASE("An optimizer that torchtitan's profile does not have leaves its states open") {
  const auto with = [](const std::string& name) {
    return read(
        {{"a.toml",
          "[training]\nlocal_batch_size = 1\nseq_len = 8\n[optimizer]\nname = \"" + name + "\"\n"}},
        kEight);
  };
  CHECK(is_open(with("Muon"), "training.optimizer"));
  CHECK_FALSE(is_open(with("AdamW"), "training.optimizer"));
}

TEST_CASE("a command line of torchtitan changes the TOML that it names") {
  const std::string toml =
      "[model]\nname = \"llama3\"\nflavor = \"70B\"\n[training]\nlocal_batch_size = 8\nseq_len = "
      "8192\n"
      "[parallelism]\ntensor_parallel_degree = 8\n[activation_checkpoint]\nmode = \"full\"\n";
  const std::string script =
      "#!/bin/bash\nCONFIG_FILE=${CONFIG_FILE:-\"./train_configs/llama3_70b.toml\"}\ndcgmi profile "
      "--pause\n"
      "torchrun --nproc_per_node=8 --nnodes 4 -m torchtitan.train --job.config_file ${CONFIG_FILE} "
      "--training.local_batch_size=4 --parallelism.tensor_parallel_degree 4\n";
  const ImportedRun both = read({{"run.sh", script}, {"x/llama3_70b.toml", toml}});
  CHECK(at(both, "parallel.tp") == 4);
  CHECK(at(both, "training.micro_batch") == 4);
  CHECK(at(both, "training.global_batch") == 32);
  CHECK(at(both, "training.sequence_length") == 8192);
  CHECK(at(both, "parallel.recompute") == "full");
  CHECK(both.ignored.empty());
  CHECK(refuses_at(read({{"run.sh", script}}), "--job.config_file"));
  // Arguments line by line, without a command.
  const ImportedRun list = read(
      "--nproc_per_node 8\n--nnodes 4\n--module llama3\n--config llama3_8b\n"
      "--training.local_batch_size 2\n--training.seq_len 8192\n"
      "--activation_checkpoint.mode full\n");
  CHECK(at(list, "cluster.gpus") == 32);
  CHECK(at(list, "model") == "llama-3-8b");
}

TEST_CASE("A file of torchtitan with plain data parallelism shards nothing") {
  CHECK(at(read(titan("data_parallel_type = \"ddp\"\n", "")), "parallel.zero") == 0);
  CHECK(at(read(titan("data_parallel_type = \"fsdp\"\n", "")), "parallel.zero") == 3);
}

TEST_CASE("Logits that each tensor rank has whole stop torchtitan's import") {
  const std::string off = "disable_loss_parallel = true\n";
  CHECK(refuses_at(read(titan("", off + "tensor_parallel_degree = 2\n")),
                   "parallelism.disable_loss_parallel"));
  CHECK(!refuses_at(read(titan("", off)), "parallelism.disable_loss_parallel"));
}

TEST_CASE("A converter that is not read and stages by modules stop torchtitan's import") {
  std::string text = titan("", "");
  text.insert(text.find("[training]"), "converters = [\"float8\", \"lora\"]\n");
  CHECK(refuses_at(read(text), "model.converters lora"));
  CHECK(is_open(read(titan("",
                           "pipeline_parallel_degree = 2\n"
                           "module_fqns_per_model_part = [[\"tok_embeddings\"]]\n")),
                "parallel.stage_layers"));
}

TEST_CASE("torchtitan's unknown settings of the optimizer are named or stop") {
  const std::string base =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n"
      "seq_len = 8192\n[optimizer]\nname = \"AdamW\"\nlr = 3e-4\n";
  CHECK(refuses_at(read({{"a.toml", base + "offload = true\n"}}, kEight), "optimizer.offload"));
  CHECK(is_named(read({{"a.toml", base + "dtype = \"bfloat16\"\n"}}, kEight), "optimizer.dtype"));
  const ImportedRun plain =
      read({{"a.toml", base + "implementation = \"fused\"\neps = 1e-8\n"}}, kEight);
  CHECK(!is_named(plain, "optimizer"));
}

TEST_CASE("torchtitan's older switch of the shared loss stops where it is off") {
  const auto titan = [](const std::string& degree) {
    return read({{"a.toml",
                  "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nbatch_size = 2\n"
                  "seq_len = 8192\nenable_loss_parallel = false\ntensor_parallel_degree = " +
                      degree + "\n"}},
                kEight);
  };
  CHECK(refuses_at(titan("2"), "training.enable_loss_parallel"));
  CHECK(!refuses_at(titan("1"), "training.enable_loss_parallel"));
}

TEST_CASE("torchtitan's states, offload and stages are those of the file") {
  const auto of = [](const std::string& more) {
    return read("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n" + more,
                kEight);
  };
  CHECK(at(of(""), "training.states").is_null());
  CHECK(at(of("dtype = \"bfloat16\"\n"), "training.states")["weights"] == 2);
  CHECK(at(of("mixed_precision_reduce = \"bfloat16\"\n"), "training.states")["reduced"] == 2);
  CHECK(at(of("[optimizer]\nearly_step_in_backward = true\n"), "training.states")["gradients"] ==
        0);
  CHECK(at(of("enable_cpu_offload = true\n"), "parallel.offload.parameters") == "host");
  CHECK(is_open(of("[activation_checkpoint]\nmode = \"memory_budget\"\nmemory_budget = 0.5\n"),
                "parallel.recompute"));
  const std::string stages =
      "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = "
      "\"Interleaved1F1B\"\npipeline_parallel_layers_per_stage = ";
  CHECK(is_open(of(stages + "5\n"), "parallel.vpp"));
  CHECK(at(of("[parallelism]\npipeline_parallel_degree = 2\n"
              "pipeline_parallel_schedule = \"interleaved1f1b\"\n"),
           "parallel.schedule") == "interleaved");
  const ConfigLookup lookup = testing::shipped_configs();
  ImportJob job{{{"a", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n" +
                           stages + "6\n"}},
                {},
                json_of(kEight)};
  job.lookup = &lookup;
  CHECK(at(import_files(std::move(job)), "parallel.vpp") == 3);
}

TEST_CASE("torchtitan's files of 2024, and degrees that are not the world") {
  const std::string old =
      "[model]\nname = \"llama2\"\nflavor = \"13b\"\n[training]\nbatch_size = 8\nseq_len = 2048\n"
      "data_parallel_degree = -1\ntensor_parallel_degree = 2\npipeline_parallel_degree = 2\n";
  const ImportedRun r =
      read(old +
               "fp8_linear = \"dynamic\"\n[experimental]\npipeline_parallel_schedule = "
               "\"interleaved_1f1b\"\n",
           kEight);
  CHECK(at(r, "model") == "llama-2-13b");
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "parallel.schedule") == "interleaved");
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(read(old + "fp8_linear = \"\"\n", kEight), "training.precision") == "bf16");
  const std::string whole =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = "
      "2048\n"
      "[parallelism]\ndata_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n";
  CHECK(at(read(whole), "cluster.gpus") == 16);
  CHECK(has_word(read(whole, kEight), "the degrees are 16 GPUs, and there are 8"));
}

TEST_CASE("Shards of torchtitan's data shard no weights, and a word is no degree") {
  const ImportedRun data = read(titan("", "") + "[dataset]\nnum_shards = 4\n");
  CHECK_FALSE(refuses_at(data, "dataset"));
  CHECK(refuses_at(read("[training]\nlocal_batch_size = 1\nseq_len = 8\n[parallelism]\n"
                        "data_parallel_shard_degree = \"auto\"\n",
                        kEight),
                   "parallelism.data_parallel_shard_degree"));
  // 8 GPUs are no whole number of replicas of tp 3.
  CHECK(has_word(read("[training]\nlocal_batch_size = 1\nseq_len = 8\n[parallelism]\n"
                      "tensor_parallel_degree = 3\n",
                      kEight),
                 "the degrees are 3 GPUs, and there are 8"));
}

TEST_CASE("What torchtitan's file does not say is its release's default, by name") {
  const ImportedRun r = read(
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[activation_checkpoint]\nmode = \"full\"\n",
      kEight);
  CHECK(at(r, "training.sequence_length") == 2048);
  CHECK(at(r, "training.micro_batch") == 8);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(assumes(r, "training.sequence_length"));
  CHECK(assumes(r, "training.micro_batch"));
}

}  // namespace orrery
