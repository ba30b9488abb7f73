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

#include <string_view>

#include "estimate/answer.h"
#include "estimate/rl_run.h"

namespace orrery {

// The bytes that go over one link, and its rate: of the engine's profile by its name there.
struct WeightPath {
  std::string_view name;
  bool is_whole = false;  // the model's weights, not one GPU's
  Bytes bytes{};
  BytesPerSecond rate{};
};
WeightPath weight_path(const RlRun& rl);

Seconds handover_time(const RlRun& rl);

// Bytes of the learner on one GPU that leave it while answers are made.
Bytes yielded_by_learner(const RlRun& rl, const StageMemory<double>& learner);

// To the host, and as long back.
Seconds sleep_time(const RlRun& rl, const StageMemory<double>& learner);

}  // namespace orrery
