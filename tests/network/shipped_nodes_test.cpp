// SPDX-License-Identifier: Apache-2.0
// The promises about collectives hold on every shipped node, over many of them.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "network/collective_cost.h"
#include "network/cut_bound.h"
#include "network/group_across.h"
#include "network/shipped_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::array<std::int64_t, 8> kNodes = {1, 2, 3, 4, 7, 64, 100, 1024};
constexpr std::array<double, 5> kSizes = {1, 1e4, 1e6, 1e8, 1e10};

std::vector<std::string> shipped_nodes() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(ORRERY_CONFIG_DIR "/hardware/nodes")) {
    names.push_back(entry.path().stem().string());
  }
  return names;
}

// The node alone, then more and more of it; `rest` GPUs on one node more.
std::vector<Cluster> growing(const std::string& node, std::int64_t rest = 0) {
  const std::int64_t per_node = shipped_cluster(node, 1).devices_per_node;
  std::vector<Cluster> clusters;
  for (std::int64_t n : kNodes) clusters.push_back(shipped_cluster(node, n * per_node + rest));
  return clusters;
}

// Every collective of a whole group, over sizes.
template <class Check>
void for_each_price(Check check) {
  for (const Collective kind : kAllOf<Collective>) {
    if (kind == Collective::point_to_point) continue;  // two ranks, however many nodes there are
    CAPTURE(name_of(kind));
    for (const double bytes : kSizes) {
      CAPTURE(bytes);
      check(kind, Bytes(bytes));
    }
  }
}

void check_growing(const std::vector<Cluster>& clusters, std::int64_t ranks_per_node,
                   Collective kind, Bytes size) {
  Seconds before;
  for (const Cluster& c : clusters) {
    const Group g = group_across(c, ranks_per_node, 1);
    const Seconds time = collective_cost(c, g, kind, size).time;
    CAPTURE(g.ranks);
    CHECK(time >= cut_bound(c, g, kind, size) * (1 - 1e-12));
    CHECK(time >= before * (1 - 1e-12));
    CHECK((time > Seconds()) == (g.ranks > 1));
    before = time;
  }
}

}  // namespace

TEST_CASE("collectives over nodes that ship keep their bound and never fall with more nodes") {
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const std::vector<Cluster> clusters = growing(node);
    const std::int64_t most = most_ranks_per_node(clusters[0]);
    for_each_price([&](Collective kind, Bytes size) {
      for (std::int64_t ranks : {std::int64_t{1}, (most + 1) / 2, most}) {
        check_growing(clusters, ranks, kind, size);
      }
    });
  }
}

// Full nodes and one more in part: never less than the full ones, nor than fewer of them with the
// same ranks on the last.
TEST_CASE(
    "a last node used in part keeps the bound and never takes less than the nodes before it") {
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const std::vector<Cluster> full = growing(node);
    const std::int64_t per_node = full[0].devices_per_node;
    for (const std::int64_t rest : {std::int64_t{1}, per_node / 2, per_node - 1}) {
      if (rest == 0) continue;
      CAPTURE(rest);
      const std::vector<Cluster> ragged = growing(node, rest);
      for_each_price([&](Collective kind, Bytes size) {
        for (std::size_t i = 0; i < full.size(); ++i) {
          check_growing({full[i], ragged[i]}, per_node, kind, size);
        }
        check_growing(ragged, per_node, kind, size);
      });
    }
  }
}

TEST_CASE("a lone rank on the last node sends by its own card") {
  const auto all_to_all = [](std::int64_t gpus) {
    const Cluster c = shipped_cluster("dgx-h100", gpus);
    return collective_cost(c, group_across(c, 8, 1), Collective::all_to_all, Bytes(1e9)).time;
  };
  // Line rate of one of eight cards, by hand: (n − 1)/n·S over 50 GB/s.
  for (const std::int64_t n : {9, 17, 65}) {
    CAPTURE(n);
    const double least = static_cast<double>(n - 1) / static_cast<double>(n) * 1e9 / 50e9;
    CHECK(all_to_all(n).si() > least);
    CHECK(all_to_all(n).si() < 1.15 * least);
  }
}

TEST_CASE("the slowest pair of neighbours is no faster over more nodes") {
  const auto slowest = [](const Cluster& c, Bytes size) {
    Seconds time;
    for (const std::size_t tier : tiers_across(c, group_across(c, c.devices_per_node, 1))) {
      const Group pair = pair_across(c, c.devices_per_node, 1, tier);
      time = std::max(time, collective_cost(c, pair, Collective::point_to_point, size).time);
    }
    return time;
  };
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const std::int64_t per_node = shipped_cluster(node, 1).devices_per_node;
    const Cluster one = shipped_cluster(node, per_node);
    const Cluster two = shipped_cluster(node, 2 * per_node);
    const Cluster eight = shipped_cluster(node, 8 * per_node);
    for (const double bytes : kSizes) {
      CHECK(slowest(two, Bytes(bytes)) >= slowest(one, Bytes(bytes)));
      CHECK(slowest(eight, Bytes(bytes)) >= slowest(two, Bytes(bytes)));
    }
  }
}

TEST_CASE("a group across nodes counts its ranks and who shares their links") {
  const Cluster c = shipped_cluster("frontier-mi250x", 64);
  const Group alone = group_across(c, 8, 1);
  CHECK(alone.ranks == 64);
  CHECK(alone.members[0] == 2);
  CHECK(alone.members[1] == 8);
  CHECK(alone.members[2] == 64);
  const Group thin = group_across(c, 1, 8);
  CHECK(thin.ranks == 8);
  CHECK(thin.members[1] == 1);
  CHECK(thin.sharers[1] == 2);
  CHECK(thin.sharers[2] == 8);
  const Group pair = pair_across(c, 8, 1, 2);
  CHECK(pair.ranks == 2);
  CHECK(pair.members[1] == 1);
  CHECK(pair.members[2] == 2);
}

TEST_CASE("one rank of a node that ships fills at most its own cards") {
  for (const std::string& node : shipped_nodes()) {
    CAPTURE(node);
    const Cluster c = shipped_cluster(node, 4 * shipped_cluster(node, 1).devices_per_node);
    const Tier& t = c.tiers[c.tier_count - 1U];
    CHECK(t.rank_share * t.bandwidth / BytesPerSecond(1e9) <= 300);  // MI455X: three cards
    CHECK(t.rank_share * static_cast<double>(c.devices_per_node) > 0.999);
  }
}
