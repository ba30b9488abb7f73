// SPDX-License-Identifier: Apache-2.0
//
// The rate from one set of devices to another: the least capacity of any cut between them, as
// the largest flow finds it, by shortest augmenting paths level by level (Dinic, Soviet Math.
// Doklady 11, 1970). Only arcs with a load count, so that a cut is one of the routes in use, not of
// all cables there are. Errors: none.
#pragma once

#include <span>

#include "hardware/topology/routes.h"
#include "orrery/quantity.h"

namespace orrery {

BytesPerSecond cut_between(const Routes& routes, const ArcLoads& usable,
                           std::span<const std::int32_t> from, std::span<const std::int32_t> to);

}  // namespace orrery
