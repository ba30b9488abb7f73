// SPDX-License-Identifier: Apache-2.0
// Any text as a training log; what is read is above 0 and finite.
#include <cmath>
#include <cstdlib>

#include "exchange/logs/training_log.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::TrainingLog log = orrery::read_training_log(text, "fuzz.txt");
    const auto check = [](double x) {
      if (!(x > 0) || !std::isfinite(x)) std::abort();
    };
    if (log.steps == 0) std::abort();
    if (log.step_time) check(log.step_time->si());
    if (log.flops_per_gpu) check(log.flops_per_gpu->si());
    for (const auto& [name, time] : log.timers) check(time.si());
  });
}
