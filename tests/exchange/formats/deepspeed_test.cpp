// SPDX-License-Identifier: Apache-2.0
// Files of DeepSpeed, and the launcher of its own.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("DeepSpeed's --include names GPUs one by one") {
  const std::string program =
      " run_clm.py --model_name_or_path gpt2 --block_size 256 --per_device_train_batch_size 1"
      " --fp16\n";
  CHECK(at(read("deepspeed --include localhost:0,2,3" + program), "cluster.gpus") == 3);
  CHECK(at(read("deepspeed --include=\"a:0,1@b:4,5\"" + program), "cluster.gpus") == 4);
  CHECK(at(read("deepspeed --include a@b:4,5" + program), "cluster.gpus").is_null());
}

TEST_CASE("DeepSpeed's auto is open, and the trainer beside it says it") {
  const std::string ds = R"({"bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"},
      "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
      "gradient_accumulation_steps": "auto",
      "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}})";
  const ImportedRun alone = read(ds);
  CHECK(at(alone, "training.precision").is_null());
  CHECK(is_open(alone, "training.precision"));
  CHECK(is_open(alone, "training.micro_batch"));
  CHECK(is_open(alone, "training.global_batch"));
  CHECK(at(alone, "parallel.zero") == 3);
  const ImportedRun both = read(
      {{"a.yaml", kAxolotl + "bf16: true\ndeepspeed: configs/z3.json\n"}, {"z3.json", ds}}, kEight);
  CHECK(at(both, "training.precision") == "bf16");
  CHECK(at(both, "training.micro_batch") == 2);
  CHECK(at(both, "training.global_batch") == 2 * 4 * 8);
  CHECK(at(both, "parallel.zero") == 3);
  CHECK(at(both, "framework") == "deepspeed");
  CHECK(both.ignored.empty());
  const ImportedRun without = read(kAxolotl + "bf16: true\ndeepspeed: configs/z3.json\n", kEight);
  CHECK(is_open(without, "parallel.zero"));
  const ImportedRun other =
      read({{"a.yaml", kAxolotl + "bf16: true\ndeepspeed: z.json\n"},
            {"z.json", R"({"fp16": {"enabled": true}, "zero_optimization": {"stage": 2}})"}},
           kEight);
  CHECK(at(other, "training.precision").is_null());
  CHECK(is_open(other, "training.precision"));
}

TEST_CASE("two of DeepSpeed's sizes say the third, whatever is auto") {
  const ImportedRun r = read(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 2,
      "gradient_accumulation_steps": 4, "bf16": {"enabled": true}})",
                             kEight);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK_FALSE(is_open(r, "training.global_batch"));
}

TEST_CASE("DeepSpeed's prefetch is the profile's option, which auto takes from the width") {
  const auto option = [](const std::string& zero, const char* given = "{}") {
    const ImportedRun r = read({{"d.json", R"({"train_batch_size": 8, "bf16": {"enabled": true},
                                              "zero_optimization": {)" +
                                               zero + "}}"}},
                               given);
    return at(r, "parallel.framework_options.stage3_prefetch_bucket_size");
  };
  CHECK(option(R"("stage": 3, "stage3_prefetch_bucket_size": 3e7)") == 30'000'000);
  CHECK(option(R"("stage": 3, "stage3_prefetch_bucket_size": 0)") == 1);
  CHECK(option(R"("stage": 2, "stage3_prefetch_bucket_size": 3e7)").is_null());
  const ImportedRun r = read(
      R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "stage3_prefetch_bucket_size": "auto"}})");
  REQUIRE(r.of_width.size() == 1);
  CHECK(r.of_width[0].path == "parallel.framework_options.stage3_prefetch_bucket_size");
  CHECK(r.of_width[0].share == 0.9);  // int(0.9 x hidden_size²)
}

TEST_CASE("DeepSpeed's buckets, overlap and optimizer are the profile's options") {
  const auto options = [](const std::string& more) {
    const ImportedRun r = read(
        {{"d.json", R"({"train_batch_size": 8, "bf16": {"enabled": true}, )" + more + "}"}}, "{}");
    return at(r, "parallel.framework_options");
  };
  const Json buckets = options(
      R"("zero_optimization": {"stage": 2, "overlap_comm": true, "contiguous_gradients": false,
         "reduce_bucket_size": 2e8, "allgather_bucket_size": 2e8, "sub_group_size": 1e8})");
  CHECK(buckets == Json{{"overlap_comm", true},
                        {"contiguous_gradients", false},
                        {"reduce_bucket_size", 200'000'000}});
  CHECK(options(R"("zero_optimization": {"stage": 3, "sub_group_size": 1e8})") ==
        Json{{"sub_group_size", 100'000'000}});
  CHECK(options(R"("zero_optimization": {"stage": 3, "sub_group_size": 1e14})") ==
        Json{{"sub_group_size", 1'000'000'000'000}});
  CHECK(options(R"("optimizer": {"type": "AdamW"})") == Json{{"optimizer_kernel", "fused"}});
  CHECK(options(R"("optimizer": {"type": "Adam", "params": {"torch_adam": true}})") ==
        Json{{"optimizer_kernel", "foreach"}});
}

