// SPDX-License-Identifier: Apache-2.0
//
// How the hardware room asks for a document by name. Where documents lie is io's business.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

enum class HardwareKind : std::uint8_t { device, node };

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
