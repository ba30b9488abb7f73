// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed's JSON from a run, and what its file says together with others; it is read by
// configs/tools/deepspeed.json. Errors: none.
#pragma once

#include "exchange/import_files.h"

namespace orrery::deepspeed {

// Sets the states that DeepSpeed keeps for bf16 without ZeRO, whichever files say the two.
void shard_bf16_states(ImportedRun& r);
std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::deepspeed
