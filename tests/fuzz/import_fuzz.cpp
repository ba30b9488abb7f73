// SPDX-License-Identifier: Apache-2.0
// Any text in another tool's words, the format by its first byte or guessed; what is read and whole
// goes on to an estimate.
#include "exchange/foreign.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    using orrery::ForeignFormat;
    const std::size_t first = text.empty() ? 9 : static_cast<std::size_t>(text[0] - '0');
    const bool chosen = first < orrery::kCountOf<orrery::ForeignFormat>;
    const ForeignFormat format =
        chosen ? static_cast<ForeignFormat>(first) : orrery::guess_format(text);
    const orrery::Json given = {{"cluster", {{"node", "dgx-h100"}, {"gpus", 64}}}};
    orrery::ImportedRun imported =
        orrery::import_run(format, text.substr(chosen ? 1 : 0), "fuzz.txt", given);
    orrery::merge_over(imported.run, given);
    if (orrery::missing_keys(imported.run).empty()) orrery::fuzz::answer_to(imported.run);
  });
}
