// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/training_log.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "support/about.h"

using namespace orrery;

TEST_CASE("Megatron-LM: medians of steps, most memory, the slowest rank's timers") {
  const TrainingLog log = read_training_log(
      "x | elapsed time per iteration (ms): 31000.0 | throughput per GPU (TFLOP/s/GPU): 110.0 |\n"
      "x | elapsed time per iteration (ms): 24500.0 | throughput per GPU (TFLOP/s/GPU): 139.2 |\n"
      "[Rank 0] memory (MB) | allocated: 1.0 | max allocated: 2.0 | reserved: 3.0 | max reserved: "
      "4\n"
      "x | elapsed time per iteration (ms): 24480.0 | throughput per GPU (TFLOP/s/GPU): 139.3 |\n"
      "    optimizer ......................: (240.00, 260.00)\n",
      "log.txt");
  CHECK(log.form == "Megatron-LM");
  CHECK(log.steps == 3);
  CHECK(log.step_time->si() == testing::about(24.5));
  CHECK(log.flops_per_gpu->si() == testing::about(139.2e12));
  CHECK(log.allocated->si() == 2 * 0x1p20);
  CHECK(log.reserved->si() == 4 * 0x1p20);
  REQUIRE(log.timers.size() == 1);
  CHECK(log.timers.at("optimizer").si() == testing::about(0.26));
}

TEST_CASE("Megatron-LM: settings by its list of arguments, the batch by the last step") {
  const TrainingLog log = read_training_log(
      "------------------------ arguments ------------------------\n"
      "[default0]:  global_batch_size ............................... 8\n"
      "  seq_length ...................................... 32768\n"
      "  max_seq_length .................................. 5\n"
      "  tensor_model_parallel_size ...................... 8\n"
      "  lr .............................................. 1.5\n"
      "x | elapsed time per iteration (ms): 1000.0 | global batch size:    16 | lm loss: 1 |\n"
      "    forward-compute ................................: (6400.00, 6500.00)\n",
      "log.txt");
  const std::vector<LoggedSetting> expected = {
      {"training.global_batch", 16}, {"training.sequence_length", 32768}, {"parallel.tp", 8}};
  CHECK(log.settings == expected);
}

TEST_CASE("of few steps the first is left out where it is far from the others") {
  const auto read = [](const char* first) {
    const std::string after = " | loss scale: 1.0 |\n";
    const std::string step = "x | elapsed time per iteration (ms): ";
    return read_training_log(
        step + first + after + step + "2000.0" + after + step + "2100.0" + after, "x");
  };
  CHECK(read("20000.0").set_aside == 1);
  CHECK(read("20000.0").step_time->si() == testing::about(2.05));
  CHECK(read("2200.0").set_aside == 0);
  CHECK(read("2200.0").step_time->si() == testing::about(2.1));
}

TEST_CASE("NeMo's lines say their batch") {
  const TrainingLog log = read_training_log(
      "Training epoch 0, iteration 1/99 | lr: 1.5e-06 | global_batch_size: 128 | global_step: 1 | "
      "train_step_timing in s: 9.41\n",
      "x");
  CHECK(log.settings == std::vector<LoggedSetting>{{"training.global_batch", 128}});
}

TEST_CASE("the first steps are left out where there are enough") {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "elapsed time per iteration (ms): " + std::to_string(i < 5 ? 9000 : 1000) + "\n";
  }
  CHECK(read_training_log(text, "log.txt").step_time->si() == testing::about(1));
}

TEST_CASE("logs of other tools say a step by their own words") {
  const auto read = [](const char* text) { return read_training_log(text, "log.txt"); };
  const TrainingLog mlperf = read(
      ":::MLLOG {\"key\": \"tracked_stats\", \"value\": {\"train_step_time\": 13.25, \"loss\": "
      "7.7}}\n"
      ":::MLLOG {\"key\": \"tracked_stats\", \"value\": {\"warmup_time\": 272.8}}\n");
  CHECK(mlperf.form == "MLPerf");
  CHECK(mlperf.step_time->si() == testing::about(13.25));
  const TrainingLog trainer = read(
      "{'loss': 2.1, 'epoch': 0.5}\n{'train_runtime': 919.1, 'train_samples_per_second': 1.088}\n");
  CHECK(*trainer.samples_per_s == testing::about(1.088));
  CHECK(read("Epoch 0: train_step_timing in s: 5.5, loss 2\n").step_time->si() ==
        testing::about(5.5));
  const TrainingLog tune =
      read("Step 3 | loss:1.2 lr:0.0003 tokens_per_second_per_gpu:1234.5 peak_memory_alloc:12.5\n");
  CHECK(*tune.tokens_per_s_per_gpu == testing::about(1234.5));
  CHECK(tune.allocated->si() == 12.5 * 0x1p30);
  CHECK_THROWS_AS(read("{'loss': 2.1, 'epoch': 0.5}\n"), InputError);
}

