// SPDX-License-Identifier: Apache-2.0
//
// Code beside the rows of configs/tools/torchtitan.json. Errors: InputError for batches that
// are no whole sequences or parts, and for stages that do not fit the ranks.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::torchtitan {

// A module and its flavor, or its registered configuration; experts of a configuration that is not
// given.
void model(tools::HookCall& call);
// Sequences or tokens of a rank, which a pipeline cuts into parts.
void batches(tools::HookCall& call);
// The schedule by its name, and how many layers its stages have.
void stages(tools::HookCall& call);
// The type of products, which converters make narrower.
void precision(tools::HookCall& call);
// Bytes of states other than FSDP's usual ones.
void states(tools::HookCall& call);

}  // namespace orrery::torchtitan
