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
// Routes of a fat tree spread every flow over all ways up (adaptive routing, packet spray), or a
// hash keeps each flow on one (ECMP): then the spine carries what is left by collisions of a leaf's
// flows in the mean (hash_collisions.h), one for each port down and queue pair, all at once.
//
// The new tiers have the constants of the one they replace, so the same time a step. Tests compare
// this closed form with the same networks as graphs (topology/builders.h). Leaves out
// Valiant routing, failed links, flows that a hash keeps apart by rails, and the traffic of
// others. Errors: InputError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json_reader.h"
#include "hardware/cluster.h"

namespace orrery {

enum class FabricKind : std::uint8_t { fat_tree, dragonfly };
enum class FabricRouting : std::uint8_t { spread, hash };

struct Fabric {
  FabricKind kind = FabricKind::fat_tree;
  std::int64_t nodes_per_unit = 0;  // of a pod or group
  std::int64_t groups = 0;          // of a dragonfly; 0: as many as the run fills
  std::int64_t nodes = 0;           // there are; 0: as many as the run has
  double taper = 1;                 // what nodes send over what leaves their unit
  std::int64_t flows = 0;           // of a leaf at once, that a hash puts on its ways up; 0: spread
  std::int64_t ways_up = 0;
};

constexpr EnumNames<FabricKind> names_of(FabricKind) { return {"fat-tree", "dragonfly"}; }
constexpr EnumNames<FabricRouting> names_of(FabricRouting) { return {"spread", "hash"}; }

// The share of the rate above a leaf that collisions leave, in the mean, and in the worst of twenty
// steps.
struct HashedRate {
  double mean = 1;
  double slow = 1;
};
HashedRate hashed_rate(const Fabric& f);

Fabric read_fabric(Reader r);

// The fabric at `r` under the cluster's nodes. Refuses what does not fit: too few groups for the
// nodes, too many tiers. `notes`: what the tiers do not say.
void take_fabric(const Reader& r, Cluster& c, std::vector<std::string>& notes);

// The tiers of the closed form; false where all nodes are under the same leaves.
bool apply_fabric(const Fabric& f, Cluster& c);

}  // namespace orrery
