// SPDX-License-Identifier: Apache-2.0
#include "insight/group_limits.h"

#include <algorithm>
#include <numeric>

#include "core/json.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/mixed_document.h"
#include "estimate/mixed_layout.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_links.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kLinksPath = key_path<&ClusterRequest::links>;
constexpr const char* kStageGroupsPath = key_path<&StrategyRequest::stage_groups>;
constexpr const char* kRateKey = ".bandwidth";  // of a tier, and of a link

// Replicas of each kind over the largest number that divides them all.
std::int64_t common_replicas(const MixedRun& run) {
  std::int64_t common = 0;
  for (const ReplicaClass& c : run.replicas) common = std::gcd(common, c.count);
  return common;
}

bool lists_replicas(const Json& run) {
  const Json& stages = value_at(run, kStageGroupsPath);
  return std::any_of(stages.begin(), stages.end(), [](const Json& s) { return s.is_array(); });
}

void add_tiers(const Cluster& c, std::size_t k, double factor, std::vector<Setting>& settings) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) != Links::of_network) continue;
    settings.push_back(
        {path_of_group(k) + ".tiers." + std::string(c.tiers[i].name.view()) + kRateKey,
         exact(c.tiers[i].bandwidth * factor)});
  }
}

}  // namespace

std::vector<LimitGroup> limit_groups(const ResolvedMixed& r) {
  std::vector<LimitGroup> all;
  for (std::size_t k = 0; k < r.names.size(); ++k) {
    const Cluster& c = r.nodes[k].cluster;
    all.push_back({r.names[k], c.gpus, c.devices_per_node,
                   static_cast<std::int64_t>(c.device.memory_capacity / kGiB)});
  }
  return all;
}

std::int64_t common_tp(const ResolvedMixed& r) {
  std::int64_t tp = 1;
  for (const Run& kind : r.run.kinds) tp = std::lcm(tp, kind.strategy.tp);
  return tp;
}

std::int64_t layer_step(const ResolvedMixed& r) {
  const Strategy& s = r.run.kinds.front().strategy;
  return r.balanced ? 1 : s.pp * s.vpp;
}

std::vector<Setting> nodes_of_group(const Json& run, const std::vector<LimitGroup>& groups,
                                    std::size_t k, std::int64_t nodes) {
  if (nodes == 0) return settings_between(run, without_group(run, k, groups[k].name));
  return {{path_of_group_gpus(k), std::to_string(nodes * groups[k].devices_per_node)}};
}

std::string memory_path_of_group(std::size_t k) {
  return path_of_group(k) + ".device.memory_capacity";
}

std::optional<std::vector<Setting>> replicas_in_proportion(const Json& run, const ResolvedMixed& r,
                                                           std::int64_t n) {
  if (lists_replicas(run)) return {};
  const std::int64_t common = common_replicas(r.run);
  std::vector<Setting> settings;
  for (std::size_t k = 0; k < r.names.size(); ++k) {
    settings.push_back({path_of_group_gpus(k), std::to_string(r.run.gpus[k] / common * n)});
  }
  constexpr const char* dp = key_path<&StrategyRequest::dp>;
  if (!value_at(run, dp).is_null()) {
    settings.push_back({dp, std::to_string(replicas_of(r.run) / common * n)});
  }
  return settings;
}

std::vector<Setting> networks_of_groups(const Json& run, const ResolvedMixed& r, double factor) {
  std::vector<Setting> settings;
  for (std::size_t k = 0; k < r.nodes.size(); ++k) {
    add_tiers(r.nodes[k].cluster, k, factor, settings);
  }
  if (!value_at(run, kLinksPath).is_array()) return settings;
  std::size_t i = 0;
  for (const Reader& link : Reader(value_at(run, kLinksPath), "run", kLinksPath).items()) {
    settings.push_back({std::string(kLinksPath) + "." + std::to_string(i++) + kRateKey,
                        exact(read_keys(kGroupLinkKeys, link).bandwidth * factor)});
  }
  return settings;
}

}  // namespace orrery
