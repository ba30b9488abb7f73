// SPDX-License-Identifier: Apache-2.0
// Any text as observed step times, as a table of accuracy and of parameters.
#include "core/error.h"
#include "estimate/accuracy.h"
#include "fuzz/harness.h"
#include "validate/observed.h"
#include "validate/parameters.h"

namespace {

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const orrery::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    attempt([&] { orrery::read_observed(text, "fuzz"); });
    attempt([&] { orrery::read_accuracy(text, "fuzz"); });
    orrery::read_parameters(text, "fuzz");
  });
}
