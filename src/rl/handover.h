// SPDX-License-Identifier: Apache-2.0
//
// New weights from the learner to the engines, and the memory that moves when one of them yields.
//
// Broadcast: one stream of all weights, whatever the number of GPUs (19 to 45 GB/s over twice the
// bytes in radixark/miles docs/advanced/p2p-weight-transfer.md @31f1ca96). P2P: every GPU of an
// engine takes its own share at once. Colocated: every GPU gathers all weights
// from the learner's shards, bucket by bucket, and loads its share, so that a wider engine is no
// faster (4B on 8 A100: 2.5 s at tp 2, 2.2 s at tp 4). Memory that leaves a device for its host,
// and comes back, moves at the engine's measured rate. Leaves out: requantising, the host's time
// for each tensor (0.1 to 1 ms in the same hand-overs, of which a mixture has many). Units: bytes,
// seconds. Errors: none.
#pragma once

#include "estimate/answer.h"
#include "estimate/rl_run.h"

namespace orrery {

Seconds handover_time(const RlRun& rl);

// Bytes of the learner on one GPU that leave it while answers are made.
Bytes yielded_by_learner(const RlRun& rl, const StageMemory<double>& learner);

Seconds sleep_time(const RlRun& rl, const StageMemory<double>& learner);
Seconds wake_time(const RlRun& rl, const StageMemory<double>& learner);

}  // namespace orrery
