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

struct DataLine {
  const char* line;
  const char* form;
  double step;
  double data;
};

TEST_CASE("logs of vision trainers say a step and how long it waits for data") {
  const DataLine lines[] = {
      {"Train: 0 [  50/1251 (  4%)]  Loss: 6.93 (6.93)  Time: 0.400s, 2500/s  (0.500s, 2000/s)  "
       "LR: 1.0e-05  Data: 0.010 (0.200)\n",
       "timm", 0.5, 0.2},
      {"2024-03-12 | INFO | Train Epoch: 0 [ 2048/9999 (0%)] Data (t): 3.900 Batch (t): 4.700, "
       "435/s, 217/s/gpu LR: 0.1\n",
       "open_clip", 4.7, 3.9},
      {"Epoch: [0]  [  10/5005]  eta: 1:10:00  lr: 0.5  loss: 6.9 (6.9)  time: 0.8000  data: "
       "0.7000 "
       " max mem: 1024\n",
       "torchvision's references", 0.8, 0.7},
      {"Iter(train) [50/90000]  lr: 1.0e-02  eta: 1:00:00  time: 0.5000  data_time: 0.1000  "
       "memory: "
       "1024  loss: 1.0\n",
       "MMEngine", 0.5, 0.1},
  };
  for (const DataLine& l : lines) {
    CAPTURE(l.line);
    const TrainingLog log = read_training_log(l.line, "log");
    CHECK(log.form == l.form);
    CHECK(log.step_time->si() == about(l.step));
    CHECK(log.data_time->si() == about(l.data));
  }
}

TEST_CASE("Keras prints the time of a step with its unit") {
  CHECK(read_training_log("100/100 [====] - 25s 250ms/step - loss: 0.5\n", "log").step_time->si() ==
        about(0.25));
  CHECK(read_training_log("100/100 [====] - 200s 2s/step - loss: 0.5\n", "log").step_time->si() ==
        about(2));
}

}  // namespace
}  // namespace orrery
