// SPDX-License-Identifier: Apache-2.0
//
// The group of nodes of every stage of every replica.
//
// A group takes ranks tp·cp for each stage of each replica that sits on it, and the run uses all of
// its GPUs. Without `stage_groups`, groups hold consecutive stages in their order, as many as their
// GPUs make of each replica, or whole replicas. Errors: InputError, where GPUs are left or lacking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"
#include "estimate/mixed_run.h"
#include "parallel/strategy_request.h"

namespace orrery {

class Reader;

// A group as the run gives it.
struct GivenGroup {
  std::string name;
  std::int64_t gpus = 0;
  std::int64_t tp = 1;
};

struct MixedLayout {
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t cp = 1;
  std::vector<ReplicaClass> replicas;  // without their micro batches
};

// `file`: for messages. Facts: what was taken.
MixedLayout mixed_layout(const std::vector<GivenGroup>& groups, const StrategyRequest& request,
                         const std::string& file, std::vector<Fact>& facts);

// The index of a group's name; any other name is refused at `at`.
std::size_t index_of_group(const Reader& at, const std::string& name,
                           const std::vector<std::string>& names);

// "cluster.groups.1", and the path of its GPUs.
std::string path_of_group(std::size_t k);
std::string path_of_group_gpus(std::size_t k);

// The same as `stage_groups` has it: a name a stage, or a list of a name a replica.
Json stage_groups_json(const MixedLayout& layout, const std::vector<GivenGroup>& groups);

}  // namespace orrery
