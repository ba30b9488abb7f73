// SPDX-License-Identifier: Apache-2.0
//
// The metrics by name, as a search's constraints and objectives use them, and which way each goes
// as the step grows: what lets a search drop a strategy before it is swept. Units: as `orrery list
// metrics` says. Errors: none.
#pragma once

#include "explore/conditions.h"

namespace orrery {

MetricSource metric_source();

}  // namespace orrery
