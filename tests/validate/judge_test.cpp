// SPDX-License-Identifier: Apache-2.0
#include "validate/judge.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "shipped_runs.h"
#include "support/about.h"

namespace orrery {
namespace {

// A run of eight GPUs; `parallel` and `measured` are the insides of objects.
Row row_of(const std::string& parallel, const std::string& measured,
           const std::string& training = R"("global_batch": 64, "micro_batch": 1)") {
  const std::string text =
      R"([{"id": "x", "run": {"model": "gpt3-1.3b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
          "training": {"sequence_length": 2048, )" +
      training + R"(}, "parallel": {)" + parallel +
      R"(}, "framework": "megatron-lm"}, "measured": {)" + measured + "}}]";
  return read_rows(text, "rows.json").at(0);
}

JudgedRow judged(const std::string& parallel, const std::string& measured,
                 const std::string& training = R"("global_batch": 64, "micro_batch": 1)") {
  return judge(row_of(parallel, measured, training), testing::shipped_lookup());
}

TEST_CASE("the error is predicted over measured minus one, whatever time is published as") {
  const JudgedRow seconds = judged("", R"("step_time_s": 4)");
  REQUIRE(is_estimated(seconds));
  const double predicted = seconds.answer.step_time.si();
  CHECK(*time_error(seconds) == testing::about(predicted / 4 - 1));

  const double tokens = 64 * 2048 / (4.0 * 8);
  const JudgedRow rate = judged("", "\"tokens_per_s_per_gpu\": " + std::to_string(tokens));
  CHECK(*time_error(rate) == testing::about(*time_error(seconds)));
  CHECK(predicted_tokens(rate).si() == testing::about(64 * 2048 / (predicted * 8)));
}

TEST_CASE("memory is held against its own kind") {
  const JudgedRow device = judged("", R"("peak_memory_gib": 10, "memory_kind": "device")");
  const JudgedRow reserved = judged("", R"("peak_memory_gib": 10, "memory_kind": "reserved")");
  const JudgedRow allocated = judged("", R"("peak_memory_gib": 10, "memory_kind": "allocated")");
  CHECK(predicted_memory(device) == device.answer.memory.peak);
  CHECK(predicted_memory(reserved) == reserved.answer.memory.reserved);
  CHECK(predicted_memory(allocated) == allocated.answer.memory.allocated);
  CHECK(*memory_error(device) > *memory_error(reserved));
  CHECK(*memory_error(reserved) > *memory_error(allocated));
  CHECK_FALSE(time_error(device));
}

TEST_CASE("a refused run is named and not an error of the program") {
  const JudgedRow schedule = judged(R"("pp": 2, "schedule": "zb-h9")", R"("step_time_s": 4)");
  CHECK_FALSE(is_estimated(schedule));
  CHECK(schedule.refusal.find("parallel.schedule") != std::string::npos);
  CHECK(schedule.refusal.find("zb-h9") != std::string::npos);
  CHECK_FALSE(time_error(schedule));
}

TEST_CASE("a key that runs do not have is a mistake of the file") {
  CHECK_THROWS_WITH_AS(judged(R"("pipeline": 2)", R"("step_time_s": 4)"),
                       doctest::Contains("parallel.pipeline: found an unknown key"), InputError);
}

TEST_CASE("a global batch that is not published is four micro batches a stage") {
  const JudgedRow r =
      judged(R"("tp": 2, "pp": 2)", R"("tokens_per_s_per_gpu": 4000)", R"("micro_batch": 3)");
  REQUIRE(is_estimated(r));
  REQUIRE(r.assumed.size() == 1);
  CHECK(r.assumed[0].find("training.global_batch 48") != std::string::npos);
  CHECK(r.tokens == 48 * 2048);
  CHECK(time_error(r));
}

TEST_CASE("names of node and framework are known for refused rows too") {
  const JudgedRow r = judged(R"("tp": 5)", R"("step_time_s": 4)");
  CHECK_FALSE(is_estimated(r));
  CHECK(r.node == "dgx-a100-80gb");
  CHECK(r.framework == "megatron-lm");
}

TEST_CASE("what is published as out of memory is right where the estimate does not fit") {
  const std::string large = R"("global_batch": 4096, "micro_batch": 512)";
  const JudgedRow r = judged(R"("recompute": "none")", R"("out_of_memory": true)", large);
  REQUIRE(is_estimated(r));
  CHECK_FALSE(fits(r));
  CHECK_FALSE(time_error(r));
}

}  // namespace
}  // namespace orrery
