// SPDX-License-Identifier: Apache-2.0
//
// Differences between ranks: slow GPUs, nodes and links, random speeds, jitter, uneven experts.
//
// Ranks that exchange data in every layer (tensor, context, expert parallel, weights sharded and
// gathered in every micro batch) keep the pace of the slowest: together they are one actor of the
// simulator. Replicas wait for each other when gradients are reduced. Equal replicas are simulated
// once unless all are asked for; the times are the same. On every stage with experts an uneven load
// costs the same as a fraction of one more expert a token, because all ranks wait for the fullest.
// Slow links are those of slow_links.h. Leaves out: failures that end a step, memory of hot
// experts. Units: factors, 1 is the price. Errors: none; parts belong to the run's cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/play.h"

namespace orrery {

struct Strategy;

// gpu: that of a rank. node, link: of the cluster, whose devices parallel.placement numbers. link:
// a node's, to other nodes.
enum class SlowPart : std::uint8_t { gpu, node, link };

struct Slow {
  SlowPart part = SlowPart::gpu;
  std::int64_t which = 0;
  double factor = 1;              // of its time
  std::int64_t cards_failed = 0;  // of a node's links
};

struct Disturbances {
  std::vector<Slow> slow;
  double spread = 0;       // each GPU is slower by a share from 0 to this, uniform, for all passes
  double jitter = 0;       // the same, drawn again for each pass
  double expert_load = 1;  // of the fullest rank of experts, over the mean
  std::uint64_t seed = 1;

  bool any() const { return !slow.empty() || spread > 0 || jitter > 0 || expert_load > 1; }
};

// The replicas to simulate: one for each class of equal replicas.
struct SimulatedReplicas {
  Speeds speeds;                            // a replica of it is a class
  std::vector<std::int64_t> replica_class;  // by replica
  std::int64_t ranks_of_actor = 1;
};

// Replicas that wait for each other only at the gradient reduction, and the ranks of one stage of
// one replica.
std::int64_t independent_replicas(const Run& run);

SimulatedReplicas simulated_replicas(const Run& run, const StepPlan& plan, const Disturbances& d,
                                     bool every_gpu);

// Factor on the time of this rank's kernels.
double slowness_of_rank(const Run& run, const Disturbances& d, std::int64_t rank);

// Digits of a rank by parallel.order.
struct RankPlace {
  std::int64_t stage = 0;
  std::int64_t replica = 0;  // its dp digit
};
RankPlace place_of_rank(const Strategy& s, std::int64_t rank);

// The rank that stands in `stage` as `rank` does in its own.
std::int64_t rank_in_stage(const Strategy& s, std::int64_t rank, std::int64_t stage);

// The plan with an uneven load of experts.
StepPlan with_expert_load(const Run& run, const StepPlan& plan, double load);

}  // namespace orrery
