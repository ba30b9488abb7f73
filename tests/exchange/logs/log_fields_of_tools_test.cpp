// SPDX-License-Identifier: Apache-2.0
// Lines of ms-swift and of verl, after modelscope/ms-swift issue 4146 and verl-project/verl issue
// 2060.
#include <doctest/doctest.h>

#include "exchange/logs/training_log.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;

TEST_CASE("ms-swift prints steps a second and the allocator's reserved peak") {
  const TrainingLog log = read_training_log(
      "{'loss': 0.48, 'learning_rate': 1e-06, 'memory(GiB)': 69.19, 'train_speed(iter/s)': 0.0125, "
      "'epoch': 0.26, 'global_step/max_steps': '12/94'}\n",
      "swift.log");
  CHECK(log.form == "ms-swift");
  CHECK(log.step_time->si() == about(80));
  CHECK(log.reserved->si() == about(69.19 * 0x1p30));
}

TEST_CASE("of a step of verl the update of the actor counts, which is the training in it") {
  const TrainingLog log = read_training_log(
      "step:1 - actor/lr:0.000 - perf/max_memory_allocated_gb:62.5 - "
      "perf/max_memory_reserved_gb:91.5 - timing_s/gen:40.0 - timing_s/update_actor:25.5 - "
      "timing_s/step:90.0\n",
      "verl.log");
  CHECK(log.form == "verl's update of the actor");
  CHECK(log.step_time->si() == about(25.5));
  CHECK(log.allocated->si() == about(62.5 * 0x1p30));
  CHECK(log.reserved->si() == about(91.5 * 0x1p30));
}

}  // namespace
}  // namespace orrery
