// SPDX-License-Identifier: Apache-2.0
//
// The `cluster` of a run file to a Cluster, with every override applied first.
//
//   "cluster": {"node": "dgx-h100", "gpus": 64,
//               "device": {"memory_bandwidth": "4 TB/s"},
//               "tiers": {"infiniband": {"bandwidth": "800 GB/s"}}}
//
// `node` is a name or an object; every key beside it and `gpus` is merged over the node's field of
// that name, recursively, before the strict reading. `tiers` may be a whole array, or an object of
// changes keyed by tier name. `device` is a name, or an object: with "base" (a name) merged over
// that device, else over what the node has; an object for `node` may have a "base" too. Without
// `node` the other keys are the node. null takes an optional value away.
// `calibration` goes over the documents and under what the run sets (hardware/calibration.h).
// A `graph` with a tight cut inside a tier adds tiers to `node` (topology/split.h).
// A cluster smaller than a node, or whose last node is used in part, is legal (see spread.h).
// Errors: InputError; what an override broke is reported in the run's file.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "hardware/calibration.h"
#include "hardware/cluster.h"
#include "hardware/lookup.h"

namespace orrery {

struct ResolvedCluster {
  Cluster cluster;
  // The documents after merging. A `sources` entry "set by the run" marks every overridden value.
  KeptJson node;
  KeptJson device;
  std::vector<Calibration> calibrations;  // in the order given
  std::vector<std::string> notes;  // what the tiers do not say of the node's graph, a line each
};

// `r` is the run's cluster object.
ResolvedCluster read_cluster(Reader r, const HardwareLookup& lookup);

// A node document alone, in a cluster of `gpus` devices; 0: of one node.
ResolvedCluster read_node(const Json& document, const std::string& file, std::int64_t gpus,
                          const HardwareLookup& lookup);

// The source of the value at `path` of a resolved cluster: "device.peak.bf16",
// "tiers.0.bandwidth", "cluster.power". "" if nothing is known.
Source source_of(const ResolvedCluster& c, const std::string& path);

}  // namespace orrery
