// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as a launch with Megatron-LM's arguments (exchange/megatron/names.h). Data,
// learning rate and checkpoints are the user's to add. Errors: none.
#pragma once

#include <string>

namespace orrery {
struct ResolvedRun;
}

namespace orrery::megatron {

std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::megatron
