// SPDX-License-Identifier: Apache-2.0
// The verdict of a log alone. Its lines are our own, after the forms that log_fields.h names.
#include "insight/log_verdict.h"

#include <doctest/doctest.h>

#include "insight/against.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::json_of;

RunReport mixtral(const char* length, const char* parallel) {
  return testing::report_of(json_of(R"({"model": "mixtral-8x7b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 16}, "training": {"sequence_length": )" +
                                    std::string(length) +
                                    R"(, "global_batch": 128}, "parallel": )" + parallel + "}"));
}

}  // namespace

TEST_CASE("a log whose steps wait for data says so") {
  const TrainingLog log = read_training_log(
      "Epoch: [0][0/9]\tTime 27.5 (27.5)\tData 24.1 (24.1)\tLoss 7 (7)\n"
      "Epoch: [0][1/9]\tTime 0.8 (4.0)\tData 0.1 (3.0)\tLoss 7 (7)\n"
      "Epoch: [0][2/9]\tTime 9.4 (4.0)\tData 8.7 (3.0)\tLoss 7 (7)\n",
      "log");
  CHECK(log.form == "PyTorch's ImageNet example");
  CHECK(*data_share(log) == about(0.75));
  CHECK(fault_of(log)->what == "the GPUs wait for data");
}

TEST_CASE("a log of even steps is steady") {
  const TrainingLog log = read_training_log(
      "iter 1: loss 4.0, time 561.9ms\niter 2: loss 4.0, time 562.3ms\n"
      "iter 3: loss 4.0, time 561.8ms\niter 4: loss 4.0, time 562.0ms\n",
      "log");
  CHECK(log.form == "nanoGPT");
  CHECK(log.step_time->si() == about(0.56195));
  CHECK(!fault_of(log));
  CHECK(steady_words(log).find("steady") == 0);
}

TEST_CASE("nanoGPT's mfu is of an A100's peak") {
  const TrainingLog log = read_training_log(
      "iter 340: loss 5.4, time 33785.52ms, mfu 0.96%\n"
      "iter 350: loss 5.4, time 33785.52ms, mfu 0.96%\n",
      "log");
  CHECK(log.flops_per_gpu->si() == about(0.0096 * 312e12));
}

TEST_CASE("FLOP/s and a step that are of fewer tokens than the run's say so") {
  TrainingLog log;
  log.form = "Megatron-LM";
  log.steps = 3;
  log.step_time = Seconds(5.47);
  log.flops_per_gpu = FlopsPerSecond(238.7e12);
  const RunReport r = mixtral("4096", "{}");
  const TrainingAgainst a = against(r, log);
  REQUIRE(a.other_settings.size() == 1);
  CHECK(a.other_settings[0].is_derived);
  CHECK(a.causes.empty());
  CHECK(against(mixtral("2048", "{}"), log).other_settings.empty());
}

TEST_CASE(
    "a log within the interval is of no other machine, and of another layout where none fits") {
  TrainingLog log;
  log.form = "Megatron-LM";
  log.steps = 3;
  log.step_time = Seconds(5.47);
  const RunReport assumed = mixtral("2048", "{}");
  REQUIRE(assumes_what_cannot_fit(assumed));
  CHECK(against(assumed, log).causes.at(0).what.find("the layout is another") == 0);
  const RunReport given = mixtral("2048", R"({"tp": 2, "pp": 2, "ep": 8})");
  CHECK(!assumes_what_cannot_fit(given));
  log.step_time = given.answer.step_time;
  for (const StepCause& c : against(given, log).causes)
    CHECK(c.what.find("none of these") == std::string::npos);
}

}  // namespace orrery
