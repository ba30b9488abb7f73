// SPDX-License-Identifier: Apache-2.0
//
// The shapes of networks by name and parameters, for `graph` of a cluster: {"kind": "torus", …}.
//
//   hybrid-cube-mesh  link                        8 GPUs of six links (DGX-1 with V100)
//   fully-connected   gpus, link, links           every GPU to every other
//   switched          gpus, link, switches, links NVSwitch: `links` of a GPU over all switches
//   torus             sides, link                 GPUs in a grid that closes on itself
//   fat-tree          nodes and cards (below), radix, oversubscription
//   dragonfly         nodes and cards, switches and nodes of a group, taper, local_link
//
// Nodes and cards: nodes, gpus_per_node, node_link (of a GPU to the switch of its node), cards (of
// a node), card_link. Card k of a node serves its share of the GPUs and goes to rail k mod rails.
// Errors: InputError for what is missing, unknown or too large.
#pragma once

#include "core/json_reader.h"
#include "hardware/topology/graph.h"

namespace orrery {

// `r` is an object with a `kind`. Unknown keys are left to the caller.
TopologyGraph build_graph(Reader& r);

}  // namespace orrery
