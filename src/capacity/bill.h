// SPDX-License-Identifier: Apache-2.0
//
// The cost of a run, part by part: rented by the GPU-hour, or bought and written off.
//
// Rent covers everything around a GPU, also power, except storage: stored bytes are paid by the TB
// and month, from the first step to the last. Bought hardware costs the share of its useful life
// (life × utilisation) that the run takes; network, storage and support are shares of its price
// (support a year); electricity is paid at the meter. A part without a price stays empty and is
// named; without the rent, or the hardware, there is no total. Sites of a run pay for the bytes
// that leave one for the others. Leaves out: staff, building, interest, taxes, resale.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capacity/ranged.h"
#include "core/enum_names.h"
#include "core/money.h"
#include "orrery/quantity.h"

namespace orrery {

enum class Payment : std::uint8_t { rent, purchase };
constexpr EnumNames<Payment> names_of(Payment) { return {"rent", "purchase"}; }

// Prices of one kind of node; empty without a source.
struct Tariff {
  Payment payment = Payment::rent;
  std::optional<Ranged<MoneyPerSecond>> rent;  // of a GPU
  std::optional<Ranged<Money>> gpu;            // bought alone
  std::optional<Ranged<Money>> node;           // bought whole
  std::optional<Ranged<MoneyPerSecond>> node_support;
  std::optional<Ranged<MoneyPerJoule>> electricity;
  std::optional<Ranged<double>> network;  // of the hardware's price
  std::optional<Ranged<double>> storage;  // or by stored bytes:
  std::optional<Ranged<MoneyPerByteSecond>> storage_space;
  std::optional<Ranged<MoneyPerByte>> egress;
  std::optional<Ranged<double>> support;  // a year
  std::optional<Ranged<Seconds>> lifetime;
  std::optional<Ranged<double>> utilisation;
};

enum class CostPart : std::uint8_t {
  rent,
  hardware,
  network,
  storage,
  support,
  electricity,
  egress,
};
constexpr EnumNames<CostPart> names_of(CostPart) {
  return {"rent", "hardware", "network", "storage", "support", "electricity", "egress"};
}

struct Bill {
  Payment payment = Payment::rent;
  EnumArray<CostPart, std::optional<Money>> parts;
  // A purchase pays this at once for hardware, network and storage; `parts` hold the run's share.
  std::optional<Money> up_front;
  bool gpus_alone = false;  // the hardware is GPUs, without the nodes around them
  bool has_sites = false;   // bytes leave them
};

// Prices of a bill of materials (capacity/materials.h), by name of the part.
using PartPrices = std::map<std::string, Ranged<Money>>;

// Sum of the parts that have a price; nothing without the rent or the hardware.
std::optional<Money> total_of(const Bill& b);

// The parts of this payment that have no price: "electricity, network".
std::string not_counted(const Bill& b);

struct Holding {
  std::int64_t gpus = 0;  // spares included
  std::int64_t nodes = 0;
  Seconds time{};
  Joules energy{};  // of the facility
  Bytes stored{};   // data set and kept checkpoints
  Bytes left{};     // that all sites send to others
};

// Bought by the node, else by the GPU; empty without a price.
std::optional<Money> hardware_price(const Tariff& p, const Holding& h);

Bill bill(const Tariff& p, const Holding& h);

}  // namespace orrery