TEST_CASE("a history of W&B is read by its columns") {
  const TrainingLog log = read_training_log(
      "\"Step\",\"run-a - iteration-time\",\"run-a - lm "
      "loss\"\n\"1\",\"2.5\",\"9\"\n\"2\",\"2.4\",\"8\"\n\"3\",\"\",\"8\"\n",
      "h.csv");
  CHECK(log.form == "W&B");
  CHECK(log.steps == 2);
  CHECK(log.step_time->si() == testing::about(2.45));
  CHECK_THROWS_AS(read_training_log("Step,loss\n1,2\n", "h.csv"), InputError);
}

TEST_CASE("DeepSpeed and torchtitan: rates, with colours and thousands") {
  const TrainingLog deepspeed = read_training_log(
      "[INFO] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=12.1, "
      "CurrSamplesPerSec=12.5, MemAllocated=3.2GB, MaxMemAllocated=10.0GB\n",
      "log.txt");
  CHECK(deepspeed.form == "DeepSpeed");
  CHECK(*deepspeed.samples_per_s == 12.5);
  CHECK(deepspeed.allocated->si() == 10 * 0x1p30);
  const TrainingLog titan = read_training_log(
      "\x1b[31mstep: 10 \x1b[32m loss: 7.1 \x1b[33m memory: 36.5GiB(46.6%) \x1b[34m tps: 6,543 "
      "\x1b[36m tflops: 398.70 \x1b[35m mfu: 40.31%\x1b[39m\n",
      "log.txt");
  CHECK(titan.form == "torchtitan");
  CHECK(*titan.tokens_per_s_per_gpu == 6543);
  CHECK(titan.flops_per_gpu->si() == testing::about(398.7e12));
  CHECK(titan.reserved->si() == 36.5 * 0x1p30);
}

TEST_CASE("a history of W&B without a step's time is read by its clock") {
  std::string csv = "_step,_runtime,_timestamp,train/loss,train/global_step\n";
  for (int i = 1; i <= 12; ++i)
    csv += std::to_string(i) + "," + std::to_string(100 + 20 * i) + ".5,1700000000,1.2," +
           std::to_string(10 * i) + "\n";
  const TrainingLog log = read_training_log(csv, "history.csv");
  CHECK(log.form == "W&B, by the clock of its steps");
  CHECK(log.step_time->si() == testing::about(2));
  CHECK(log.steps == 11);
}

TEST_CASE("a history's clock goes by the column that counts steps") {
  const auto read = [](const std::string& titles, double per_row, bool own_column) {
    std::string csv = "_step,_runtime" + titles + "\n";
    for (int i = 1; i <= 12; ++i) {
      const double step = per_row * i;
      csv += std::to_string(own_column ? i : static_cast<int>(step)) + "," +
             std::to_string(10 * i) + "," +
             (own_column ? std::to_string(static_cast<int>(step)) : std::string("1.2")) + "\n";
    }
    return read_training_log(csv, "history.csv");
  };
  for (const char* title : {",iter", ",global_step", ",trainer/global_step", ",iteration"}) {
    CHECK(read(title, 2, true).step_time->si() == testing::about(5));
  }
  CHECK(read(",loss", 2, false).step_time->si() == testing::about(5));
  // DeepSpeed's monitor counts samples: 256 in ten seconds.
  const TrainingLog samples = read(",Train/Samples/train_loss", 256, false);
  CHECK_FALSE(samples.step_time.has_value());
  CHECK(*samples.samples_per_s == testing::about(25.6));
  CHECK(read_training_log("{\"_step\": 1, \"_runtime\": 10, \"iter\": 2}\n"
                          "{\"_step\": 2, \"_runtime\": 20, \"iter\": 4}\n",
                          "x")
            .step_time->si() == testing::about(5));
}

