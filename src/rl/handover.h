// SPDX-License-Identifier: Apache-2.0
//
// New weights from the learner to the engines, and the memory that moves when one of them yields.
//
// Broadcast: one stream of all weights, whatever the number of GPUs. P2P: every GPU of an engine
// takes its own share at once. Colocated: each GPU's share is gathered from the learner's shards
// bucket by bucket. Each goes at the engine's measured rate, or at that of the links where those
// are slower:
//
//   broadcast   min(engine, link of the slower side's node)
//   p2p         min(engine, link of a target's node / its GPUs, links of the learner's nodes /
//   targets) colocated   min(engine, link of the GPU in its node), and W / link of a node where
//   shards of the
//               model stand on several nodes, W its weights
//
// A link is that of the network, or between GPUs of one node where both sides are in one. Memory
// that leaves a device for its host, and comes back, moves over its host link: weights of an engine
// at its rate (a level 1 as fast as level 2, verl-project/verl#3019), states of the learner at the
// share of it that the tools reach. Leaves out: requantising, resharding of experts that every rank
// receives, the host's time for each tensor (about 1 ms in the slowest published hand-overs of
// mixtures). Units: bytes, seconds. Errors: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "estimate/answer.h"
#include "estimate/forward.h"
#include "estimate/rl_run.h"

namespace orrery {

// The bytes that go over one link, and its rate: of the engine's profile by its name there.
enum class WeightLimit : std::uint8_t {
  engine,   // its own rate
  node,     // links of the GPU within its node
  network,  // links of the node into the network, on the slower side
};

struct WeightPath {
  std::string_view name;
  WeightLimit limit = WeightLimit::engine;
  bool is_whole = false;  // the model's weights, not one GPU's
  Bytes bytes{};
  BytesPerSecond rate{};
};
WeightPath weight_path(const Run& learner, const RlRun& rl);

Seconds handover_time(const Run& learner, const RlRun& rl);

// Bytes of the learner on one GPU that leave it while answers are made.
Bytes yielded_by_learner(const RlRun& rl, const StageMemory<double>& learner);

// Bytes that leave the device for its host and come back, and their rate: the engine's own weights
// at that of the link, the learner's states at the share of it that the tools reach.
struct YieldedBytes {
  Bytes of_learner{};
  Bytes of_engine{};
  BytesPerSecond learner_rate{};
  BytesPerSecond engine_rate{};
};
YieldedBytes yielded_to_host(const RlRun& rl, const StageMemory<double>& learner);

// To the host, and as long back.
Seconds sleep_time(const RlRun& rl, const StageMemory<double>& learner);

}  // namespace orrery
