// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_layout.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kStageGroups = key_path<&StrategyRequest::stage_groups>;
constexpr std::int64_t kMostListed = std::int64_t{1} << 16;

std::vector<std::string> names_of_groups(const std::vector<GivenGroup>& groups) {
  std::vector<std::string> names;
  for (const GivenGroup& g : groups) names.push_back(g.name);
  return names;
}

std::size_t group_at(const Reader& name, const std::vector<GivenGroup>& groups) {
  return index_of_group(name, name.text(), names_of_groups(groups));
}

// Ranks of one replica that a group takes for one stage.
std::int64_t ranks_of_seat(const GivenGroup& g, std::int64_t cp) { return g.tp * cp; }

std::int64_t gpus_taken(const MixedLayout& l, const GivenGroup& g, std::size_t kind) {
  std::int64_t seats = 0;
  for (const ReplicaClass& c : l.replicas) {
    seats += c.count * std::count(c.kind_of_stage.begin(), c.kind_of_stage.end(), kind);
  }
  return seats * ranks_of_seat(g, l.cp);
}

void check_gpus(const MixedLayout& l, const std::vector<GivenGroup>& groups,
                const std::string& file) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const GivenGroup& g = groups[k];
    const std::int64_t taken = gpus_taken(l, g, k);
    if (taken == g.gpus) continue;
    throw InputError(ErrorCode::broken_rule, file, path_of_group_gpus(k), std::to_string(g.gpus),
                     std::to_string(taken) + ": what the stages on \"" + g.name +
                         "\" take with tp " + std::to_string(g.tp) + ", cp " +
                         std::to_string(l.cp) + " and dp " + std::to_string(l.dp));
  }
}

// `seats` by replica and stage, as classes in order of appearance.
std::vector<ReplicaClass> classes_of(const std::vector<std::vector<std::size_t>>& seats) {
  std::vector<ReplicaClass> classes;
  for (const std::vector<std::size_t>& s : seats) {
    const auto same = std::find_if(classes.begin(), classes.end(),
                                   [&](const ReplicaClass& c) { return c.kind_of_stage == s; });
    if (same != classes.end()) {
      ++same->count;
    } else {
      classes.push_back({s, 1, 1});
    }
  }
  return classes;
}

// Replicas that `stage_groups` lists; 1 where each stage is a single name.
std::int64_t listed_replicas(const std::vector<Reader>& stages) {
  std::int64_t replicas = 1;
  for (const Reader& stage : stages) {
    if (!stage.json().is_array()) continue;
    const auto n = static_cast<std::int64_t>(stage.json().size());
    if (n == 0 || n > kMostListed) stage.fail("a group for each replica");
    if (replicas > 1 && n != replicas) stage.fail(std::to_string(replicas) + " groups, as before");
    replicas = std::max(replicas, n);
  }
  return replicas;
}

[[noreturn]] void refuse(const std::string& file, const char* path, const std::string& found,
                         const std::string& allowed) {
  throw InputError(ErrorCode::broken_rule, file, path, found, allowed);
}

// Replicas that the GPUs of the first stage's group make, where nothing lists them.
std::int64_t replicas_from_gpus(const std::vector<std::size_t>& stages,
                                const std::vector<GivenGroup>& groups, std::int64_t cp) {
  const GivenGroup& g = groups[stages.front()];
  const std::int64_t of_replica =
      std::count(stages.begin(), stages.end(), stages.front()) * ranks_of_seat(g, cp);
  return std::max<std::int64_t>(1, g.gpus / of_replica);
}

void read_stage_groups(const Reader& given, const std::vector<GivenGroup>& groups,
                       const StrategyRequest& q, MixedLayout& l) {
  const std::vector<Reader> stages = given.items();
  if (stages.empty()) given.fail("a group for each stage");
  l.pp = static_cast<std::int64_t>(stages.size());
  if (q.pp && *q.pp != l.pp) given.fail(std::to_string(*q.pp) + " stages, as parallel.pp says");
  const std::int64_t listed = listed_replicas(stages);
  std::vector<std::vector<std::size_t>> seats(static_cast<std::size_t>(listed));
  for (const Reader& stage : stages) {
    if (stage.json().is_array()) {
      const std::vector<Reader> each = stage.items();
      for (std::size_t r = 0; r < seats.size(); ++r) seats[r].push_back(group_at(each[r], groups));
    } else {
      for (auto& s : seats) s.push_back(group_at(stage, groups));
    }
  }
  l.replicas = classes_of(seats);
  l.dp = listed;
  if (listed == 1) l.dp = q.dp.value_or(replicas_from_gpus(seats.front(), groups, l.cp));
  if (listed == 1) l.replicas.front().count = l.dp;
  if (q.dp && *q.dp != l.dp) {
    given.fail("groups for " + std::to_string(*q.dp) + " replicas, as parallel.dp says");
  }
}

