// SPDX-License-Identifier: Apache-2.0
//
// How the hardware room asks for a document by name. Where documents lie is io's business.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class HardwareKind : std::uint8_t { device, node, graph, fabric, calibration };
// As messages call them, and their folders of configs/hardware.
inline constexpr std::array<std::string_view, 5> kHardwareNames = {"device", "node", "graph",
                                                                   "fabric", "calibration"};
inline constexpr std::array<std::string_view, 5> kHardwareFolders = {"devices", "nodes", "graphs",
                                                                     "fabrics", "calibrated"};

inline std::string folder_of(HardwareKind k) {
  return std::string(kHardwareFolders[static_cast<std::size_t>(k)]);
}

struct HardwareText {
  std::string text;
  std::string file;  // for messages
};

struct HardwareLookup {
  // A name of configs/hardware or a path. Nothing: there is no such document.
  std::function<std::optional<HardwareText>(HardwareKind, const std::string& name)> find;
  std::function<std::vector<std::string>(HardwareKind)> names;  // for messages
};

}  // namespace orrery
