// SPDX-License-Identifier: Apache-2.0
// Any text as a sweep file, and as rows of one that are merged.
#include "explore/sweep.h"
#include "explore/sweep_merge.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::SweepPlan sweep = orrery::read_sweep(orrery::parse_json(text, "fuzz.json"), "f");
    orrery::settings_of(sweep, 0);
    orrery::settings_of(sweep, sweep.points - 1);
  });
  orrery::fuzz::run(data, size,
                    [](std::string_view text) { orrery::read_shard(std::string(text)); });
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::SweepMerge({orrery::shard_of("a", std::string(text)), orrery::shard_of("b", "")})
        .write([](const std::string&) {});
  });
}
