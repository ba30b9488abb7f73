// SPDX-License-Identifier: Apache-2.0
//
// Links of a cluster by what they join: those that go through network cards, and those inside a
// chassis or a rack. Leaves out: blocks of a fabric, which follow their tier. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hardware/cluster.h"

namespace orrery {

enum class Links : std::uint8_t { of_chassis, of_network };

// A tier of a kind that Orrery does not know is of the network if it is larger than a node.
Links links_of_tier(const Cluster& c, std::size_t tier);

// All rates of these links, those of small groups too, times `factor`.
void scale_links(Cluster& c, Links which, double factor);

// Rate of a node into the network; 0 for a single node.
BytesPerSecond network_rate(const Cluster& c);

// The tier of these links where there is one alone; else nothing that one key says.
std::optional<std::size_t> only_tier(const Cluster& c, Links which);

// Devices of one unit of the tier of this name; 0 where the cluster has none.
std::int64_t devices_within(const Cluster& c, const Name& tier);

}  // namespace orrery
