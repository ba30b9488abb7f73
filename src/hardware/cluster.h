// SPDX-License-Identifier: Apache-2.0
//
// The cluster of a run, as a plain fixed-size value: the device, the number of devices, and the
// tiers that join them, innermost first.
//
// Leaves out: different nodes in one cluster. The place of a node in a fabric follows from the
// units of its tiers; `device_of_rank` holds ranks that are not in order. Units: SI. Errors: none
// here; hardware/cluster_reader.h makes a Cluster and guarantees: at least one tier, sizes that
// rise and divide each other, a last tier of whole units that holds all GPUs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/divide.h"
#include "core/enum_names.h"
#include "hardware/device.h"
#include "hardware/name.h"
#include "hardware/tier.h"
#include "orrery/quantity.h"

namespace orrery {

// All hosts of one node together. 0: not known.
struct Host {
  Bytes memory_capacity{};
  BytesPerSecond memory_bandwidth{};
  double update_share = 0.46;  // of that rate, which an optimizer on the host reaches
  std::int64_t devices = 0;    // that share one host, in a node of several; 0: all
  double launch_factor = 1;    // time of a launch, over that on an x86 server

  bool operator==(const Host&) const = default;
};

// All drives of one node together. 0: none, or not known.
struct Nvme {
  BytesPerSecond read{};
  BytesPerSecond write{};

  bool operator==(const Nvme&) const = default;
};

// The library whose algorithms a collective may use, by the kind and shape of its group. any: all
// that network/algorithms.h knows compete.
enum class CollectiveLibrary : std::uint8_t { any, nccl, rccl };
constexpr EnumNames<CollectiveLibrary> names_of(CollectiveLibrary) {
  return {"any", "nccl", "rccl"};
}

// The links between several sites, even ones.
struct SiteLinks {
  std::int64_t count = 1;
  BytesPerSecond bandwidth{};  // of one site, in each direction
  Seconds latency{};
};

struct Cluster {
  Name node;
  Device device;
  std::int64_t gpus = 0;
  std::int64_t devices_per_node = 1;  // that the run uses of each
  std::int64_t node_devices = 0;      // that each has, where the run uses fewer; 0: as many
  std::uint8_t tier_count = 0;
  std::array<Tier, kMaxTiers> tiers{};
  Host host;
  Nvme nvme;
  CollectiveLibrary library = CollectiveLibrary::any;
  Watts node_power{};       // devices included; 0: not known
  Watts power_cap{};        // of a device; 0: what it is rated for
  std::int64_t places = 0;  // devices of the whole fabric; 0: no more than the run's nodes have
  // The device of each rank; null: ranks fill devices in order (parallel/placement.h), or whole
  // units of every tier in another order, between the same links.
  std::shared_ptr<const std::vector<std::int32_t>> device_of_rank;
  std::shared_ptr<const std::vector<std::int32_t>> listed_devices;  // the same, null without a list

  bool operator==(const Cluster&) const = default;
};

// The last node may be used in part.
constexpr std::int64_t node_count(const Cluster& c) {
  return divided_up(c.gpus, c.devices_per_node);
}

inline std::int64_t device_of(const Cluster& c, std::int64_t rank) {
  return c.listed_devices ? (*c.listed_devices)[static_cast<std::size_t>(rank)] : rank;
}

// The node on which a rank sits.
inline std::int64_t node_of(const Cluster& c, std::int64_t rank) {
  return device_of(c, rank) / c.devices_per_node;
}

// Devices that a node has, used or not.
constexpr std::int64_t devices_of_node(const Cluster& c) {
  return c.node_devices > 0 ? c.node_devices : c.devices_per_node;
}

// Devices of a system, which fails, is held as a spare and draws power as a whole: those that share
// a host, as a tray of a rack, or a node.
constexpr std::int64_t devices_of_system(const Cluster& c) {
  return c.host.devices > 0 ? c.host.devices : devices_of_node(c);
}

// A node of several hosts.
constexpr bool is_rack(const Cluster& c) { return devices_of_system(c) < devices_of_node(c); }

// Systems of which the run uses a device.
constexpr std::int64_t system_count(const Cluster& c) {
  const std::int64_t each = devices_of_system(c);
  return c.gpus / c.devices_per_node * divided_up(c.devices_per_node, each) +
         divided_up(c.gpus % c.devices_per_node, each);
}

// The part of the node's power that it draws; 0: not known.
constexpr Watts system_power(const Cluster& c) {
  return c.node_power *
         (static_cast<double>(devices_of_system(c)) / static_cast<double>(devices_of_node(c)));
}

// The most that a device draws.
constexpr Watts cap_of(const Cluster& c) {
  return c.power_cap > Watts() ? c.power_cap : c.device.power;
}

// The least cap that the device's clock law holds for.
inline Watts least_power_cap(const Device& d) { return std::max(d.power, d.clock.rates_at) * 0.5; }

// Devices a rank may sit on.
constexpr std::int64_t place_count(const Cluster& c) {
  const std::int64_t own = node_count(c) * c.devices_per_node;
  return c.places > own ? c.places : own;
}

// Children of one unit of tier i.
constexpr std::int64_t fan_out(const Cluster& c, std::size_t i) {
  return i == 0 ? c.tiers[0].size : c.tiers[i].size / c.tiers[i - 1].size;
}

// The tier whose unit the blocks of tier i are parts of; i itself where it has none.
constexpr std::size_t whole_tier(const Cluster& c, std::size_t i) {
  while (c.tiers[i].block && i + 1 < c.tier_count) ++i;
  return i;
}

// The innermost tier that joins `devices` devices placed side by side, the first at a unit's edge.
constexpr std::size_t tier_of(const Cluster& c, std::int64_t devices) {
  std::size_t i = 0;
  while (i + 1 < c.tier_count && c.tiers[i].size < devices) ++i;
  return i;
}

}  // namespace orrery
