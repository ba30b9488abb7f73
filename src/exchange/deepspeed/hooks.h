// SPDX-License-Identifier: Apache-2.0
//
// The hook of configs/tools/deepspeed.json. Errors: InputError for a value that is no type.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::deepspeed {

// After precision and optimizer: the bytes of a gradient, kept (`kept`: a setting) and on the wire
// (`sent`), and states of SGD, which has a momentum where `momentum` is above 0.
void states(tools::HookCall& call);

}  // namespace orrery::deepspeed
