// SPDX-License-Identifier: Apache-2.0
// Any text as a quantity of every dimension: what is read is written so that it reads the same.
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/units.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using orrery::Dimension;
  constexpr std::array<Dimension, 7> kDimensions = {orrery::kBytes,
                                                    orrery::kBytes - orrery::kSeconds,
                                                    orrery::kFlops,
                                                    orrery::kSeconds,
                                                    orrery::kJoules,
                                                    orrery::kFlops - orrery::kSeconds,
                                                    orrery::kJoules - orrery::kSeconds};
  return orrery::fuzz::run(data, size, [&](std::string_view text) {
    for (const Dimension d : kDimensions) {
      const std::optional<double> x = orrery::parse_quantity(text, d);
      if (!x) continue;
      if (!std::isfinite(*x)) std::abort();
      if (orrery::parse_quantity(orrery::exact_text(*x, d), d) != x) std::abort();
    }
  });
}
