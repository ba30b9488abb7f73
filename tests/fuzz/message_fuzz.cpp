// SPDX-License-Identifier: Apache-2.0
// Any text as a message of memory; amounts that are read are finite and not negative.
#include <cmath>
#include <cstdlib>

#include "exchange/messages/memory_message.h"
#include "exchange/messages/nccl_rows.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    for (const orrery::MemoryMessage& m : orrery::read_memory_messages(text)) {
      for (const orrery::Stated s : orrery::kAllOf<orrery::Stated>) {
        if (m[s] && !(m[s]->si() >= 0 && std::isfinite(m[s]->si()))) std::abort();
      }
    }
    for (const orrery::NcclRow& row : orrery::read_nccl_rows(text)) {
      if (!(row.time.si() > 0)) std::abort();
    }
  });
}
