// SPDX-License-Identifier: Apache-2.0
//
// The balance of experts where a run leaves it open: even, as benchmarks force it, with the
// alternative that trainings have.
//
// A balanced training sends the fullest rank 1.05 to 1.15 times the mean: 1.02 to 1.22 a layer,
// 1.09 in the median (shawntan/scattermoe, issue 10), and step times that fall by 1.09 to 1.24 once
// balance is forced. Leaves out its first few hundred steps and trainings without balancing.
// Errors: none.
#pragma once

#include <optional>

#include "estimate/open_keys.h"
#include "estimate/workspace.h"

namespace orrery {

struct Run;

// Nothing where no rank of experts waits for another. The run is as it was afterwards; the caller
// sets the key's path.
std::optional<OpenKey> open_expert_load(Run& run, Workspace& workspace);

}  // namespace orrery
