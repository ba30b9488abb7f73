// SPDX-License-Identifier: Apache-2.0
// Any text as the sizes of a collective: refused, or sizes of a byte or more that rise in a range;
// one of a list may be 0.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "engine/collective_question.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [&](std::string_view text) {
    const std::string sizes(text);
    const bool range = sizes.find("..") != std::string::npos;
    const auto list = orrery::collective_sizes(sizes, range && size % 2 == 1 ? "1.5" : "");
    if (list.empty()) std::abort();
    for (const orrery::Bytes b : list) {
      const bool none = !range && b == orrery::Bytes();
      if (!std::isfinite(b.si()) || (b.si() < 1 && !none)) std::abort();
    }
    if (range && !std::is_sorted(list.begin(), list.end())) std::abort();
  });
}
