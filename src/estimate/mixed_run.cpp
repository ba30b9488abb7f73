// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_run.h"

#include <algorithm>
#include <numeric>

namespace orrery {

std::int64_t gpus_of(const MixedRun& r) {
  return std::accumulate(r.gpus.begin(), r.gpus.end(), std::int64_t{0});
}

std::vector<std::size_t> kinds_of_stage(const MixedRun& r, std::int64_t stage) {
  std::vector<std::size_t> kinds;
  for (const ReplicaClass& c : r.replicas) {
    kinds.push_back(c.kind_of_stage[static_cast<std::size_t>(stage)]);
  }
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

std::int64_t ranks_of_stage(const MixedRun& r, std::int64_t stage, std::size_t kind) {
  std::int64_t replicas = 0;
  for (const ReplicaClass& c : r.replicas) {
    if (c.kind_of_stage[static_cast<std::size_t>(stage)] == kind) replicas += c.count;
  }
  const Strategy& s = r.kinds[kind].strategy;
  return replicas * s.tp * s.cp;
}

}  // namespace orrery
