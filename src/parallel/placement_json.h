// SPDX-License-Identifier: Apache-2.0
//
// `parallel.placement`: the device on which each rank sits, in the order of the ranks.
//
//   [0, 1, 2, 3, "8-11"]        devices, single or in ranges, as a list
//   "0-3, 8-11"                 the same as text
//   {"nodes": "0-3, 12, 8-9"}   whole nodes, whose devices ranks fill in order
//
// Device d is the (d mod n)-th of node d / n, n devices a node, and tiers hold devices in this
// order. Errors: InputError for a device named twice, one there is not, and too few or too many.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/json_reader.h"
#include "hardware/cluster.h"

namespace orrery {

using RankDevices = std::shared_ptr<const std::vector<std::int32_t>>;

RankDevices read_placement(Reader r, const Cluster& c);

// Null where the list puts whole units of every tier in another order and nothing else: groups use
// the links that they use by default.
RankDevices out_of_order(RankDevices listed, const Cluster& c);

}  // namespace orrery
