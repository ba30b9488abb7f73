// SPDX-License-Identifier: Apache-2.0
// Any text as a file of a machine, by the reader that the build fixes, else by what it looks like;
// no count is below 0.
#include <cstdlib>

#include "exchange/machine/machine.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::ForeignFile file{"fuzz.txt", std::string(text)};
#ifdef ORRERY_FUZZ_READER
    const orrery::MachineFacts m = orrery::machine::ORRERY_FUZZ_READER(file);
#else
    const orrery::MachineFacts m = orrery::read_machine(file);
#endif
    if (m.gpus < 0 || m.nodes < 0 || m.nics < 0 || m.links_per_gpu < 0) std::abort();
  });
}