TEST_CASE("lines as older and other versions write them") {
  const TrainingLog bloom = read_training_log(
      "iteration 10/ 311541 | elapsed time per iteration (s): 49.71 | learning rate: 3.787E-08 | "
      "samples per second: 0.644 | TFLOPs: 7.41 |\n",
      "log.txt");
  CHECK(bloom.form == "Megatron-LM");
  CHECK(bloom.step_time->si() == testing::about(49.71));
  // Recomputed products count in Megatron-DeepSpeed's number.
  CHECK(bloom.hardware_flops_per_gpu->si() == testing::about(7.41e12));
  CHECK_FALSE(bloom.flops_per_gpu.has_value());
  const TrainingLog titan = read_training_log(
      "[rank0]:[titan] 2024-10-01 10:00:00,123 - root - INFO - step: 10  loss:  7.1  memory: "
      "36.5GiB(46.6%)  wps: 6,543  mfu: 40.31%\n",
      "log.txt");
  CHECK(titan.form == "torchtitan");
  CHECK(*titan.tokens_per_s_per_gpu == 6543);
  const TrainingLog behind_address = read_training_log(
      "see https: 12 at https://example.org\nelapsed time per iteration (ms): 1000.0 |\n",
      "log.txt");
  CHECK(behind_address.form == "Megatron-LM");
  CHECK(behind_address.steps == 1);
}

