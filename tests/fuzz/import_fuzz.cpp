// SPDX-License-Identifier: Apache-2.0
// Any text in another tool's words, in the format that the build fixes, else by its first letter or
// recognised; what is read and whole goes on to an estimate.
#include "exchange/import_files.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::ImportJob job;
#ifdef ORRERY_FUZZ_TOOL
    job.files.push_back({"fuzz.txt", std::string(text)});
    job.from = orrery::ForeignFormat::tool;
    job.from_tool = ORRERY_FUZZ_TOOL;
#elif defined(ORRERY_FUZZ_FORMAT)
    job.files.push_back({"fuzz.txt", std::string(text)});
    job.from = orrery::ForeignFormat::ORRERY_FUZZ_FORMAT;
#else
    const std::size_t first = text.empty() ? 99 : static_cast<std::size_t>(text[0] - 'a');
    const bool chosen = first + 1 < orrery::kCountOf<orrery::ForeignFormat>;  // `tool` has a name
    job.files.push_back({"fuzz.txt", std::string(text.substr(chosen ? 1 : 0))});
    if (chosen) job.from = static_cast<orrery::ForeignFormat>(first);
#endif
    const orrery::Json given = {{"cluster", {{"node", "dgx-h100"}, {"gpus", 64}}}};
    job.given = given;
    static const orrery::tools::ToolBook tools(orrery::fuzz::cached_configs());
    job.tools = tools;
    orrery::ImportedRun imported = orrery::import_files(std::move(job));
    orrery::merge_over(imported.run, given);
    if (orrery::missing_keys(imported.run).empty()) orrery::fuzz::answer_to(imported.run);
  });
}
