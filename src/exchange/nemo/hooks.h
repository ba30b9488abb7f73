// SPDX-License-Identifier: Apache-2.0
//
// Hooks of configs/tools/nemo-2.json: classes in Python by their names. Errors: none.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::nemo {

// A model by the name of its class (Llama31Config70B is llama-3.1-70b), or one whose fields stand
// in the file, beside the defaults of its class: `families`, class → setting of Megatron-LM →
// value.
void model_class(tools::HookCall& call);

// Callbacks by their classes: `refused` with its `why`, and parts of the names of those that move
// no number (`known`).
void callbacks(tools::HookCall& call);

}  // namespace orrery::nemo
