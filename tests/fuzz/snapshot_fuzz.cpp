// SPDX-License-Identifier: Apache-2.0
// Any bytes as a snapshot of PyTorch's allocator; what is held is finite and not negative.
#include <cmath>
#include <cstdlib>

#include "exchange/snapshot/read_snapshot.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view bytes) {
    for (const orrery::SnapshotDevice& d : orrery::read_memory_snapshot(bytes, "fuzz.pickle")) {
      if (!(d.peak_allocated >= d.allocated) || !std::isfinite(d.reserved.si())) std::abort();
      for (const orrery::HeldMemory& h : d.holders) {
        if (!(h.size >= orrery::Bytes()) || h.blocks < 1) std::abort();
      }
    }
  });
}
