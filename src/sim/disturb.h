// SPDX-License-Identifier: Apache-2.0
//
// What makes ranks differ: slow GPUs, nodes and links, random speeds, jitter, uneven experts.
//
// Ranks that exchange something in every layer (tensor, context, expert parallel, weights sharded
// and gathered in every micro batch) keep step with the slowest of them: together they are one
// actor of the simulator. Replicas meet where gradients are reduced. Replicas alike are played
// once, unless every one of them is asked for; the times are the same. An uneven load of experts
// costs what one more expert a token would, in proportion, on every stage that has experts: the
// fullest rank keeps all others waiting. Leaves out: failures that end a step, memory of hot
// experts. Units: factors, 1 is as priced. Errors: none; parts are of the run's cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/play.h"

namespace orrery {

enum class SlowPart : std::uint8_t { gpu, node, link };  // link: of a node to the others

struct Slow {
  SlowPart part = SlowPart::gpu;
  std::int64_t which = 0;
  double factor = 1;  // takes this much longer
};

struct Disturbances {
  std::vector<Slow> slow;
  double spread = 0;       // every GPU up to this much slower, evenly, always the same
  double jitter = 0;       // every pass of a GPU, anew
  double expert_load = 1;  // of the fullest rank of experts over the mean
  std::uint64_t seed = 1;

  bool any() const { return !slow.empty() || spread > 0 || jitter > 0 || expert_load > 1; }
};

// Who is played: classes of replicas alike.
struct Crowd {
  Speeds speeds;                            // its replicas are the classes
  std::vector<std::int64_t> replica_class;  // by replica
  std::int64_t ranks_of_actor = 1;
};

// Replicas that meet only where gradients are reduced, and ranks of one stage of one of them.
std::int64_t independent_replicas(const Run& run);

Crowd crowd_of(const Run& run, const StepPlan& plan, const Disturbances& d, bool every_gpu);

// How much longer this rank's kernels take.
double slowness_of_rank(const Run& run, const Disturbances& d, std::int64_t rank);

// Digits of a rank by parallel.order.
struct RankPlace {
  std::int64_t stage = 0;
  std::int64_t replica = 0;  // of dp
};
RankPlace place_of_rank(const Strategy& s, std::int64_t rank);

// The plan with experts loaded unevenly.
StepPlan with_expert_load(const Run& run, const StepPlan& plan, double load);

}  // namespace orrery
