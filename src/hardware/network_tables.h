// SPDX-License-Identifier: Apache-2.0
//
// The keys of documents about networks (core/described_keys.h): fabrics (read in hardware/fabric.h)
// and graphs of one node or many (hardware/topology/graph_reader.h, builders.h); and those of a
// calibration (hardware/calibration.h).
#pragma once

#include "core/described_keys.h"
#include "hardware/dimensions.h"
#include "hardware/fabric.h"
#include "hardware/topology/graph.h"

namespace orrery {
namespace network_tables {

inline constexpr Form kCount = form::whole(1, 1'000'000, "nodes");
inline constexpr Form kFew = form::whole(1, 64, "cards");
inline constexpr Form kTaper = form::number(1, 1000, "factor");

inline constexpr std::array kFabricRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("kind", form::one_of<FabricKind>(), kRequired, "the design of the network"),
    described("radix", form::whole(2, 4096, "ports"), kNothing, "fat-tree: ports of a switch"),
    described("rails", kFew, otherwise("1"), "fat-tree: leaf switches that a node's cards reach"),
    described("cards", kFew, otherwise("the rails"), "fat-tree: cards of a node"),
    described("pod", kCount, kNothing, "fat-tree: nodes under the same leaves, without a radix"),
    described("oversubscription", kTaper, otherwise("1"),
              "fat-tree: what a pod sends over what leaves it"),
    described("routing", form::one_of<FabricRouting>(), otherwise("spread"),
              "fat-tree: spread: a flow uses all ways up (adaptive, spray); hash: one of them by "
              "chance (ECMP), with a radix"),
    described("queue_pairs", form::whole(1, 64, "flows"), otherwise("1"),
              "fat-tree with hash: flows of a card at once"),
    described("nodes", kCount, otherwise("the run's"), "fat-tree: nodes there are"),
    described("nodes_per_group", kCount, kNothing, "dragonfly: nodes of a group"),
    described("groups", kCount, otherwise("as many as the run fills"), "dragonfly: groups"),
    described("taper", kTaper, kNothing, "dragonfly: what a group sends over what leaves it")};
inline constexpr KeyTable kFabricKeys{"", kFabricRows};

// --- graphs

inline constexpr Form kCables = form::whole(1, 100'000, "links");
inline constexpr Form kBandwidth = form::quantity(kRate);
inline constexpr Form kEnd = form::text("a vertex, or the begin of several: \"gpu*\"");
inline constexpr std::array kVertexRows = {
    described("name", form::text("text"), kRequired, "its name, or that of several with a number"),
    described("kind", form::one_of<VertexKind>(), kRequired, "a GPU, or a part that passes on"),
    described("count", form::whole(1, 1'000'000, "vertices"), kNothing, "so many of them")};
inline constexpr KeyTable kVertexKeys{"vertices", kVertexRows};
inline constexpr Form kVertex = form::object(kVertexKeys);
inline constexpr std::array kLinkRows = {
    described("from", either(kEnd, form::list(kEnd, 1)), kRequired, "one end"),
    described("to", either(kEnd, form::list(kEnd, 1)), kRequired, "the other end"),
    described("bandwidth", kBandwidth, kRequired, "of one link, each way"),
    described("count", kCables, otherwise("1"), "links between the two"),
    described("latency", form::quantity(kSeconds, true), otherwise("0 s"), "of a step over it")};
inline constexpr KeyTable kLinkKeys{"links", kLinkRows};
inline constexpr Form kLink = form::object(kLinkKeys);

inline constexpr std::array<std::string_view, 6> kShapes = {
    "hybrid-cube-mesh", "fully-connected", "switched", "torus", "fat-tree", "dragonfly"};
inline constexpr Form kSide = form::whole(1, 200'000, "GPUs");
inline constexpr std::array kGraphRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("vertices", form::list(kVertex, 1), kNothing, "GPUs, switches, cards, hosts"),
    described("kind", form::one_of(kShapes), kNothing, "a known shape in place of vertices"),
    described("links", either(form::list(kLink), kCables), kNothing,
              "between the vertices; of a shape: how many there are"),
    described("gpus", form::whole(1, 10'000, "GPUs"), kNothing, "switched, fully-connected: GPUs"),
    described("link", kBandwidth, kNothing, "of one link of a shape, each way"),
    described("switches", form::whole(1, 4096, "switches"), kNothing,
              "switched: all; dragonfly: of a group"),
    described("sides", form::list(kSide, 1), kNothing, "torus: its lengths"),
    described("gpus_per_node", form::whole(1, 1024, "GPUs"), kNothing, "of a node of a network"),
    described("nodes", form::whole(1, 200'000, "nodes"), kNothing, "of a network"),
    described("cards", kFew, kNothing, "of a node of a network"),
    described("card_link", kBandwidth, kNothing, "of a card"),
    described("node_link", kBandwidth, kNothing, "of a GPU within its node"),
    described("radix", form::whole(1, 4096, "ports"), kNothing, "fat-tree: ports of a switch"),
    described("rails", kFew, otherwise("1"), "fat-tree: leaf switches that a node reaches"),
    described("oversubscription", kTaper, otherwise("1"), "fat-tree: of its leaves"),
    described("nodes_per_group", form::whole(1, 200'000, "nodes"), kNothing, "dragonfly: of one"),
    described("groups", form::whole(1, 200'000, "groups"), otherwise("as many as it needs"),
              "dragonfly: groups"),
    described("taper", form::number(0.01, 1000, "factor"), kNothing,
              "dragonfly: what a group sends over what leaves it"),
    described("local_link", kBandwidth, kNothing, "dragonfly: between switches of a group")};
inline constexpr KeyTable kGraphKeys{"", kGraphRows};

}  // namespace network_tables
}  // namespace orrery
