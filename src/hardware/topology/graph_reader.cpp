// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph_reader.h"

#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "hardware/device_reader.h"
#include "hardware/dimensions.h"
#include "hardware/topology/builders.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostCables = 100'000;
constexpr BytesPerSecond kFastestCable{1e14};
constexpr double kMostCapacity = 1e18;  // bytes/s of all links together

using Names = std::map<std::string, std::int32_t>;

void add_named(const Reader& r, TopologyGraph& g, Names& names, const std::string& name,
               VertexKind kind) {
  if (name.empty() || name.size() > 64 || name.find('*') != std::string::npos) {
    r.fail("a name of 1 to 64 bytes without *");
  }
  if (g.vertices.size() == kMostVertices) r.fail("too many vertices", "fewer");
  const auto next = static_cast<std::int32_t>(g.vertices.size());
  if (!names.emplace(name, next).second) r.fail("a second vertex \"" + name + "\"", "each once");
  add_vertex(g, name, kind);
}

void read_vertex(Reader r, TopologyGraph& g, Names& names) {
  const Reader at_name = r.at("name");
  const std::string name = at_name.text();
  const auto kind = r.at("kind").choice<VertexKind>();
  const auto count = r.find("count");
  r.reject_unknown();
  if (!count) return add_named(at_name, g, names, name, kind);
  const std::int64_t n = count->integer(1, static_cast<std::int64_t>(kMostVertices));
  for (std::int64_t i = 0; i < n; ++i) {
    add_named(at_name, g, names, name + std::to_string(i), kind);
  }
}

void add_matching(const Reader& r, const Names& names, std::vector<std::int32_t>& found) {
  const std::string text = r.text();
  if (!text.empty() && text.back() == '*') {
    const std::string begin = text.substr(0, text.size() - 1);
    const std::size_t before = found.size();
    for (auto at = names.lower_bound(begin);
         at != names.end() && at->first.compare(0, begin.size(), begin) == 0; ++at) {
      found.push_back(at->second);
    }
    if (found.size() > before) return;
  } else if (const auto at = names.find(text); at != names.end()) {
    found.push_back(at->second);
    return;
  }
  std::vector<std::string> known;
  for (const auto& [name, vertex] : names) {
    if (known.size() < 1000) known.push_back(name);
  }
  r.fail("the unknown vertex \"" + text + "\"", "a name of `vertices`", nearest_name(text, known));
}

std::vector<std::int32_t> ends_at(Reader& link, const char* key, const Names& names) {
  const Reader r = link.at(key);
  std::vector<std::int32_t> found;
  if (!r.json().is_array()) {
    add_matching(r, names, found);
    return found;
  }
  for (const Reader& item : r.items()) add_matching(item, names, found);
  if (found.empty()) r.fail("at least one vertex");
  return found;
}

BytesPerSecond rate_of(Reader& r) {
  const Reader at = r.at("bandwidth");
  const auto rate = at.quantity<kRate>();
  if (rate > kFastestCable) at.fail("at most 100 TB/s");
  return rate;
}

void read_link(Reader r, TopologyGraph& g, const Names& names) {
  const std::vector<std::int32_t> from = ends_at(r, "from", names);
  const std::vector<std::int32_t> to = ends_at(r, "to", names);
  const BytesPerSecond rate = rate_of(r);
  const auto count = r.find("count");
  const std::int64_t n = count ? count->integer(1, kMostCables) : 1;
  const auto latency = r.find("latency");
  const Seconds step = latency ? latency->quantity<kSeconds>(true) : Seconds();
  r.reject_unknown();
  if (from.size() * to.size() > kMostLinks - g.links.size()) r.fail("too many links", "fewer");
  for (const std::int32_t a : from) {
    for (const std::int32_t b : to) {
      if (a == b) r.fail("a link of a vertex to itself", "links between two");
      add_link(g, a, b, rate, n, step);
    }
  }
}

TopologyGraph listed_graph(Reader& r) {
  TopologyGraph g;
  Names names;
  for (const Reader& vertex : r.at("vertices").items()) read_vertex(vertex, g, names);
  for (const Reader& link : r.at("links").items()) read_link(link, g, names);
  return g;
}

void check_graph(const Reader& r, const TopologyGraph& g) {
  if (devices_of(g).size() < 2) r.fail("a graph of fewer than two GPUs", "at least two");
  double capacity = 0;
  for (const TopologyLink& l : g.links) {
    capacity += l.bandwidth.si() * static_cast<double>(l.count);
  }
  if (!(capacity <= kMostCapacity)) r.fail("links of more than 1 EB/s together", "less");
  if (const auto parted = parted_devices(g)) {
    const auto name = [&](std::int32_t v) { return g.vertices[static_cast<std::size_t>(v)].name; };
    r.fail("no path from " + name(parted->first) + " to " + name(parted->second),
           "a connected graph");
  }
}

}  // namespace

TopologyGraph read_graph(Reader r) {
  r.must_be_object();
  read_heading(r, "graph");
  if (r.has("kind") && r.has("vertices")) {
    r.fail("a kind and vertices", "one of them");
  }
  TopologyGraph g = r.has("kind") ? build_graph(r) : listed_graph(r);
  r.reject_unknown();
  check_graph(r, g);
  return g;
}

}  // namespace orrery
