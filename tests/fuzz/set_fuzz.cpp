// SPDX-License-Identifier: Apache-2.0
// Any text as the value of --set, over a sound run.
#include "engine/overrides.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    static const orrery::ConfigLookup kConfigs = orrery::fuzz::cached_configs();
    orrery::Json run =
        orrery::parse_json(orrery::fuzz::cached("runs", "gpt3-175b-1024-a100")->text, "run.json");
    orrery::apply_override(orrery::parse_set(std::string(text)), kConfigs, run);
    orrery::resolve_run(run, "run.json", kConfigs);
  });
}
