// SPDX-License-Identifier: Apache-2.0
//
// How the hardware module asks for a document by name; io knows where documents are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/shared_text.h"

namespace orrery {

enum class HardwareKind : std::uint8_t { device, node, graph, fabric, calibration };
// The names in messages; the folders of configs/hardware.
constexpr EnumNames<HardwareKind> names_of(HardwareKind) {
  return {"device", "node", "graph", "fabric", "calibration"};
}
inline constexpr EnumArray<HardwareKind, std::string_view> kHardwareFolders = {
    "devices", "nodes", "graphs", "fabrics", "calibrated"};

inline std::string folder_of(HardwareKind k) { return std::string(kHardwareFolders[k]); }

struct HardwareText {
  SharedText text;
  std::string file;  // for messages
};

struct HardwareLookup {
  // A name of configs/hardware or a path. Nothing: there is no such document.
  std::function<std::optional<HardwareText>(HardwareKind, const std::string& name)> find;
  std::function<std::vector<std::string>(HardwareKind)> names;  // for messages
};

}  // namespace orrery
