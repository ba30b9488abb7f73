// SPDX-License-Identifier: Apache-2.0
//
// The bill of materials of an option: what is bought, how many of it, how that is counted, and what
// one costs where a price is given.
//
//   "materials": "rail-optimised"
//   "materials": {"topology": "fat-tree", "switch": "qm9700", "planes": 2, "oversubscription": 3,
//                 "nodes_per_rack": 4, "rack_power": "40 kW"}
//
// Nodes with spares; racks of a rack-scale system are bought whole and hold the spare trays. Ports
// of a host are those of the first network tier of its node; the switch is the given one, or the
// shipped one of that kind of network and that rate, and is then named as assumed. Links have two
// ends; each end takes a transceiver where the link is optical. Heat to remove is what the hardware
// draws.
//
// Leaves out, and says so as lines without a count: networks for storage and management, cooling
// and power distribution, staff, building, lead time. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capacity/bill.h"
#include "capacity/fabric_count.h"
#include "capacity/network_switch.h"
#include "core/enum_names.h"
#include "core/money.h"
#include "hardware/cluster.h"

namespace orrery {

struct MaterialsPlan {
  FabricShape shape;
  std::optional<NetworkSwitch> given;
  std::vector<NetworkSwitch> known;  // of which one is assumed where none is given
  std::int64_t nodes_per_rack = 0;   // 0: by `rack_power`, or not known
  Watts rack_power{};
};

// The needs of an option.
struct MaterialsNeeds {
  Cluster cluster;
  std::int64_t nodes = 0;   // held, spares included; racks are whole
  std::int64_t spares = 0;  // systems
  Bytes stored{};
  BytesPerSecond write{};  // 0: not known
  BytesPerSecond read{};
  Watts facility{};           // at most, with the facility around it
  std::optional<Money> node;  // one
  const PartPrices* parts = nullptr;
};

enum class MaterialGroup : std::uint8_t { compute, network, storage, power, to_ask };
constexpr EnumNames<MaterialGroup> names_of(MaterialGroup) {
  return {"compute", "network", "storage", "power", "to ask"};
}

// Nothing: not known, and `basis` says what is missing.
using Amount = std::variant<std::monostate, std::int64_t, Bytes, BytesPerSecond, Watts>;

struct MaterialLine {
  MaterialGroup group = MaterialGroup::compute;
  std::string part;  // as `prices.parts` calls it; "" where it has no price of its own
  std::string item;
  Amount amount;
  std::string basis;  // how it is counted
  std::optional<Money> each;
};

std::optional<Money> price_of(const MaterialLine& line);

// Sum of the lines that have a price.
std::optional<Money> sum_of(const std::vector<MaterialLine>& lines);

std::vector<MaterialLine> materials_of(const MaterialsPlan& plan, const MaterialsNeeds& needs);

}  // namespace orrery
