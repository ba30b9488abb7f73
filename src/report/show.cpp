// SPDX-License-Identifier: Apache-2.0
#include "report/show.h"

#include <array>

#include "core/json.h"
#include "core/provenance.h"
#include "core/units.h"
#include "cost/operator_time.h"
#include "document/words.h"
#include "estimate/run.h"
#include "hardware/fabric.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "model/architecture_json.h"
#include "model/listed_operators.h"
#include "parallel/shard.h"
#include "report/catalog.h"

namespace orrery {
namespace {

bool is_plain_array(const Json& j) {
  if (!j.is_array()) return false;
  for (const Json& item : j) {
    if (item.is_structured()) return false;
  }
  return true;
}

// A list of a layer each is told by its beginning.
std::string value_text(const Json& value) {
  constexpr std::size_t kWidest = 60;
  if (value.is_number_float()) return brief(value);
  return value.is_array() ? shortened(bare_text(value), kWidest) : bare_text(value);
}

void add_values(const Json& document, const Json& at, const std::string& path, Table& list) {
  if (!at.is_structured() || is_plain_array(at)) {
    const std::string source = source_text(listed_source(document, path));
    list.add({path, {value_text(at), value_of(at)}, source});
    return;
  }
  std::size_t index = 0;
  for (auto it = at.begin(); it != at.end(); ++it, ++index) {
    const std::string key = at.is_object() ? it.key() : std::to_string(index);
    if (path.empty() && (key == "source" || key == "sources")) continue;
    add_values(document, it.value(), path.empty() ? key : path + "." + key, list);
  }
}

// Without a pattern, of which there are four.
constexpr std::array<const char*, kMaxLayerTypes> kLayerNames = {
    "layer", "local layer", "expert layer", "local expert layer", "", "", "", ""};

std::string size_text(const ShardedOperator& op) {
  std::string text = grouped(op.rows) + "×" + grouped(op.cols);
  if (op.inner > 0) text += "×" + grouped(op.inner);
  if (op.groups > 1) text += " ×" + grouped(op.groups);
  return text;
}

Json size_json(const ShardedOperator& op) {
  return {{"rows", op.rows}, {"columns", op.cols}, {"inner", op.inner}, {"groups", op.groups}};
}

std::string exchange_text(const Exchange& e) {
  return std::string(name_of(e.group)) + " " + std::string(name_of(e.collective));
}

// "tp all-gather →←": the same exchange in both passes is said once.
void add_exchange_text(const Exchange& e, std::vector<std::string>& texts) {
  const char* arrow = e.pass == Pass::forward ? "→" : "←";
  const std::string text = exchange_text(e);
  for (std::string& t : texts) {
    if (t.starts_with(text)) {
      t += arrow;
      return;
    }
  }
  texts.push_back(text + " " + arrow);
}

Json exchange_json(const Exchange& e) {
  return {{"group", name_of(e.group)},
          {"collective", name_of(e.collective)},
          {"pass", e.pass == Pass::forward ? "forward" : "backward"},
          {"times", e.times},
          {"buffer_bytes", e.buffer.si()}};
}

Cell exchanges_cell(const ShardedOperator& op) {
  std::vector<std::string> texts;
  Json list = Json::array();
  for (std::uint8_t i = 0; i < op.exchange_count; ++i) {
    add_exchange_text(op.exchanges[i], texts);
    list.push_back(exchange_json(op.exchanges[i]));
  }
  return {joined(texts, ", "), value_of(list)};
}

template <Dimension D>
Cell amount(Quantity<D> q) {
  return {q.si() == 0 ? "·" : pretty(q, 4), q.si()};
}

void add_block(const Run& run, const Block& block, const std::string& name, Table& list) {
  ShardedBlock sharded;
  shard(block, degrees_of(run.strategy), sharded);
  for (std::uint8_t i = 0; i < sharded.count; ++i) {
    const ShardedOperator& op = sharded.operators[i];
    list.add({name,
              name_of(op.name),
              {size_text(op), value_of(size_json(op))},
              {op.parameters == 0 ? "·" : grouped(op.parameters), op.parameters},
              amount(forward_flops(op.kind, op, op.pairs)),
              amount(kept_bytes(op, recomputed_modules(run.strategy))),
              exchanges_cell(op)});
  }
}

Cell rates_cell(const Tier& t) {
  std::string text;
  Json value = Json::object();
  for (std::size_t i = 0; i < t.group_sizes; ++i) {
    const GroupBandwidth& g = t.group_bandwidth[i];
    text += (i == 0 ? "" : ", ") + grouped(g.members) + ": " + pretty(g.bandwidth);
    value[std::to_string(g.members)] = g.bandwidth.si();
  }
  return {text.empty() ? "–" : text, value_of(value)};
}

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

Table value_list(const Json& document) {
  Table list({{"key", "path"}, {"value", "value"}, {"source", "source"}});
  add_values(document, document, "", list);
  return list;
}

std::string source_line(const Json& document) {
  const auto at = document.find("source");
  return at == document.end() ? "" : source_text(read_source(*at));
}

Table operator_list(const Run& run) {
  Table list({{"block", "block"},
              {"operator", "operator"},
              {"rows×columns×inner", "size"},
              {"parameters", "parameters", true},
              {"forward", "forward_flops", true},
              {"saved", "saved_bytes", true},
              {"exchanges", "exchanges"}});
  const ModelOperators& model = listed_operators(run.model, list_options(run));
  add_block(run, model.embedding, "embedding", list);
  for (std::size_t i = 0; i < kMaxLayerTypes; ++i) {
    const bool patterned = run.model.pattern.length > 0;
    add_block(run, model.layers[i], patterned ? layer_name(run.model, i) : kLayerNames[i], list);
  }
  add_block(run, model.head, "head", list);
  add_block(run, model.mtp, "token prediction", list);
  add_block(run, model.tower, "image layer", list);
  add_block(run, model.tower_ends, "image ends", list);
  return list;
}

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
              name_of(t.kind),
              count_cell(t.size),
              count_cell(fan_out(c, i)),
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
  std::vector<std::string> kinds;
  for (const VertexKind k : kAllOf<VertexKind>) {
    const std::int64_t n = vertices_of(g, k);
    const std::string name(name_of(k));
    report.json["vertices_" + name] = n;
    if (n > 0) kinds.push_back(grouped(n) + " " + name);
  }
  report.json["cables"] = cables_of(g);
  report.json["bisection_bytes_per_s"] = t.bisection.si();
  report.json["slowest_cut_bytes_per_s"] = Json::object();
  std::vector<std::string> cuts;
  for (const GroupBandwidth& r : t.tier.rates) {
    cuts.push_back(grouped(r.members) + " GPUs " + pretty(r.bandwidth));
    report.json["slowest_cut_bytes_per_s"][std::to_string(r.members)] = r.bandwidth.si();
  }
  report.lines = {grouped(static_cast<std::int64_t>(g.vertices.size())) + " vertices (" +
                      joined(kinds, ", ") + "), " +
                      grouped(static_cast<std::int64_t>(g.links.size())) + " links of " +
                      grouped(cables_of(g)) + " cables",
                  "half to half " + pretty(t.bisection) + ", one direction",
                  "slowest cut between a GPU and its group: " + joined(cuts, ", ")};
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
              count_cell(vertices_of(g, VertexKind::gpu)),
              count_cell(static_cast<std::int64_t>(g.links.size())),
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
              name_of(f.kind),
              count_cell(f.nodes_per_unit),
              f.nodes == 0 ? Cell("–", nullptr) : count_cell(f.nodes),
              {plain_number(f.taper), f.taper}});
  }
  return list;
}

}  // namespace orrery
