// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed's JSON both ways (exchange/foreign.h, exchange/deepspeed/names.h).
//
// Batches: of train_batch_size, train_micro_batch_size_per_gpu and gradient_accumulation_steps two
// determine the third, over replicas = gpus / (tp x pp x cp); `given` holds these from the command
// line. "auto" is filled by the training script: its key is open, unless another file says it.
#pragma once

#include "exchange/import_files.h"

namespace orrery::deepspeed {

ImportedRun import_run(const ForeignFile& file, ImportJob& job);
// Sets the states that DeepSpeed keeps for bf16 without ZeRO, whichever files say the two.
void shard_bf16_states(ImportedRun& r);
std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::deepspeed
