// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/builders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/divide.h"
#include "hardware/dimensions.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostDrawn = 200'000;

std::int64_t count_at(Reader& r, const char* key, std::int64_t most, std::int64_t absent = 0) {
  const auto found = absent > 0 ? r.find(key) : std::optional<Reader>(r.at(key));
  return found ? found->integer(1, most) : absent;
}

BytesPerSecond rate_at(Reader& r, const char* key) { return r.at(key).quantity<kRate>(); }

// Before they are built.
void limit_links(const Reader& r, double links) {
  if (links <= static_cast<double>(kMostLinks)) return;
  r.fail("more than " + std::to_string(kMostLinks) + " links", "a smaller network");
}

std::string numbered(const char* name, std::int64_t i) { return name + std::to_string(i); }

void add_gpus(TopologyGraph& g, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) add_vertex(g, numbered("gpu", i), VertexKind::gpu);
}

// In a quad two of the six pairs have two links, and each GPU two to its partner in the other quad
// or one, so that all have six.
TopologyGraph hybrid_cube_mesh(Reader& r) {
  struct Pair {
    std::int32_t a, b, links;
  };
  constexpr std::array<Pair, 16> kPairs = {{{0, 1, 1},
                                            {0, 2, 1},
                                            {0, 3, 2},
                                            {1, 2, 2},
                                            {1, 3, 1},
                                            {2, 3, 2},
                                            {4, 5, 1},
                                            {4, 6, 1},
                                            {4, 7, 2},
                                            {5, 6, 2},
                                            {5, 7, 1},
                                            {6, 7, 2},
                                            {0, 4, 2},
                                            {1, 5, 2},
                                            {2, 6, 1},
                                            {3, 7, 1}}};
  TopologyGraph g;
  add_gpus(g, 8);
  const BytesPerSecond link = rate_at(r, "link");
  for (const Pair& p : kPairs) add_link(g, p.a, p.b, link, p.links);
  return g;
}

TopologyGraph fully_connected(Reader& r) {
  TopologyGraph g;
  const std::int64_t n = count_at(r, "gpus", 1024);
  const BytesPerSecond link = rate_at(r, "link");
  const std::int64_t links = count_at(r, "links", 1024, 1);
  add_gpus(g, n);
  for (std::int32_t a = 0; a < n; ++a) {
    for (std::int32_t b = a + 1; b < n; ++b) add_link(g, a, b, link, links);
  }
  return g;
}

void add_switches(TopologyGraph& g, std::int32_t first_gpu, std::int64_t gpus,
                  std::int64_t switches, BytesPerSecond each, std::int64_t cables,
                  const std::string& name) {
  for (std::int64_t s = 0; s < switches; ++s) {
    const std::int32_t v = add_vertex(g, name + std::to_string(s), VertexKind::router);
    for (std::int32_t i = 0; i < gpus; ++i) add_link(g, first_gpu + i, v, each, cables);
  }
}

TopologyGraph switched(Reader& r) {
  TopologyGraph g;
  const std::int64_t n = count_at(r, "gpus", 10'000);
  const BytesPerSecond link = rate_at(r, "link");
  const std::int64_t switches = count_at(r, "switches", 1024, 1);
  const std::int64_t links = count_at(r, "links", 1024, switches);
  if (links % switches != 0) {
    r.at("links").fail(std::to_string(links),
                       "a multiple of the " + std::to_string(switches) + " switches");
  }
  limit_links(r, static_cast<double>(n * switches));
  add_gpus(g, n);
  add_switches(g, 0, n, switches, link, links / switches, "nvswitch");
  return g;
}

TopologyGraph torus(Reader& r) {
  std::vector<std::int64_t> sides;
  std::int64_t n = 1;
  for (const Reader& side : r.at("sides").items()) {
    sides.push_back(side.integer(1, kMostDrawn));
    n *= sides.back();
    if (n > kMostDrawn)
      side.fail("a torus of more than " + std::to_string(kMostDrawn) + " GPUs", "fewer");
  }
  const BytesPerSecond link = rate_at(r, "link");
  TopologyGraph g;
  add_gpus(g, n);
  std::int64_t stride = 1;
  for (const std::int64_t side : sides) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = i / stride % side;
      if (side == 1 || (side == 2 && at == 1)) continue;
      const std::int64_t next = i + ((at + 1) % side - at) * stride;
      add_link(g, static_cast<std::int32_t>(i), static_cast<std::int32_t>(next), link);
    }
    stride *= side;
  }
  return g;
}

