// SPDX-License-Identifier: Apache-2.0
//
// The tiers of a node document, innermost first, strictly. Every tier but the last states its
// `size`; sizes rise and each is a multiple of the one before.
#pragma once

#include "core/json_reader.h"
#include "core/keys.h"
#include "hardware/cluster.h"

namespace orrery {

// Fills tiers and tier_count; `gpus` must be set. Where there is a graph a tier may leave its
// `bandwidth` to it (0 then).
// Launches and latencies are microseconds: a bare number of them is one of seconds by mistake.
bool is_time(const Key& key);
void check_short(const Reader& time);
void check_times(Reader& r, const KeyTable& keys);  // those of the object that are times

void read_tiers(const Reader& r, bool has_graph, Cluster& c);

}  // namespace orrery
