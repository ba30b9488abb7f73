// SPDX-License-Identifier: Apache-2.0
// Any text as an expression; what parses has a value whatever its paths are worth.
#include <vector>

#include "core/expression.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::Expression e = orrery::parse_expression(text, "fuzz.json", "rule");
    const std::vector<double> ones(e.paths().size(), 1.0);
    static_cast<void>(e.value(ones));
  });
}
