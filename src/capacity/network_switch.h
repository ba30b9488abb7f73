// SPDX-License-Identifier: Apache-2.0
//
// A network switch, a row of configs/switches: its ports by rate, whole or split.
//
//   {"kind": "infiniband", "modes": [{"ports": 64, "rate": "400 Gb/s"}], "power": "1 kW"}
//
// Leaves out transceivers. Units: SI. Errors: none; read by capacity/site_json.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

enum class SwitchKind : std::uint8_t { infiniband, ethernet };
constexpr EnumNames<SwitchKind> names_of(SwitchKind) { return {"infiniband", "ethernet"}; }

struct SwitchMode {
  std::int64_t ports = 0;
  BytesPerSecond rate{};
};

struct NetworkSwitch {
  std::string name;
  SwitchKind kind = SwitchKind::infiniband;
  std::vector<SwitchMode> modes;
  Watts power{};  // without transceivers; 0: not known
};

}  // namespace orrery
