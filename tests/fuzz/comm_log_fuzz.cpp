// SPDX-License-Identifier: Apache-2.0
// Any text as a measured log, in both forms; what is read compares to a finite error.
#include <cmath>
#include <cstdlib>

#include "exchange/logs/comm_log.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::CommLog log = orrery::read_comm_log(text, "fuzz.txt");
    orrery::MessageClass m;
    m.line.collective = orrery::Collective::all_gather;
    m.line.ranks = 8;
    m.line.count = 3;
    m.line.time = orrery::Seconds(1);
    m.message = orrery::Bytes(1048576);
    if (!std::isfinite(orrery::compare({m}, log).error)) std::abort();
  });
}
