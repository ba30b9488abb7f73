// SPDX-License-Identifier: Apache-2.0
//
// The hook of configs/tools/bridge.json. Errors: none.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::bridge {

// Lists as Megatron-LM writes them: what stages hold (`layout`, lists of parts), and which layers
// have experts (`frequency`, 1, 2, or zeros and ones), where there are `experts`.
void lists(tools::HookCall& call);

}  // namespace orrery::bridge
