// SPDX-License-Identifier: Apache-2.0
#include "report/topology_text.h"

#include "core/units.h"
#include "document/words.h"
#include "hardware/fabric.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "report/catalog.h"

namespace orrery {
namespace {

std::string members_text(std::int64_t n) { return grouped(n); }

Cell rates_cell(const Tier& t) {
  std::string text;
  Json value = Json::object();
  for (std::size_t i = 0; i < t.group_sizes; ++i) {
    const GroupBandwidth& g = t.group_bandwidth[i];
    text += (i == 0 ? "" : ", ") + members_text(g.members) + ": " + pretty(g.bandwidth);
    value[std::to_string(g.members)] = g.bandwidth.si();
  }
  return {text.empty() ? "–" : text, value_of(value)};
}

Cell members_cell(std::int64_t n) { return {members_text(n), n}; }

struct Whole {
  GraphTier tier;
  BytesPerSecond bisection;
};

Whole whole(const TopologyGraph& g) {
  Routes routes(g);
  return {graph_tier(routes, 1, static_cast<std::int64_t>(routes.device_count())),
          half_to_half(routes)};
}

std::int64_t vertices_of(const TopologyGraph& g, VertexKind kind) {
  std::int64_t n = 0;
  for (const TopologyVertex& v : g.vertices) n += v.kind == kind ? 1 : 0;
  return n;
}

std::int64_t cables_of(const TopologyGraph& g) {
  std::int64_t n = 0;
  for (const TopologyLink& l : g.links) n += l.count;
  return n;
}

}  // namespace

Table tier_list(const Cluster& c) {
  Table list({{"tier", "tier"},
              {"kind", "kind"},
              {"devices", "devices", true},
              {"children", "children", true},
              {"a child sends", "bandwidth_bytes_per_s", true},
              {"a step", "latency_s", true},
              {"by group size", "group_bandwidth_bytes_per_s"}});
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    const Tier& t = c.tiers[i];
    list.add({std::string(t.name.view()),
              std::string(name_of(t.kind)),
              members_cell(t.size),
              members_cell(fan_out(c, i)),
              {pretty(t.bandwidth), t.bandwidth.si()},
              {pretty(t.latency), t.latency.si()},
              rates_cell(t)});
  }
  return list;
}

GraphReport graph_report(const TopologyGraph& g) {
  const Whole t = whole(g);
  GraphReport report;
  report.json = {{"vertices", g.vertices.size()}, {"links", g.links.size()}};
  report.text = members_text(static_cast<std::int64_t>(g.vertices.size())) + " vertices (";
  for (std::size_t k = 0; k < kCountOf<VertexKind>; ++k) {
    const std::int64_t n = vertices_of(g, static_cast<VertexKind>(k));
    report.json["vertices_" + std::string(kNamesOf<VertexKind>[k])] = n;
    if (n == 0) continue;
    report.text +=
        (k == 0 ? "" : ", ") + members_text(n) + " " + std::string(kNamesOf<VertexKind>[k]);
  }
  report.text += "), " + members_text(static_cast<std::int64_t>(g.links.size())) + " links of " +
                 members_text(cables_of(g)) + " cables\n";
  report.text += "half to half " + pretty(t.bisection) + ", one direction\n";
  report.json["cables"] = cables_of(g);
  report.json["bisection_bytes_per_s"] = t.bisection.si();
  report.json["slowest_cut_bytes_per_s"] = Json::object();
  report.text += "slowest cut between a GPU and its group:";
  for (const GroupBandwidth& r : t.tier.rates) {
    report.text += std::string(&r == t.tier.rates.data() ? " " : ", ") + members_text(r.members) +
                   " GPUs " + pretty(r.bandwidth);
    report.json["slowest_cut_bytes_per_s"][std::to_string(r.members)] = r.bandwidth.si();
  }
  report.text += "\n";
  return report;
}

Table graph_list(const std::vector<NamedDocument>& documents) {
  Table list({{"graph", "name"},
              {"GPUs", "gpus", true},
              {"links", "links", true},
              {"a GPU", "gpu_bytes_per_s", true},
              {"half to half", "bisection_bytes_per_s", true}});
  for (const NamedDocument& d : documents) {
    const TopologyGraph g = read_graph(Reader(d.json, d.file));
    const Whole t = whole(g);
    const BytesPerSecond rate = t.tier.rates.back().bandwidth;
    list.add({d.name,
              members_cell(vertices_of(g, VertexKind::gpu)),
              members_cell(static_cast<std::int64_t>(g.links.size())),
              {pretty(rate), rate.si()},
              {pretty(t.bisection), t.bisection.si()}});
  }
  return list;
}

Table fabric_list(const std::vector<NamedDocument>& documents) {
  Table list({{"fabric", "name"},
              {"kind", "kind"},
              {"nodes of a pod or group", "nodes_per_unit", true},
              {"nodes", "nodes", true},
              {"oversubscription or taper", "taper", true}});
  for (const NamedDocument& d : documents) {
    const Fabric f = read_fabric(Reader(d.json, d.file));
    list.add({d.name,
              std::string(name_of(f.kind)),
              members_cell(f.nodes_per_unit),
              f.nodes == 0 ? Cell("–", nullptr) : members_cell(f.nodes),
              {plain_number(f.taper), f.taper}});
  }
  return list;
}

}  // namespace orrery
