// SPDX-License-Identifier: Apache-2.0
//
// Keys of a run with cluster.groups that the questions of limits.h vary: GPUs of one group or of
// all in proportion, the memory of a group's device, all networks together. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/mixed_resolve.h"
#include "insight/settings.h"

namespace orrery {

// Facts of a group by which limits vary it.
struct LimitGroup {
  std::string name;
  std::int64_t gpus = 0;
  std::int64_t devices_per_node = 1;
  std::int64_t memory_gib = 0;  // of a device, whole
};
std::vector<LimitGroup> limit_groups(const ResolvedMixed& r);

// The whole run's numbers by which values step: tp that every group's divides, and layers.
std::int64_t common_tp(const ResolvedMixed& r);
std::int64_t layer_step(const ResolvedMixed& r);

// GPUs of group k, whole nodes; without nodes the group and its links go.
std::vector<Setting> nodes_of_group(const Json& run, const std::vector<LimitGroup>& groups,
                                    std::size_t k, std::int64_t nodes);

std::string memory_path_of_group(std::size_t k);

// The groups' GPUs for `n` times the fewest replicas of the same shape; nothing where
// `stage_groups` lists the replicas one by one.
std::optional<std::vector<Setting>> replicas_in_proportion(const Json& run, const ResolvedMixed& r,
                                                           std::int64_t n);

// Tiers between nodes of each group, and the links that the run gives, times a factor.
std::vector<Setting> networks_of_groups(const Json& run, const ResolvedMixed& r, double factor);

}  // namespace orrery