TEST_CASE("what is no training log is refused") {
  for (const char* text : {"", "hello\n", "elapsed time per iteration (ms): soon\n",
                           "CurrSamplesPerSec=-3\n", "tps: nan\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_training_log(text, "log.txt"), InputError);
  }
}

TEST_CASE("a progress bar says a step where nothing else does") {
  const std::string bars =
      "Loading checkpoint shards: 100%|###| 4/4 [00:10<00:00,  2.50s/it]\n"
      "  0%|   | 0/1000 [00:00<?, ?it/s]\r  0%|   | 1/1000 [00:30<3:21:40, 30.11s/it]\r"
      "  0%|   | 2/1000 [00:39<2:45:10, 19.10s/it]\r  0%|   | 3/1000 [00:48<2:35:10, 14.00s/it]\r"
      "  0%|   | 4/1000 [00:57<2:35:10, 12.20s/it]\n{'loss': 1.2, 'epoch': 0.1}\n";
  const TrainingLog log = read_training_log(bars, "l");
  CHECK(log.form == "a progress bar");
  // By the clock: the smoothed seconds still hold the first step.
  CHECK(log.steps == 3);
  CHECK(log.step_time->si() == testing::about(9.0));
  const TrainingLog fast = read_training_log(
      "1/9 [00:01<00:04, 2.0it/s] 2/9 [00:01<00:04, 2.0it/s] 3/9 [00:01<00:04, 2.0it/s]", "l");
  CHECK(fast.step_time->si() == testing::about(0.5));
  const TrainingLog whole =
      read_training_log(bars + "  train_samples_per_second =     12.5\n", "l");
  CHECK(whole.form == "Hugging Face's Trainer");
  CHECK(*whole.samples_per_s == testing::about(12.5));
  CHECK_THROWS_AS(read_training_log("50/50 [00:10<00:00,  2.50s/it]\n", "l"), InputError);
}

TEST_CASE("a bar that a terminal writes over itself holds a step in each of its writings") {
  std::string text;
  for (const char* seconds : {"30.1", "14.8", "14.9"}) {
    text += std::string("\rEpoch 0: 1/9, train_step_timing in s=") + seconds + "]";
  }
  const TrainingLog log = read_training_log(text + "\n", "x");
  CHECK(log.steps == 3);
  CHECK(log.step_time->si() == testing::about(14.85));
}

TEST_CASE("Hugging Face's Trainer: the run over its steps, else steps a second, else samples") {
  const auto step = [](const std::string& text) { return read_training_log(text, "x").step_time; };
  const std::string samples = "{'train_runtime': 919.1, 'train_samples_per_second': 1.088, ";
  CHECK(step("  Total optimization steps = 16\n" + samples + "'train_steps_per_second': 0.017}\n")
            ->si() == testing::about(919.1 / 16));
  CHECK(step(samples + "'train_steps_per_second': 0.193}\n")->si() == testing::about(1 / 0.193));
  CHECK_FALSE(step(samples + "'train_steps_per_second': 0.017}\n").has_value());
  CHECK(step("{\n \"global_step\": 100,\n \"train_runtime\": 500.0,\n"
             " \"train_samples_per_second\": 25.6\n}\n")
            ->si() == testing::about(5.0));
  CHECK(*read_training_log("{'train_samples_per_second': '12.34'}\n", "x").samples_per_s ==
        testing::about(12.34));
}

TEST_CASE("evaluations of Hugging Face's Trainer are no time of its steps") {
  const std::string run = "***** Running training *****\n";
  const std::string total = "  Total optimization steps = 500\n";
  const std::string evaluation = "{'eval_loss': 1.2, 'eval_runtime': 400.0, 'epoch': 0.2}\n";
  const std::string end =
      "{'train_runtime': 4500.0, 'train_samples_per_second': 10.0, "
      "'train_steps_per_second': 0.1}\n";
  const auto log = [](const std::string& text) { return read_training_log(text, "l"); };
  CHECK(log(run + total + evaluation + evaluation + end).step_time->si() == testing::about(7.4));
  const TrainingLog by_rates = log(run + evaluation + evaluation + end);
  CHECK(by_rates.step_time->si() == testing::about(10 * 3700.0 / 4500));
  CHECK(*by_rates.samples_per_s == testing::about(10 * 4500.0 / 3700));
  // An earlier session and one after training do not count.
  CHECK(log(run + evaluation + run + total + end + evaluation).step_time->si() ==
        testing::about(9));
  CHECK(log("{\n \"eval_runtime\": 400.0,\n \"global_step\": 500,\n \"train_runtime\": 4500.0,\n"
            " \"train_samples_per_second\": 10.0\n}\n")
            .step_time->si() == testing::about(9));
  CHECK(log("{\n \"global_step\": 500,\n \"log_history\": [\n {\n \"eval_runtime\": 400.0\n },\n"
            " {\n \"train_runtime\": 4500.0,\n \"train_samples_per_second\": 10.0\n }\n ]\n}\n")
            .step_time->si() == testing::about(8.2));
  CHECK_THROWS_WITH_AS(log(run + total + "{'eval_runtime': 4500.0}\n" + end),
                       doctest::Contains("evaluations as long as the run"), InputError);
}

TEST_CASE("LLaMA-Factory's evaluations are no time of its steps") {
  const auto line = [](int step, const char* clock) {
    return "{\"current_steps\": " + std::to_string(step) + ", \"elapsed_time\": \"" + clock +
           "\"}\n";
  };
  CHECK(read_training_log(
            line(10, "0:00:50") + line(20, "0:01:40") + line(20, "0:08:20") + line(30, "0:09:10"),
            "x")
            .step_time->si() == testing::about(5));
}

TEST_CASE("LLaMA-Factory's lines are read by their clock") {
  const TrainingLog log = read_training_log(
      "{\"current_steps\": 10, \"total_steps\": 100, \"elapsed_time\": \"0:00:59\"}\n"
      "{\"current_steps\": 20, \"total_steps\": 100, \"elapsed_time\": \"0:01:05\"}\n"
      "{\"current_steps\": 30, \"total_steps\": 100, \"elapsed_time\": \"0:01:09\"}\n",
      "x");
  CHECK(log.step_time->si() == testing::about(0.5));
}

TEST_CASE("further trainers say a step with a magnitude, behind it, or before its unit") {
  const auto step = [](const std::string& line) {
    return read_training_log(line + "\n", "x").step_time->si();
  };
  CHECK(step("iteration: 1 / 9 | time_per_iteration_ms: 2.51K | lm_loss: 11") ==
        testing::about(2.51));
  CHECK(step("completed step: 3, seconds: 5.678, TFLOP/s/device: 400.1, Tokens/s/device: 2885.1") ==
        testing::about(5.678));
  CHECK(step("iter 10: loss 3.1, time 250.50ms, mfu 40.1%") == testing::about(0.2505));
  CHECK(step("step 3/99 | loss 9.1 (+nanz)| norm 1.2 (+nanz)| lr 1.0e-06 | 3123.45 ms | 48.1% bf16 "
             "MFU | 167890 tok/s") == testing::about(3.12345));
  CHECK(step("   Train throughput/batches_per_sec: 0.2500") == testing::about(4.0));
  CHECK(*read_training_log("step 1 | loss 2.1 | mem 45.50 GiB | tps 12345.67(1543.20/gpu) |\n", "x")
             .tokens_per_s_per_gpu == testing::about(1543.2));
}

TEST_CASE("a history of W&B without a step's time is refused by what it lacks") {
  CHECK_THROWS_WITH_AS(read_training_log("\"Step\",\"run - throughput\"\n\"1\",\"400.5\"\n", "x"),
                       doctest::Contains("without a step's time"), InputError);
}

TEST_CASE("Megatron-LM's memory has the unit of its line") {
  const std::string step = "x | elapsed time per iteration (ms): 1000.0 |\n";
  const std::string rest = " | allocated: 1.0 | max allocated: 55.5 | reserved: 2.0\n";
  CHECK(read_training_log(step + "[Rank 0] memory (GB)" + rest, "x").allocated->si() ==
        55.5 * 0x1p30);
  CHECK(read_training_log(step + "[Rank 0] memory (MB)" + rest, "x").allocated->si() ==
        55.5 * 0x1p20);
}

TEST_CASE("a chart of two runs is refused: their steps must not mix") {
  CHECK_THROWS_WITH_AS(
      read_training_log(
          "\"Step\",\"a - iteration-time\",\"b - iteration-time\"\n\"1\",\"2\",\"3\"\n", "x"),
      doctest::Contains("two runs"), InputError);
  CHECK(read_training_log(
            "\"Step\",\"a - iteration-time\",\"a - iteration-time__MIN\"\n\"1\",\"2\",\"1\"\n", "x")
            .step_time->si() == 2);
}

TEST_CASE("histories as lines of JSON are read by a rate or by their clock") {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += "{\"_step\": " + std::to_string(i + 1) +
            ", \"_runtime\": " + std::to_string(10 + 5 * i) + ", \"loss\": 2.0}\n";
  }
  CHECK(read_training_log(text, "x").step_time->si() == testing::about(5.0));
  CHECK(*read_training_log("{\"step\": 1, \"tps\": 12000.5, \"tps_per_gpu\": 1500.06}\n", "x")
             .tokens_per_s_per_gpu == testing::about(1500.06));
  CHECK(read_training_log("Model Parameters: 6.9 B, Latency: 2.31s, TFLOPs: 101.5, Samples/sec: "
                          "27.7, Batch Size: 64\n",
                          "x")
            .step_time->si() == testing::about(2.31));
}

