// SPDX-License-Identifier: Apache-2.0
// Documents of configs/hardware as clusters, for the tests of the network module.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/json.h"
#include "hardware/cluster_reader.h"
#include "network/group.h"

namespace orrery::testing {

inline std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline HardwareLookup shipped_hardware() {
  HardwareLookup lookup;
  lookup.find = [](HardwareKind kind, const std::string& name) -> std::optional<HardwareText> {
    const std::string folder = folder_of(kind) + "/";
    const std::string file = ORRERY_CONFIG_DIR "/hardware/" + folder + name + ".json";
    const std::string text = text_of(file);
    if (text.empty()) return std::nullopt;
    return HardwareText{text, file};
  };
  lookup.names = [](HardwareKind) { return std::vector<std::string>(); };
  return lookup;
}

inline Cluster shipped_cluster(const std::string& node, std::int64_t gpus) {
  const HardwareLookup lookup = shipped_hardware();
  const auto found = lookup.find(HardwareKind::node, node);
  if (!found) return {};
  return read_node(parse_json(found->text, found->file), found->file, gpus, lookup).cluster;
}

// The ranks 0 to n − 1 of the cluster, alone.
inline Group first_ranks(const Cluster& c, std::int64_t n) {
  Group g;
  g.ranks = n;
  g.members.fill(n);
  for (std::size_t i = 0; i < c.tier_count; ++i) g.members[i] = std::min(n, c.tiers[i].size);
  return g;
}

}  // namespace orrery::testing