struct Nodes {
  std::int64_t nodes, gpus, cards;
  BytesPerSecond node_link, card_link;
};

Nodes read_nodes(Reader& r) {
  Nodes n{};
  n.gpus = count_at(r, "gpus_per_node", 1024);
  n.nodes = count_at(r, "nodes", kMostDrawn);
  if (n.nodes * n.gpus > kMostDrawn) {
    r.at("nodes").fail(std::to_string(n.nodes * n.gpus) + " GPUs",
                       "at most " + std::to_string(kMostDrawn));
  }
  n.cards = count_at(r, "cards", 64);
  n.card_link = rate_at(r, "card_link");
  n.node_link = rate_at(r, "node_link");
  return n;
}

// The GPUs of a node, their switch and cards; the cards' vertices.
std::vector<std::int32_t> add_node(TopologyGraph& g, const Nodes& n, std::int64_t index) {
  const auto first = static_cast<std::int32_t>(g.vertices.size());
  for (std::int64_t i = 0; i < n.gpus; ++i) {
    add_vertex(g, numbered("gpu", index * n.gpus + i), VertexKind::gpu);
  }
  if (n.gpus > 1) {
    add_switches(g, first, n.gpus, 1, n.node_link, 1, "node" + std::to_string(index) + "-switch");
  }
  std::vector<std::int32_t> cards;
  for (std::int64_t k = 0; k < n.cards; ++k) {
    cards.push_back(add_vertex(g, "node" + std::to_string(index) + "-nic" + std::to_string(k),
                               VertexKind::nic));
  }
  // A card serves neighbouring GPUs, or a GPU several cards.
  for (std::int64_t i = 0; i < std::max(n.gpus, n.cards); ++i) {
    const std::int64_t gpu = n.gpus >= n.cards ? i : i * n.gpus / n.cards;
    const std::int64_t card = n.gpus >= n.cards ? i * n.cards / n.gpus : i;
    add_link(g, first + static_cast<std::int32_t>(gpu), cards[static_cast<std::size_t>(card)],
             n.card_link);
  }
  return cards;
}

std::vector<std::int32_t> add_routers(TopologyGraph& g, const std::string& name, std::int64_t n) {
  std::vector<std::int32_t> routers;
  for (std::int64_t i = 0; i < n; ++i) {
    routers.push_back(add_vertex(g, name + std::to_string(i), VertexKind::router));
  }
  return routers;
}

// Half of a leaf's ports go down; its uplinks together carry what those do over `oversubscription`.
TopologyGraph fat_tree(Reader& r) {
  const Nodes n = read_nodes(r);
  const std::int64_t radix = count_at(r, "radix", 4096);
  const std::int64_t rails = count_at(r, "rails", n.cards, 1);
  const auto over_at = r.find("oversubscription");
  const double over = over_at ? over_at->number(1, 1000) : 1;
  if (n.cards % rails != 0) r.at("rails").fail("a divisor of the cards of a node");
  const std::int64_t down = radix / 2;
  const std::int64_t per_leaf = down / (n.cards / rails);
  if (per_leaf < 1) r.at("radix").fail("a radix for at least one node on a leaf");
  TopologyGraph g;
  const std::int64_t pods = divided_up(n.nodes, per_leaf);
  const std::int64_t up = std::max<std::int64_t>(1, std::llround(static_cast<double>(down) / over));
  limit_links(r, static_cast<double>(pods * rails) * static_cast<double>(up) +
                     static_cast<double>(n.nodes * (2 * n.gpus + 2 * n.cards)));
  std::vector<std::int32_t> leaves;
  for (std::int64_t i = 0; i < n.nodes; ++i) {
    if (i % per_leaf == 0) leaves = add_routers(g, numbered("pod", i / per_leaf) + "-leaf", rails);
    const std::vector<std::int32_t> cards = add_node(g, n, i);
    for (std::size_t k = 0; k < cards.size(); ++k) {
      add_link(g, cards[k], leaves[k % static_cast<std::size_t>(rails)], n.card_link);
    }
  }
  if (pods == 1 && rails == 1) return g;
  const std::vector<std::int32_t> spines = add_routers(g, "spine", up);
  const BytesPerSecond uplink = n.card_link * (static_cast<double>(per_leaf * n.cards / rails) /
                                               over / static_cast<double>(up));
  for (std::size_t v = 0; v < g.vertices.size(); ++v) {
    if (g.vertices[v].name.find("-leaf") == std::string::npos) continue;
    for (const std::int32_t s : spines) add_link(g, static_cast<std::int32_t>(v), s, uplink);
  }
  return g;
}