TEST_CASE("OLMo says tokens a second of a GPU, and fms-fsdp a step in lines of its own") {
  const TrainingLog olmo = read_training_log(
      "INFO [step=100/739328]\n    throughput/total_tokens=419,430,400\n"
      "    throughput/device/tokens_per_second=2,531\n    System/Peak GPU Memory (MB)=43,210\n",
      "log");
  CHECK(olmo.form == "OLMo");
  CHECK(*olmo.tokens_per_s_per_gpu == testing::about(2531));
  CHECK(olmo.allocated->si() == testing::about(43.21e9));
  const TrainingLog core = read_training_log(
      "    throughput/device/TPS=12,531\n    throughput/device/TPS (actual avg)=9\n", "log");
  CHECK(*core.tokens_per_s_per_gpu == testing::about(12531));
  const TrainingLog fms = read_training_log(
      "step: 100\nloss: 2.71\nreserved memory: 51539607552\nallocated memory: 40802189312\n"
      "current step time: 2.5\noverall step time: 9.9\ncurrent token per gpu per sec: 6526.0\n",
      "log");
  CHECK(fms.step_time->si() == testing::about(2.5));
  CHECK(fms.reserved->si() == 51539607552.0);
}

TEST_CASE("colours that a page kept without their escapes hide no number") {
  const TrainingLog log = read_training_log(
      "[31mstep: 10  [32mloss: 9.2  [33mmemory: 47.55GiB(50.04%)  [34mtps: 6,543  "
      "[36mtflops: 379.01[39m\n",
      "log");
  CHECK(*log.tokens_per_s_per_gpu == testing::about(6543));
}

