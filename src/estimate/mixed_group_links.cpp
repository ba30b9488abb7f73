// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_group_links.h"

#include <algorithm>
#include <array>

#include "core/json_reader.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/mixed_layout.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

constexpr const char* kLinksPath = key_path<&ClusterRequest::links>;

// Tapers of published fabrics, what the nodes of a part send over what leaves it: DGX SuperPODs
// have 1, Llama 3's fabric 7 above its pods (arXiv:2407.21783, section 3.3.1), Llama 4's 2.8 above
// its zones (NCCLX, arXiv:2510.20171). Assumed: each as likely as the others.
constexpr double kFullFabric = 1;
constexpr std::array kPublishedTapers = {kFullFabric, 2.8, 7.0};
constexpr double kShareOfEach = 1.0 / static_cast<double>(kPublishedTapers.size());

// A link of `cluster.links`; without groups it joins all that no other does.
struct GivenLink {
  std::optional<std::pair<std::size_t, std::size_t>> groups;
  GroupLink link;
};

std::vector<GivenLink> read_links(const Reader& root, const std::vector<std::string>& names) {
  std::vector<GivenLink> links;
  Reader run = root;
  Reader cluster = at_key<&RunRequest::cluster>(run);
  const std::optional<Reader> given = find_key<&ClusterRequest::links>(cluster);
  if (!given) return links;
  for (const Reader& item : given->items()) {
    const GroupLinkRequest l = read_keys(kGroupLinkKeys, item);
    GivenLink out{{}, {l.bandwidth, l.latency, true}};
    if (!l.between.empty()) {
      out.groups = std::minmax({index_of_group(*given, l.between[0], names),
                                index_of_group(*given, l.between[1], names)});
    }
    links.push_back(out);
  }
  return links;
}

// The tier by which nodes reach each other.
const Tier& network_of(const Cluster& c) {
  std::size_t i = 0;
  while (i + 1 < c.tier_count && c.tiers[i].size <= c.devices_per_node) ++i;
  return c.tiers[i];
}

GroupLink untapered_link(const Cluster& a, const Cluster& b) {
  const Tier& one = network_of(a);
  const Tier& other = network_of(b);
  return {std::min(one.bandwidth, other.bandwidth), std::max(one.latency, other.latency), false};
}

// Between groups a < b. The last link without groups counts.
std::optional<GroupLink> given_link(const std::vector<GivenLink>& given, std::size_t a,
                                    std::size_t b) {
  std::optional<GroupLink> any;
  for (const GivenLink& l : given) {
    if (!l.groups) {
      any = l.link;
    } else if (*l.groups == std::pair(a, b)) {
      return l.link;
    }
  }
  return any;
}

}  // namespace

std::vector<GroupLink> group_links(const Reader& root, const std::vector<std::string>& names,
                                   const std::vector<Run>& kinds, std::vector<Fact>& facts,
                                   std::vector<std::string>& warnings) {
  const std::vector<GivenLink> given = read_links(root, names);
  const std::size_t n = names.size();
  std::vector<GroupLink> links(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      std::optional<GroupLink> link = given_link(given, a, b);
      if (!link) {
        link = untapered_link(kinds[a].cluster, kinds[b].cluster);
        const std::string rates =
            pretty(link->bandwidth) + " of a node and " + pretty(link->latency);
        const std::string between = " between " + names[a] + " and " + names[b];
        facts.push_back({kLinksPath, rates + between, "the slower of the networks of both nodes",
                         Known::open, kOurDefault});
        warnings.push_back("nobody gave the network" + between + ": taken as " + rates + "; " +
                           kLinksPath + " sets it");
      }
      links[a * n + b] = links[b * n + a] = *link;
    }
  }
  return links;
}

std::optional<OpenKey> open_links(const MixedRun& run, MixedWorkspace& workspace) {
  const std::size_t n = run.kinds.size();
  bool any = false;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) any = any || !link_of(run, a, b).given;
  }
  if (!any) return {};
  const Seconds full = estimate_mixed<double>(run, workspace).answer.step_time;
  OpenKey key{kLinksPath, "no taper", "nobody gave the network between the groups", {}};
  for (const double taper : kPublishedTapers) {
    if (taper == kFullFabric) continue;
    MixedRun other = run;
    for (std::size_t i = 0; i < other.links.size(); ++i) {
      if (!other.links[i].given) other.links[i].bandwidth = other.links[i].bandwidth / taper;
    }
    const Seconds step = estimate_mixed<double>(other, workspace).answer.step_time;
    key.alternatives.push_back({"1:" + shortest(taper), kShareOfEach, step / full, 1});
  }
  return key;
}

}  // namespace orrery
