// SPDX-License-Identifier: Apache-2.0
//
// What the tiers of a cluster do not say of the graph they were folded from, one line each.
#pragma once

#include <string>
#include <vector>

#include "hardware/cluster_reader.h"

namespace orrery {

std::vector<std::string> graph_notes(const ResolvedCluster& c);

}  // namespace orrery
