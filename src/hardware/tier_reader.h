// SPDX-License-Identifier: Apache-2.0
//
// The tiers of a node document, innermost first, strictly. Every tier but the last states its
// `size`; sizes rise and each is a multiple of the one before.
#pragma once

#include "core/json_reader.h"
#include "hardware/cluster.h"

namespace orrery {

// Fills tiers and tier_count; `gpus` must be set. Where there is a graph a tier may leave its
// `bandwidth` to it (0 then).
void read_tiers(const Reader& r, bool has_graph, Cluster& c);

}  // namespace orrery
