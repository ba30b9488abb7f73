// SPDX-License-Identifier: Apache-2.0
//
// New weights from the learner to the engines, and the memory that moves when one of them yields.
//
// Broadcast: one stream of all weights, whatever the number of GPUs (19 to 45 GB/s over twice the
// bytes in radixark/miles docs/advanced/p2p-weight-transfer.md @31f1ca96). P2P: every GPU of an
// engine takes its own share at once. Colocated: each GPU's share is gathered from the learner's
// shards bucket by bucket. Memory that leaves a device for its host, and comes back, moves at the
// engine's measured rate. Leaves out: requantising, resharding of experts that every rank receives,
// the host's time for each tensor (about 1 ms in the slowest published hand-overs of mixtures).
// Units: bytes, seconds. Errors: none.
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
