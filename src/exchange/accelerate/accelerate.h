// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as Accelerate's YAML: how the training is launched and sharded. Model, batch and
// length are the training script's. ZeRO 2 and 3 are FSDP 2, and with our profile `deepspeed` its
// plugin; there is no pipeline. Errors: none.
#pragma once

#include <string>

namespace orrery {
struct ResolvedRun;
}

namespace orrery::accelerate {

std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::accelerate
