// SPDX-License-Identifier: Apache-2.0
#include "engine/group_names.h"

#include <algorithm>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "engine/given_names.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

constexpr const char* kNodeGroups = "cluster.groups";
constexpr std::string_view kNodeOfGroup = key_name<&ClusterRequest::node>;
constexpr std::string_view kGpusOfGroup = key_name<&ClusterRequest::gpus>;
constexpr std::int64_t kReachesOthers = 2;

void take_group(const ConfigLookup& lookup, const std::string& path, Json& group,
                std::vector<Fact>& facts) {
  const Json& node = value_at(group, std::string(kNodeOfGroup));
  if (!node.is_string()) return;
  const std::string name = node.get<std::string>();
  if (lookup.hardware.find(HardwareKind::node, name)) return;
  const CountedName counted = counted_name(name);
  const std::int64_t each = std::max<std::int64_t>(1, counted.per_node);
  const std::string wanted = std::to_string(std::max(kReachesOthers, each)) + "x" + counted.name;
  const std::string ours = our_node_name(lookup, wanted);
  if (ours == wanted) return;
  group[std::string(kNodeOfGroup)] = ours;
  facts.push_back({path + "." + std::string(kNodeOfGroup), ours,
                   "the smallest node of it with a network", Known::derived, kNameOf + name});
  const bool has_gpus = !value_at(group, std::string(kGpusOfGroup)).is_null();
  if (counted.per_node > 0 && !has_gpus)
    group[std::string(kGpusOfGroup)] = std::max<std::int64_t>(1, counted.nodes) * each;
}

}  // namespace

void take_group_nodes(const ConfigLookup& lookup, Json& run, std::vector<Fact>& facts) {
  if (!value_at(run, kNodeGroups).is_array()) return;
  Json groups = value_at(run, kNodeGroups);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (groups[k].is_object())
      take_group(lookup, std::string(kNodeGroups) + "." + std::to_string(k), groups[k], facts);
  }
  set_at(run, kNodeGroups, groups);
}

}  // namespace orrery