// Kim, Dally, Scott and Abts, ISCA 2008. Switches of a group are joined all to all, and each to the
// one of the same number in every other group; all of a group's global cables together carry what
// its nodes do over `taper` when all `groups` are there.
TopologyGraph dragonfly(Reader& r) {
  const Nodes n = read_nodes(r);
  const std::int64_t per_group = count_at(r, "nodes_per_group", kMostDrawn);
  const std::int64_t switches = count_at(r, "switches", 4096);
  const std::int64_t here = divided_up(n.nodes, per_group);
  const std::int64_t groups = count_at(r, "groups", kMostDrawn, std::max<std::int64_t>(here, 1));
  if (groups < here) {
    r.at("groups").fail(std::to_string(groups) + " groups",
                        "at least the " + std::to_string(here) + " that the nodes fill");
  }
  const double taper = r.at("taper").number(0.01, 1000);
  const BytesPerSecond local = rate_at(r, "local_link");
  limit_links(r, static_cast<double>(here * switches) * static_cast<double>(switches + here) / 2 +
                     static_cast<double>(n.nodes * (2 * n.gpus + 2 * n.cards)));
  TopologyGraph g;
  std::vector<std::vector<std::int32_t>> all;
  const std::int64_t lanes = std::min(n.cards, switches);
  const std::int64_t per_lane = switches / lanes;
  for (std::int64_t i = 0; i < n.nodes; ++i) {
    if (i % per_group == 0) {
      all.push_back(add_routers(g, numbered("group", i / per_group) + "-switch", switches));
    }
    const std::vector<std::int32_t> cards = add_node(g, n, i);
    for (std::size_t k = 0; k < cards.size(); ++k) {
      const std::int64_t lane = static_cast<std::int64_t>(k) % lanes;
      const std::int64_t s = lane * per_lane + i % per_group * per_lane / per_group;
      add_link(g, cards[k], all.back()[static_cast<std::size_t>(s)], n.card_link);
    }
  }
  const double cards_of_group = static_cast<double>(per_group * n.cards);
  const BytesPerSecond global =
      n.card_link * (cards_of_group / taper /
                     static_cast<double>(std::max<std::int64_t>(groups - 1, 1) * switches));
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t i = 0; i < all[a].size(); ++i) {
      for (std::size_t j = i + 1; j < all[a].size(); ++j) add_link(g, all[a][i], all[a][j], local);
      for (std::size_t b = a + 1; b < all.size(); ++b) add_link(g, all[a][i], all[b][i], global);
    }
  }
  return g;
}

struct Builder {
  std::string_view kind;
  TopologyGraph (*build)(Reader&);
};

constexpr std::array kBuilders = {
    Builder{"hybrid-cube-mesh", hybrid_cube_mesh},
    Builder{"fully-connected", fully_connected},
    Builder{"switched", switched},
    Builder{"torus", torus},
    Builder{"fat-tree", fat_tree},
    Builder{"dragonfly", dragonfly},
};

}  // namespace

TopologyGraph build_graph(Reader& r) {
  std::array<std::string_view, kBuilders.size()> names;
  std::transform(kBuilders.begin(), kBuilders.end(), names.begin(),
                 [](const Builder& b) { return b.kind; });
  return kBuilders[r.at("kind").choice(names)].build(r);
}

}  // namespace orrery
