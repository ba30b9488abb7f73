// SPDX-License-Identifier: Apache-2.0
//
// Names that people type for the nodes of `cluster.groups`: "1x3090" is one GPU of the smallest
// node of that card that reaches others, for a machine of one card alone has no group beside it. A
// group without `gpus` takes those that the name counts. Errors: InputError as of given_names.h.
#pragma once

#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"
#include "estimate/config_lookup.h"

namespace orrery {

void take_group_nodes(const ConfigLookup& lookup, Json& run, std::vector<Fact>& facts);

}  // namespace orrery
