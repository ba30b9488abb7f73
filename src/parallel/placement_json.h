// SPDX-License-Identifier: Apache-2.0
//
// `parallel.placement`: the device on which each rank sits, in the order of the ranks.
//
//   [0, 1, 2, 3, "8-11"]        devices, single or in ranges, as a list
//   "0-3, 8-11"                 the same as text
//   {"nodes": "0-3, 12, 8-9"}   whole nodes, whose devices ranks fill in order
//   {"policy": "random", "seed": 7}  whole nodes of a fabric by a policy (node_policy.h)
//
// Device d is the (d mod n)-th of node d / n, n devices a node, and tiers hold devices in this
// order. Errors: InputError for a device named twice, one there is not, too few or too many, and a
// policy without pods.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/json_reader.h"
#include "hardware/cluster.h"
#include "parallel/node_policy.h"

namespace orrery {

using RankDevices = std::shared_ptr<const std::vector<std::int32_t>>;

RankDevices read_placement(Reader r, const Cluster& c);

// The policy of a placement; nothing where it names devices or nodes.
std::optional<PolicyChoice> read_policy(Reader r);

// The pods under the outermost tier; nothing where that joins nodes one by one.
std::optional<FabricPods> pods_of(const Cluster& c);

// The nodes on which the ranks sit, rising.
std::vector<std::int64_t> nodes_used(const Cluster& c);

// Null where the list puts whole units of every tier in another order and nothing else: groups use
// the links that they use by default.
RankDevices out_of_order(RankDevices listed, const Cluster& c);

}  // namespace orrery