TEST_CASE("a trainer's AdamW makes lists of temporaries where the DeepSpeed file names none") {
  const auto kernel = [](const std::string& trainer, const std::string& deepspeed) {
    const ImportedRun r = read({{"a.yaml", kAxolotl + "bf16: true\ndeepspeed: z3.json\n" + trainer},
                                {"z3.json", R"({"bf16": {"enabled": true}, )" + deepspeed +
                                                R"("zero_optimization": {"stage": 3}})"}},
                               kEight);
    return at(r, "parallel.framework_options.optimizer_kernel");
  };
  CHECK(kernel("optimizer: adamw_torch\n", "") == "foreach");
  CHECK(kernel("optimizer: adamw_torch_fused\n", "") == "fused");
  CHECK(kernel("optimizer: adamw_torch\n", R"("optimizer": {"type": "AdamW"}, )") == "fused");
}

TEST_CASE("DeepSpeed's older and empty words of ZeRO and offload") {
  const auto with = [](const std::string& zero) {
    return read(R"({"train_batch_size": 8, "fp16": {"enabled": true}, "zero_optimization": )" +
                zero + "}");
  };
  CHECK(at(with("true"), "parallel.zero") == 1);
  const ImportedRun old = with(R"({"stage": 3, "cpu_offload": true, "cpu_offload_params": true})");
  CHECK(at(old, "parallel.offload.optimizer") == "host");
  CHECK(at(old, "parallel.offload.parameters") == "host");
  const ImportedRun none =
      with(R"({"stage": 3, "offload_param": null, "offload_optimizer": null})");
  CHECK(at(none, "parallel.offload").is_null());
  CHECK_FALSE(refuses_at(none, "zero_optimization.offload_param"));
}

TEST_CASE("A DeepSpeed file that is not given stops, whatever the stage of ZeRO") {
  const std::string text = started_megatron("--deepspeed --deepspeed_config X.json --zero-stage 3");
  CHECK(refuses_at(read(text), "--deepspeed_config"));
  CHECK(!refuses_at(read({{"a.sh", text}, {"X.json", R"({"bf16": {"enabled": true}})"}}),
                    "--deepspeed_config"));
}

TEST_CASE("DeepSpeed's own words of types") {
  const auto states = [](const std::string& more) {
    return at(read({{"ds.json", R"({"train_batch_size": 8, "bf16": {"enabled": true}, )" + more +
                                    R"("zero_optimization": {"stage": 1}})"}},
                   kEight),
              "training.states");
  };
  CHECK(states(R"("communication_data_type": "bfp16", )") ==
        states(R"("communication_data_type": "bf16", )"));
  CHECK(states(R"("data_types": {"grad_accum_dtype": "float32"}, )") ==
        states(R"("data_types": {"grad_accum_dtype": "fp32"}, )"));
  CHECK(states(R"("communication_data_type": null, )") == states(""));
}

TEST_CASE("DeepSpeed's and Apex's autocast are 16 bits over weights of 32") {
  const std::string head = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, )";
  const ImportedRun torch =
      read(head + R"("torch_autocast": {"enabled": true, "dtype": "bfloat16"}})");
  CHECK(at(torch, "training.precision") == "bf16");
  CHECK(at(torch, "training.states") == "fp32-adam-16");
  CHECK(at(read(head + R"("amp": {"enabled": true}})"), "training.precision") == "fp16");
  CHECK(is_open(read(head + R"("amp": {"enabled": true, "opt_level": "O2"}})"),
                "training.precision"));
  CHECK(is_open(read(head + R"("fp16": true})"), "training.precision"));
  CHECK(is_open(read(head + R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true}})"),
                "training.states"));
}

TEST_CASE("DeepSpeed's parameters leave the GPU with ZeRO-3 alone") {
  const auto with = [](const char* stage) {
    return read({{"ds.json", std::string("{\"zero_optimization\": {\"stage\": ") + stage +
                                 ", \"offload_param\": {\"device\": \"cpu\"}}}"}});
  };
  CHECK(at(with("3"), "parallel.offload.parameters") == "host");
  CHECK(at(with("2"), "parallel.offload.parameters").is_null());
}

}  // namespace orrery
