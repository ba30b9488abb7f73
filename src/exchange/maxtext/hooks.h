// SPDX-License-Identifier: Apache-2.0
//
// MaxText's custom remat policy: each named tensor of a layer is kept on the device, offloaded or
// computed again (AI-Hypercomputer/maxtext@004ba5a9, layers/decoders.py, get_remat_policy). Leaves
// out: tensors of one product that differ, the MLP's output, narrow projections. Errors: none.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::maxtext {

void custom_policy(tools::HookCall& call);

}  // namespace orrery::maxtext
