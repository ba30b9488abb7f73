// SPDX-License-Identifier: Apache-2.0
//
// The `graph` of a cluster to a TopologyGraph, strictly: a kind with its parameters
// (topology/builders.h), or vertices and links.
//
//   {"vertices": [{"name": "gpu", "kind": "gpu", "count": 4}, {"name": "cpu0", "kind": "host"}, …],
//    "links": [{"from": "gpu0", "to": ["gpu1", "gpu2"], "bandwidth": "25 GB/s", "count": 2}, …]}
//
// A vertex with a `count` is that many, numbered from 0 behind the name. `from` and `to` are a
// name, a name and "*" for all that it begins, or a list of those; every one is linked to every
// other. Errors: InputError for what is unknown, twice, without bandwidth, linked to itself, and
// for GPUs that no path joins.
#pragma once

#include "core/json_reader.h"
#include "hardware/topology/graph.h"

namespace orrery {

TopologyGraph read_graph(Reader r);

}  // namespace orrery
