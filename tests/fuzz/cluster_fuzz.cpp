// SPDX-License-Identifier: Apache-2.0
// Any text as the `cluster` of a run, as a node and as a device.
#include "fuzz/configs.h"
#include "fuzz/harness.h"
#include "hardware/device_reader.h"

namespace {

void read_as_node(const orrery::Json& document) {
  static const orrery::ConfigLookup kConfigs = orrery::fuzz::cached_configs();
  constexpr std::int64_t kGpus = 16;
  const orrery::ResolvedCluster c =
      orrery::read_node(document, "fuzz.json", kGpus, kConfigs.hardware);
  orrery::source_of(c, "tiers.0.name");
}

void read_as_cluster(const orrery::Json& document) {
  static const orrery::ConfigLookup kConfigs = orrery::fuzz::cached_configs();
  const orrery::ResolvedCluster c =
      orrery::read_cluster(orrery::Reader(document, "fuzz.json", "cluster"), kConfigs.hardware);
  orrery::source_of(c, "device.peak.bf16");
  orrery::source_of(c, "tiers.0.bandwidth");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::Json document = orrery::parse_json(text, "fuzz.json");
    try {
      orrery::read_device(orrery::Reader(document, "fuzz.json"));
    } catch (const orrery::InputError&) {
    }
    try {
      read_as_node(document);
    } catch (const orrery::InputError&) {
    }
    read_as_cluster(document);
  });
}