TEST_CASE("a progress bar's smoothed seconds count once they have forgotten the first step") {
  std::string text;
  for (int i = 1; i <= 30; ++i) {
    text += std::to_string(i) + "/99 [00:" + std::to_string(29 + i) + "<9:00,  " +
            (i < 16 ? "8.00" : "1.30") + "s/it]\r";
  }
  CHECK(read_training_log(text, "l").step_time->si() == testing::about(1.3));
}

TEST_CASE("steps of a ramp of batches are left out, with their timers") {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += std::string(" iteration | elapsed time per iteration (ms): ") +
            (i < 40 ? "180.5" : "1400.5") + " | global batch size: " + (i < 40 ? "32" : "256") +
            " |\n    optimizer ....: (10.00, " + (i < 40 ? "20.00" : "50.00") + ")\n";
  }
  const TrainingLog log = read_training_log(text, "l");
  CHECK(log.step_time->si() == testing::about(1.4005));
  CHECK(log.steps == 20);
  CHECK(log.other_batch == 40);
  CHECK(log.timers.at("optimizer").si() == testing::about(0.05));
  CHECK(log.settings == std::vector<LoggedSetting>{{"training.global_batch", 256}});
}

TEST_CASE("MLPerf's lines and nanotron's say their batch, MLPerf's their length") {
  const TrainingLog mlperf = read_training_log(
      ":::MLLOG {\"key\": \"global_batch_size\", \"value\": 8, \"metadata\": {}}\n"
      ":::MLLOG {\"key\": \"max_sequence_length\", \"value\": 8192}\n"
      ":::MLLOG {\"key\": \"tracked_stats\", \"value\": {\"train_step_time\": 1.5}}\n",
      "l");
  CHECK(mlperf.settings == std::vector<LoggedSetting>{{"training.global_batch", 8},
                                                      {"training.sequence_length", 8192}});
  const TrainingLog nanotron = read_training_log(
      "iteration: 1 / 9 | time_per_iteration_ms: 2.51K | global_batch_size: 256 | lm_loss: 11\n",
      "l");
  CHECK(nanotron.settings == std::vector<LoggedSetting>{{"training.global_batch", 256}});
}

TEST_CASE("torchtitan's lines of validation are no steps") {
  const std::string step = "step: 10  loss:  7.1  memory: 47.34GiB(49.83%)  tps: 6,000\n";
  const std::string validation =
      "validate step: 10  loss:  7.1  memory: 60.00GiB(31.00%)  tps: 20,000\n";
  const TrainingLog log = read_training_log(step + validation + validation, "l");
  CHECK(log.steps == 1);
  CHECK(*log.tokens_per_s_per_gpu == 6000);
  CHECK(log.reserved->si() == testing::about(47.34 * 0x1p30));
  CHECK_THROWS_AS(read_training_log(validation, "l"), InputError);
}

TEST_CASE("a resumed run of Hugging Face's Trainer has the steps of its last session") {
  const std::string run = "***** Running training *****\n";
  const std::string resumed = "  Continuing training from global step 150\n";
  const std::string total = "  Total optimization steps = 200\n";
  const std::string end =
      "{'train_runtime': 500.0, 'train_samples_per_second': 51.2, 'train_steps_per_second': 0.4}\n";
  const TrainingLog log = read_training_log(run + total + resumed + end, "l");
  CHECK(log.step_time->si() == testing::about(10));
  CHECK_FALSE(log.samples_per_s.has_value());
  CHECK(read_training_log(run + total + resumed + run + total + end, "l").step_time->si() ==
        testing::about(2.5));
  CHECK_THROWS_WITH_AS(read_training_log(run + resumed + end, "l"),
                       doctest::Contains("a resumed run"), InputError);
}

TEST_CASE("a run that stops before its last epoch has no time by all of its steps") {
  const auto read = [](const char* epoch) {
    return read_training_log(
        std::string("  Num Epochs = 3\n  Total optimization steps = 300\n{'train_runtime': 500.0, "
                    "'train_samples_per_second': 51.2, 'epoch': ") +
            epoch + "}\n",
        "l");
  };
  CHECK(read("3.0").step_time.has_value());
  CHECK(read("2.5").step_time.has_value());
  CHECK_THROWS_WITH_AS(read("2.0"), doctest::Contains("stopped before its last epoch"), InputError);
}

