// SPDX-License-Identifier: Apache-2.0
//
// A run on several kinds of node, as plain values.
//
// Each kind has a Run of its own: the same training as if the whole pipeline ran on nodes of that
// kind, with the tp of the kind. A stage of a replica sits on one kind and takes its costs and its
// memory from that kind's run. All replicas have the same stages with the same layers. Replicas
// that sit on the same kinds, stage by stage, are one class. Leaves out: a stage of one replica on
// several kinds, replicas with other stages, several sites. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/run.h"

namespace orrery {

// The network between two kinds.
struct GroupLink {
  BytesPerSecond bandwidth{};  // of one node, in each direction
  Seconds latency{};
  bool given = false;  // by the run; else the slower of the two nodes' own networks
};

struct ReplicaClass {
  std::vector<std::size_t> kind_of_stage;
  std::int64_t count = 1;
  std::int64_t micro_batches = 1;  // of one of them and a step, as many as the most
};

struct MixedRun {
  std::vector<Run> kinds;
  std::vector<std::int64_t> gpus;  // by kind, that the run uses
  std::vector<GroupLink> links;    // by kind · kinds + kind
  std::vector<ReplicaClass> replicas;
  std::int64_t micro_batches = 1;  // of all replicas together
  // All ranks exchange weights or gradients in every micro batch: then micro batches differ in
  // size, not in number.
  bool in_step = false;
  std::vector<double> state_share;  // of sharded states by kind, over an equal share; empty: equal
};

inline std::int64_t stages_of(const MixedRun& r) { return r.kinds.front().strategy.pp; }
inline std::int64_t replicas_of(const MixedRun& r) { return r.kinds.front().strategy.dp; }

inline const GroupLink& link_of(const MixedRun& r, std::size_t a, std::size_t b) {
  return r.links[a * r.kinds.size() + b];
}

std::int64_t gpus_of(const MixedRun& r);

// The kinds that hold a stage, rising.
std::vector<std::size_t> kinds_of_stage(const MixedRun& r, std::int64_t stage);

// Ranks of one kind that hold a stage.
std::int64_t ranks_of_stage(const MixedRun& r, std::int64_t stage, std::size_t kind);

}  // namespace orrery
