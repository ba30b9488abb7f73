// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "exchange/logs/training_log.h"
#include "support/about.h"

using namespace orrery;

namespace {

using LoggedSettings = std::vector<LoggedSetting>;

const std::string kNemoBar = "Epoch 0: 1/9, train_step_timing in s=22.00]\n";

LoggedSettings logged_settings(const std::string& text) {
  return read_training_log(text, "l").settings;
}

}  // namespace

TEST_CASE("DeepSpeed's configuration says its batches, and not how many GPUs there are") {
  const std::string print = "[2026-01-01 10:00:00,000] [INFO] [config.py:1000:print]   ";
  CHECK(logged_settings(print + "train_batch_size ............. 512\n" + print +
                        "train_micro_batch_size_per_gpu  4\n" + print +
                        "world_size ................... 16\n" +
                        "RunningAvgSamplesPerSec=71.0, CurrSamplesPerSec=71.3\n") ==
        LoggedSettings{{"training.global_batch", 512}, {"training.micro_batch", 4}});
}

TEST_CASE("Hugging Face's Trainer says its batches, beside a progress bar too") {
  const std::string head =
      "  Instantaneous batch size per device = 4\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n";
  const LoggedSettings stated = {{"training.micro_batch", 4}, {"training.global_batch", 1024}};
  CHECK(logged_settings(head + "{'train_runtime': 9.0, 'train_samples_per_second': 5}\n") ==
        stated);
  CHECK(logged_settings(head + "1/9 [00:09<9:00, 9.0s/it]\r2/9 [00:18<9:00, 9.0s/it]\r"
                               "3/9 [00:27<9:00, 9.0s/it]\r") == stated);
}

TEST_CASE("torchtitan says batch, length and degrees, in its words of both years") {
  CHECK(
      logged_settings("Training starts at step 1, with local batch size 8, global batch size 512, "
                      "sequence length 4096, total steps 9\nstep: 1  tps: 6,000\n") ==
      LoggedSettings{{"training.global_batch", 512}, {"training.sequence_length", 4096}});
  CHECK(
      logged_settings("Building device mesh with parallelism: pp=2, dp_shard=4, cp=1, tp=8, ep=1\n"
                      "step: 1  tps: 6,000\n") ==
      LoggedSettings{
          {"parallel.tp", 8}, {"parallel.pp", 2}, {"parallel.cp", 1}, {"parallel.ep", 1}});
}

TEST_CASE("the batch of a validation set in NeMo's configuration is none of the steps") {
  const TrainingLog log = read_training_log(
      "model:\n  tensor_model_parallel_size: 4\n  global_batch_size: 128\n  data:\n"
      "    train_ds:\n      global_batch_size: 1536\n"
      "    validation_ds:\n      global_batch_size: 128\n" +
          kNemoBar + kNemoBar + kNemoBar,
      "l");
  CHECK(log.settings == LoggedSettings{{"parallel.tp", 4}, {"training.global_batch", 1536}});
  CHECK(log.other_batch == 0);
}

TEST_CASE("nanotron's batch has three digits and a magnitude") {
  const auto of = [](const char* batch) {
    return logged_settings(std::string("time_per_iteration_ms: 2.51K | global_batch_size: ") +
                           batch + " | lm_loss: 11\n");
  };
  CHECK(of("2K") == LoggedSettings{{"training.global_batch", 2000, 5}});
  CHECK(of("1.02K") == LoggedSettings{{"training.global_batch", 1020, 5}});
  CHECK(of("256") == LoggedSettings{{"training.global_batch", 256}});
}

TEST_CASE("further trainers say batch, length or tokens of a step in words of their own") {
  CHECK(logged_settings(
            "tokens per iteration will be: 491,520\niter 1: loss 3, time 250ms, mfu 40%\n") ==
        LoggedSettings{{kTokensOfStep, 491520}});
  CHECK(
      logged_settings("Config param global_batch_size_to_train_on: 128\n"
                      "Config param max_target_length: 2048\ncompleted step: 3, seconds: 5.6\n") ==
      LoggedSettings{{"training.global_batch", 128}, {"training.sequence_length", 2048}});
  CHECK(
      logged_settings("global_train_batch_size: 256\n Train throughput/batches_per_sec: 0.25\n") ==
      LoggedSettings{{"training.global_batch", 256}});
  CHECK(logged_settings("Running Recipe with resolved config:\n\nbatch_size: 2\nbatch_size_val: 4\n"
                        "Step 3 | tokens_per_second_per_gpu:1234.5\n") ==
        LoggedSettings{{"training.micro_batch", 2}});
}
