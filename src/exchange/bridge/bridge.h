// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as Megatron-Bridge's configuration: overrides of a recipe, as YAML, under the
// names of configs/tools/bridge.json, which reads them. They say the whole model and layout, also
// switches that are off, so that nothing is left to the recipe but data, learning rate and
// checkpoints. Errors: none.
#pragma once

#include <string>

#include "exchange/foreign.h"

namespace orrery::bridge {

std::string export_run(const ResolvedRun& resolved, const ConfigLookup& lookup);

}  // namespace orrery::bridge
