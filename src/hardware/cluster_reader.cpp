// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/json.h"
#include "core/units.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "hardware/fabric.h"
#include "hardware/node_fields.h"
#include "hardware/provenance.h"
#include "hardware/spread.h"
#include "hardware/topology/graph_fold.h"

namespace orrery {
namespace {

CollectiveLibrary library_of(Vendor vendor) {
  if (vendor == Vendor::nvidia) return CollectiveLibrary::nccl;
  return vendor == Vendor::amd ? CollectiveLibrary::rccl : CollectiveLibrary::any;
}

// A cluster while its documents are being merged.
struct Draft {
  Cluster cluster;
  Json node;
  Json device;
  std::vector<Calibration> calibrations;
  std::vector<std::string> notes;
};

ResolvedCluster finished(Draft d) {
  return {d.cluster, std::move(d.node), std::move(d.device), std::move(d.calibrations),
          std::move(d.notes)};
}

constexpr const char* kFolded = "folded from `graph`";

bool set_by_run(const Json& node, const std::string& path) {
  return listed_source(node, path).kind == SourceKind::run;
}

// Source paths of tiers from `first` on, one tier farther out.
void shift_sources(Json& node, std::size_t first) {
  if (!node.contains("sources") || !node["sources"].is_object()) return;
  Json shifted = Json::object();
  const std::string tiers = "tiers.";
  for (auto it = node["sources"].begin(); it != node["sources"].end(); ++it) {
    std::string path = it.key();
    if (path.compare(0, tiers.size(), tiers) == 0) {
      const std::size_t end = std::min(path.find('.', tiers.size()), path.size());
      const std::size_t index = std::stoul(path.substr(tiers.size(), end - tiers.size()));
      if (index == first) shifted[path] = it.value();  // of the block too
      if (index >= first) path = tiers + std::to_string(index + 1) + path.substr(end);
    }
    shifted[path] = it.value();
  }
  node["sources"] = shifted;
}

// A copy of tier `at` before it, with the name and size of `block`.
void insert_block(const Tier& block, std::size_t at, Json& tiers) {
  Json copy = tiers[at];
  copy["name"] = std::string(block.name.view());
  copy["size"] = block.size;
  copy["block"] = true;
  tiers.insert(tiers.begin() + static_cast<std::ptrdiff_t>(at), std::move(copy));
}

// Tiers that a graph put inside others, into the document: as those, but for name and size. Each
// step looks its place up anew, since a new member of the node moves all of them.
void tell_blocks(Draft& out) {
  for (std::size_t i = 0; i < out.cluster.tier_count; ++i) {
    const Tier& t = out.cluster.tiers[i];
    if (out.node["tiers"][i]["name"] == std::string(t.name.view())) continue;
    insert_block(t, i, out.node["tiers"]);
    shift_sources(out.node, i);
    for (const char* key : {".name", ".size", ".block"}) {
      out.node["sources"]["tiers." + std::to_string(i) + key] = "split at a cut of `graph`";
    }
  }
}

// A graph of the run goes over bandwidths of the node; else one of the two must be silent.
void note_graph(Draft& out, Reader node, std::int64_t devices) {
  if (devices == 0) return;
  const bool of_run = set_by_run(out.node, "graph");
  std::vector<Reader> tiers = node.at("tiers").items();
  std::vector<std::string> folded;
  for (std::size_t i = 0; i < tiers.size() && covers(out.cluster, devices, i); ++i) {
    const std::string path = "tiers." + std::to_string(i);
    for (const char* key : {"bandwidth", "group_bandwidth"}) {
      const auto given = tiers[i].find(key);
      if (given && (!of_run || set_by_run(out.node, path + "." + key))) {
        given->fail("none: `graph` says what this tier carries");
      }
      folded.push_back(path + "." + key);
    }
  }
  for (const std::string& path : folded) out.node["sources"][path] = kFolded;
}

// A cap needs the device's clock law, which holds from half of the power that its rates are of.
void check_power_cap(const std::optional<Reader>& cap, const Cluster& c) {
  if (!cap) return;
  const Device& d = c.device;
  if (!is_known(d.clock)) {
    cap->fail("none: no clock under a power cap is known of " + std::string(d.name.view()));
  }
  const Watts least = least_power_cap(d);
  if (c.power_cap < least || c.power_cap > d.power) {
    cap->fail(pretty(least) + " to " + pretty(d.power) + ", what " + std::string(d.name.view()) +
              " is rated for");
  }
}

// `out.node` is merged; what is wrong in it now is wrong in `file`, at `path`. The devices of its
// graph, if it has one.
std::int64_t read_merged(Draft& out, const std::string& file, const std::string& path,
                         std::int64_t gpus, const HardwareLookup& lookup) {
  Reader node(out.node, file, path);
  GraphFacts graph;
  out.cluster = read_node_fields(node, gpus, graph);
  if (!path.empty()) {  // a cluster, where these stand beside what is merged
    node.allow("node");
    node.allow("gpus");
    node.allow("calibration");
    node.allow("site");
    node.allow("sites");
    node.allow("groups");
    node.allow("links");
  }
  const auto library = node.find("collective_library");
  node.reject_unknown();
  const Reader device = node.at("device");
  out.device = merged_device(device, lookup);
  out.cluster.device = read_device(Reader(out.device, file, device.path()));
  check_power_cap(node.find("power_cap"), out.cluster);
  out.cluster.library =
      library ? library->choice<CollectiveLibrary>() : library_of(out.cluster.device.vendor);
  tell_blocks(out);
  note_graph(out, Reader(out.node, file, path), graph.devices);
  out.notes = std::move(graph.notes);
  return graph.devices;
}

// After the GPUs have been spread over nodes: pods are counted in nodes.
void put_fabric(Draft& out, const std::string& file, const std::string& path,
                std::int64_t graph_devices) {
  Reader node(out.node, file, path);
  const auto fabric = node.find("fabric");
  if (!fabric) return;
  const std::string leaf(out.cluster.tiers[out.cluster.tier_count - 1U].name.view());
  if (graph_devices > 0 && covers(out.cluster, graph_devices, out.cluster.tier_count - 1U)) {
    fabric->fail("a fabric beside a graph of the whole cluster", "one of them");
  }
  take_fabric(*fabric, out.cluster, out.notes);
  out.node["sources"]["tiers." + std::to_string(out.cluster.tier_count - 1U) + ".bandwidth"] =
      "`fabric` over \"" + leaf + "\"";
}

}  // namespace

ResolvedCluster read_cluster(Reader r, const HardwareLookup& lookup) {
  r.must_be_object();
  const std::int64_t gpus = r.at("gpus").integer(1, kMostGpus);
  Draft out;
  out.node = merged_node(r, lookup);
  if (const auto given = r.find("calibration")) {
    out.calibrations = apply_calibrations(*given, lookup, out.node);
  }
  const std::int64_t graph_devices = read_merged(out, r.file(), r.path(), gpus, lookup);
  spread_evenly(out.cluster);
  put_fabric(out, r.file(), r.path(), graph_devices);
  return finished(std::move(out));
}

ResolvedCluster read_node(const Json& document, const std::string& file, std::int64_t gpus,
                          const HardwareLookup& lookup) {
  Draft out;
  out.node = with_sources_apart(document);
  put_fabric(out, file, "", read_merged(out, file, "", gpus, lookup));
  return finished(std::move(out));
}

Source source_of(const ResolvedCluster& c, const std::string& path) {
  const std::string at = canonical_path(path, *c.node);
  Source in_node = listed_source(*c.node, at);
  if (in_node.kind != SourceKind::unknown) return in_node;
  const std::string device = "device.";
  if (at.compare(0, device.size(), device) == 0) {
    return document_source(*c.device, at.substr(device.size()));
  }
  return document_source(*c.node, at);
}

}  // namespace orrery