TEST_CASE("LLaMA-Factory's clock begins anew where a run is resumed") {
  const auto line = [](int step, const char* clock) {
    return "{\"current_steps\": " + std::to_string(step) + ", \"total_steps\": 40, " +
           "\"elapsed_time\": \"" + clock + "\"}\n";
  };
  CHECK(read_training_log(
            line(10, "0:01:40") + line(20, "0:03:20") + line(30, "0:01:40") + line(40, "0:03:20"),
            "l")
            .step_time->si() == testing::about(10));
}

TEST_CASE("a bar that evaluates is none of the steps, however often it is drawn") {
  std::string steps;
  std::string others;
  for (int i = 1; i <= 20; ++i) {
    const std::string done = std::to_string(i);
    steps += "\r " + done + "%|#  | " + done + "/200 [03:" + std::to_string(10 + i) +
             "<33:20, 10.00s/it]";
    others += "\r " + done + "%|#  | " + done + "/400 [00:02<00:40, 10.00it/s]\r " + done +
              "%|#  | " + done + "/400 [00:02<00:40, 10.00it/s]";
  }
  CHECK(read_training_log(steps + others, "l").step_time->si() == testing::about(10));
  const std::string slow =
      "Evaluating: 1%|# | 1/9 [50:01<00:40, 99.00s/it]\rEvaluating: 2%|# | 2/9 [50:01<00:40, "
      "99.00s/it]\r";
  CHECK(read_training_log(slow + slow + slow + steps, "l").step_time->si() == testing::about(10));
  CHECK(read_training_log("  Total optimization steps = 400\n" + steps + others, "l")
            .step_time->si() == testing::about(0.1));
  CHECK_THROWS_AS(read_training_log(slow + slow, "l"), InputError);
}

TEST_CASE("a bar of a resumed run forgets its first step, wherever it starts") {
  std::string text;
  for (int i = 1; i <= 30; ++i) {
    text += std::to_string(150 + i) + "/200 [00:" + std::to_string(10 + i) + "<9:00,  " +
            (i < 16 ? "0.10" : "9.50") + "s/it]\r";
  }
  CHECK(read_training_log(text, "l").step_time->si() == testing::about(9.5));
}

TEST_CASE("a throughput in a line of JSON that is not MLPerf's has no unit") {
  CHECK_THROWS_AS(
      read_training_log("{\"step\": 0, \"throughput\": 45.0, \"unit\": \"tokens/s\"}\n", "l"),
      InputError);
}

TEST_CASE("what stays allocated after a step is no peak") {
  const std::string history = "_step,iteration-time,mem-allocated-bytes,mem-reserved-bytes\n";
  const TrainingLog log = read_training_log(history + "1,2.5,13314398617,20000000000\n", "l");
  CHECK_FALSE(log.allocated.has_value());
  CHECK(log.reserved->si() == 2e10);
}

TEST_CASE("Megatron-LM's timers are read behind the name of a rank or of a host") {
  for (const char* prefix : {"", "511: ", "vm-07-14: ", "[default0]:"}) {
    const TrainingLog log =
        read_training_log(prefix + std::string(" elapsed time per iteration (ms): 1000.0 |\n") +
                              prefix + "    all-grads-sync ....: (10.00, 20.00)\n",
                          "l");
    CAPTURE(prefix);
    REQUIRE(log.timers.count("all-grads-sync") == 1);
    CHECK(log.timers.at("all-grads-sync").si() == testing::about(0.02));
  }
}

TEST_CASE("a mark of the byte order before a history is none of its first column") {
  CHECK(read_training_log("\xef\xbb\xbfiteration-time,_step\n2.5,1\n", "l").step_time->si() == 2.5);
}

TEST_CASE("steps that several ranks print count once, their memory each time") {
  std::string text;
  for (int i = 1; i <= 12; ++i) {
    for (int rank = 0; rank < 4; ++rank) {
      text += "[rank" + std::to_string(rank) + "]: step: " + std::to_string(i) +
              "  memory: " + std::to_string(40 + rank) + ".00GiB(50%)  tps: 6,000\n";
    }
  }
  const TrainingLog log = read_training_log(text, "l");
  CHECK(log.steps == 12);
  CHECK(log.set_aside == 5);
  CHECK(log.reserved->si() == 43 * 0x1p30);
}
