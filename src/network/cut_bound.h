// SPDX-License-Identifier: Apache-2.0
//
// The least time of a collective with any algorithm: in every tier, the bytes that must cross the
// link of one unit over the group's share of that link's line rate.
//
// With N units of u ranks meeting in a tier, S the full buffer and n ranks: an all-reduce sends
// 2(N − 1)/N·S out of the busiest unit (Patarasuk and Yuan 2009, a unit in place of a process), or
// S where a switch in the tier or outside it adds; an all-gather brings (n − u)/n·S into a unit, a
// reduce-scatter takes as much out; an all-to-all u(n − u)/n·S; a broadcast brings in S, a reduce
// takes S out. Where units are filled unevenly the last one's link counts beside a full one's; an
// all-reduce takes S over it at least. Errors: none.
#pragma once

#include "network/collective.h"
#include "network/fold.h"
#include "network/group.h"
#include "orrery/quantity.h"

namespace orrery {

Seconds cut_bound(const Cluster& c, const Group& g, Collective kind, Bytes full_buffer);

}  // namespace orrery