void hold_replicas(const std::vector<GivenGroup>& groups, const StrategyRequest& q,
                   const std::string& file, MixedLayout& l) {
  l.pp = q.pp.value_or(1);
  l.dp = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const std::int64_t of_replica = l.pp * ranks_of_seat(groups[k], l.cp);
    const std::int64_t n = groups[k].gpus / of_replica;
    if (n == 0 || groups[k].gpus % of_replica != 0) {
      refuse(file, key_path<&StrategyRequest::groups_hold>,
             "replicas of " + std::to_string(of_replica) + " GPUs on the " +
                 std::to_string(groups[k].gpus) + " of \"" + groups[k].name + "\"",
             "GPUs that replicas fill: other tp, cp or pp, or stage_groups");
    }
    l.replicas.push_back({std::vector<std::size_t>(static_cast<std::size_t>(l.pp), k), n, 1});
    l.dp += n;
  }
  if (q.dp && *q.dp != l.dp) {
    refuse(file, key_path<&StrategyRequest::dp>, std::to_string(*q.dp),
           std::to_string(l.dp) + ", the replicas that the groups hold");
  }
}

void hold_stages(const std::vector<GivenGroup>& groups, const StrategyRequest& q,
                 const std::string& file, MixedLayout& l) {
  l.pp = q.pp.value_or(static_cast<std::int64_t>(groups.size()));
  std::int64_t all = 0;
  for (const GivenGroup& g : groups) all += g.gpus / ranks_of_seat(g, l.cp);
  l.dp = q.dp.value_or(std::max<std::int64_t>(1, all / l.pp));
  ReplicaClass one{{}, l.dp, 1};
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const std::int64_t of_stage = l.dp * ranks_of_seat(groups[k], l.cp);
    one.kind_of_stage.insert(one.kind_of_stage.end(),
                             static_cast<std::size_t>(groups[k].gpus / of_stage), k);
  }
  const auto stages = static_cast<std::int64_t>(one.kind_of_stage.size());
  if (stages != l.pp) {
    refuse(file, kStageGroups,
           "nothing, where the groups' GPUs make " + std::to_string(stages) + " stages of dp " +
               std::to_string(l.dp),
           "a group for each of the " + std::to_string(l.pp) +
               " stages, other pp, dp or group_tp, or groups_hold \"replicas\"");
  }
  l.replicas.push_back(std::move(one));
}

GroupsHold given_hold(const StrategyRequest& q, std::vector<Fact>& facts) {
  if (q.groups_hold) return *q.groups_hold;
  const GroupsHold hold = q.pp.value_or(1) > 1 ? GroupsHold::stages : GroupsHold::replicas;
  facts.push_back({key_path<&StrategyRequest::groups_hold>, std::string(name_of(hold)),
                   q.pp.value_or(1) > 1 ? "pp is above 1" : "pp is 1", Known::tool_default,
                   kOurDefault});
  return hold;
}

}  // namespace

std::size_t index_of_group(const Reader& at, const std::string& name,
                           const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    at.fail("the unknown group \"" + name + "\"", alternatives(names), nearest_name(name, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string path_of_group(std::size_t k) {
  return std::string(key_path<&ClusterRequest::groups>) + "." + std::to_string(k);
}

std::string path_of_group_gpus(std::size_t k) {
  return path_of_group(k) + "." + std::string(key_name<&GroupRequest::gpus>);
}

MixedLayout mixed_layout(const std::vector<GivenGroup>& groups, const StrategyRequest& request,
                         const std::string& file, std::vector<Fact>& facts) {
  MixedLayout l;
  l.cp = request.cp.value_or(1);
  if (request.stage_groups) {
    read_stage_groups(Reader(*request.stage_groups, file, kStageGroups), groups, request, l);
  } else if (given_hold(request, facts) == GroupsHold::replicas) {
    hold_replicas(groups, request, file, l);
  } else {
    hold_stages(groups, request, file, l);
  }
  if (!request.stage_groups) {
    facts.push_back({kStageGroups, stage_groups_json(l, groups).dump(), "as groups_hold says",
                     Known::derived, ""});
  }
  if (!request.dp) {
    facts.push_back({key_path<&StrategyRequest::dp>, std::to_string(l.dp),
                     "the replicas that the groups' GPUs make", Known::derived, ""});
  }
  check_gpus(l, groups, file);
  return l;
}

Json stage_groups_json(const MixedLayout& layout, const std::vector<GivenGroup>& groups) {
  Json all = Json::array();
  for (std::size_t i = 0; i < static_cast<std::size_t>(layout.pp); ++i) {
    if (layout.replicas.size() == 1) {
      all.push_back(groups[layout.replicas.front().kind_of_stage[i]].name);
      continue;
    }
    Json each = Json::array();
    for (const ReplicaClass& c : layout.replicas) {
      for (std::int64_t r = 0; r < c.count; ++r) each.push_back(groups[c.kind_of_stage[i]].name);
    }
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace orrery
