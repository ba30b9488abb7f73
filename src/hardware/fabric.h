// SPDX-License-Identifier: Apache-2.0
//
// The network between nodes by its design, for any node: which nodes share a switch, and how much
// bandwidth there is above it. `fabric` of a cluster replaces the node's outermost tier by:
//
//   fat-tree   pods of nodes under the same leaf switches, then the spine. Half of a leaf's `radix`
//              ports go down, a node has `cards` of them spread over `rails` leaves, so that a pod
//              has radix/2·rails/cards nodes; or `pod` nodes are given. A pod sends the rate of its
//              nodes over `oversubscription`. The spine adds no limit. `nodes`: in all.
//   dragonfly  groups of `nodes_per_group`, each joined to every other of the `groups` by an equal
//              part of its global cables, which together carry its nodes' rate over `taper` (Kim,
//              Dally, Scott and Abts, ISCA 2008). Routes are minimal: if k groups communicate, each
//              uses (k − 1)/(groups − 1) of its global cables. A group adds no limit inside.
//
// The new tiers have the constants of the one they replace, so the same time a step. Tests compare
// this closed form with the same networks as graphs (topology/builders.h). Leaves out adaptive and
// Valiant routing, failed links and the traffic of others. Errors: InputError.
#pragma once

#include <cstdint>

#include "core/enum_names.h"
#include "core/json_reader.h"
#include "hardware/cluster.h"

namespace orrery {

enum class FabricKind : std::uint8_t { fat_tree, dragonfly };

struct Fabric {
  FabricKind kind = FabricKind::fat_tree;
  std::int64_t nodes_per_unit = 0;  // of a pod or group
  std::int64_t groups = 0;          // of a dragonfly; 0: as many as the run fills
  std::int64_t nodes = 0;           // there are; 0: as many as the run has
  double taper = 1;                 // what nodes send over what leaves their unit
};

constexpr EnumNames<FabricKind> names_of(FabricKind) { return {"fat-tree", "dragonfly"}; }

Fabric read_fabric(Reader r);

// The fabric at `r` under the cluster's nodes. Refuses what does not fit: too few groups for the
// nodes, too many tiers.
void take_fabric(const Reader& r, Cluster& c);

// The tiers of the closed form.
void apply_fabric(const Fabric& f, Cluster& c);

}  // namespace orrery
