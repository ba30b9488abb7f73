// SPDX-License-Identifier: Apache-2.0
//
// The fields of a node document, strictly, all but its device. `host`, `nvme` and `power` may be
// missing: not known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "hardware/cluster.h"

namespace orrery {

// Facts from a graph of the node.
struct GraphFacts {
  std::int64_t devices = 0;        // 0: there is none
  std::vector<std::string> notes;  // what the tiers it was folded into do not say, a line each
};

// A cluster of `gpus` devices (0: of one node) without its device. Unknown keys are left to the
// caller to reject.
Cluster read_node_fields(Reader& r, std::int64_t gpus, GraphFacts& graph);

}  // namespace orrery
