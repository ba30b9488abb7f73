// SPDX-License-Identifier: Apache-2.0
// Any text as a Python script or notebook that sets a training up; what its calls say goes on to an
// import, and where that is whole to an estimate.
#include "exchange/import_files.h"
#include "exchange/python_calls.h"
#include "exchange/text_lines.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::ForeignFile script{"fuzz.py", std::string(text)};
    orrery::make_plain(script.text);  // as an import does
    const auto settings = orrery::python_settings(script);
    if (!settings) return;
    const orrery::Json given = {{"cluster", {{"node", "dgx-h100"}, {"gpus", 8}}}};
    static const orrery::tools::ToolBook tools(orrery::fuzz::cached_configs());
    orrery::ImportJob job;
    job.files.push_back(script);
    job.given = given;
    job.tools = tools;
    orrery::ImportedRun imported = orrery::import_files(std::move(job));
    orrery::merge_over(imported.run, given);
    if (orrery::missing_keys(imported.run).empty()) orrery::fuzz::answer_to(imported.run);
  });
}
