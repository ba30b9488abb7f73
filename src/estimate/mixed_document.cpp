// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_document.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kGroupsPath = key_path<&ClusterRequest::groups>;

// A null takes a key away.
std::ptrdiff_t keys_given(const Json& object) {
  return std::count_if(object.begin(), object.end(), [](const Json& v) { return !v.is_null(); });
}

}  // namespace

void erase_group_keys(Json& parallel) {
  erase_key<&StrategyRequest::groups_hold>(parallel);
  erase_key<&StrategyRequest::stage_groups>(parallel);
  erase_key<&StrategyRequest::group_tp>(parallel);
  erase_key<&StrategyRequest::state_shares>(parallel);
}

Json cluster_of_group(const Json& group) {
  Json cluster = group;
  erase_key<&GroupRequest::name>(cluster);
  return cluster;
}

bool has_groups(const Json& run) { return value_at(run, kGroupsPath).is_array(); }

Json without_single_group(const Json& run, const std::string& file) {
  if (!has_groups(run) || value_at(run, kGroupsPath).size() != 1) return run;
  Json one = run;
  const Json& group = value_at(run, kGroupsPath)[0];
  if (!group.is_object()) return run;
  if (keys_given(value_at(run, key_path<&RunRequest::cluster>)) > 1) {
    throw InputError(ErrorCode::broken_rule, file, key_path<&RunRequest::cluster>,
                     "keys beside a single group", "none: they stand in the group");
  }
  at_key<&RunRequest::cluster>(one) = cluster_of_group(group);
  if (one.contains(std::string(key_name<&RunRequest::parallel>))) {
    erase_group_keys(at_key<&RunRequest::parallel>(one));
  }
  return one;
}

Json without_group(Json run, std::size_t group, const std::string& name) {
  Json& cluster = at_key<&RunRequest::cluster>(run);
  Json& groups = at_key<&ClusterRequest::groups>(cluster);
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
  const std::string links(key_name<&ClusterRequest::links>);
  if (!cluster.contains(links) || !cluster[links].is_array()) return run;
  Json kept = Json::array();
  for (const Json& link : cluster[links]) {
    const auto between = link.find(std::string(key_name<&GroupLinkRequest::between>));
    const bool names_it = between != link.end() &&
                          std::find(between->begin(), between->end(), name) != between->end();
    if (groups.size() > 1 && !names_it) kept.push_back(link);
  }
  if (kept.empty()) {
    cluster.erase(links);
  } else {
    cluster[links] = std::move(kept);
  }
  return run;
}

void refuse_groups(const Reader& cluster) {
  Reader r = cluster;
  const auto groups = find_key<&ClusterRequest::groups>(r);
  const auto links = find_key<&ClusterRequest::links>(r);
  if (groups) {
    groups->fail(ErrorCode::not_allowed, "several kinds of node",
                 "`node` and `gpus`: only `orrery estimate`, memory, comm, explain, simulate, "
                 "search, sweep, compare, limits and capacity know groups");
  }
  if (links) links->fail("links without `groups`", "none");
}

void refuse_group_keys(const StrategyRequest& request, const std::string& file) {
  const auto refuse = [&file](bool given, const char* path) {
    if (given)
      throw InputError(ErrorCode::broken_rule, file, path, "a placement on groups",
                       std::string(kGroupsPath) + " beside it");
  };
  refuse(request.groups_hold.has_value(), key_path<&StrategyRequest::groups_hold>);
  refuse(request.stage_groups != nullptr, key_path<&StrategyRequest::stage_groups>);
  refuse(request.group_tp != nullptr, key_path<&StrategyRequest::group_tp>);
  refuse(request.state_shares.has_value(), key_path<&StrategyRequest::state_shares>);
}

}  // namespace orrery
