// SPDX-License-Identifier: Apache-2.0
// Any text as a log of reinforcement learning; what is read is finite and not below 0.
#include <cmath>
#include <cstdlib>

#include "exchange/logs/rl_log.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::RlLog log = orrery::read_rl_log(text);
    const auto check = [](double x) {
      if (!(x >= 0) || !std::isfinite(x)) std::abort();
    };
    for (const orrery::LoggedPhase& phase : log.phases) check(phase.median.si());
    for (const auto& mean : {log.answer, log.prompt, log.at_cap}) {
      if (mean) check(*mean);
    }
    if (log.form.empty() != (log.steps == 0)) std::abort();
  });
}
