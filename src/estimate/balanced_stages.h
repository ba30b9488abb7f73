// SPDX-License-Identifier: Apache-2.0
//
// `parallel.stage_layers` "balanced" of a run on one kind of node: the contiguous split with the
// least Σ tᵢ + (m − 1)·max tᵢ of those whose stages fit the device, exact (mixed_balance.h). Layers
// stay as they are where none fits. Leaves out: several chunks a stage, and schedules with two
// copies of the model. Errors: InputError for these.
#pragma once

namespace orrery {

struct ResolvedRun;

// After the strategy is resolved. Its facts get the layers.
void balance_stages(ResolvedRun& out);

}  // namespace orrery
