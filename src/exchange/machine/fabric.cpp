// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover, Slurm's topology.conf and topograph's YAML.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/machine/machine.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::machine {
namespace {

constexpr std::int64_t kMostHosts = 10'000'000;

struct Speed {
  std::string_view name;
  double gbits;  // of four lanes
};
constexpr std::array kSpeeds = {Speed{"XDR", 800}, Speed{"NDR", 400}, Speed{"HDR", 200},
                                Speed{"EDR", 100}, Speed{"FDR", 56},  Speed{"QDR", 40}};

std::string between(std::string_view line, std::string_view open, char close) {
  const std::size_t a = line.find(open);
  if (a == std::string_view::npos) return "";
  const std::size_t b = line.find(close, a + open.size());
  return std::string(
      line.substr(a + open.size(), b == std::string_view::npos ? b : b - a - open.size()));
}

// Slurm's keys have any case.
std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Rates of a switch's ports, in Gb/s: to hosts, and to other switches.
struct Leaf {
  double down = 0;
  double up = 0;
  std::set<std::string> hosts = {};
};

class Discovery {
 public:
  MachineFacts read(const ForeignFile& file) {
    file_ = file.name;
    for (const std::string_view line : lines_of(file.text)) {
      if (begins_with(line, "Switch")) switches_.emplace_back(), in_switch_ = true;
      if (begins_with(line, "Ca") || begins_with(line, "Rt")) in_switch_ = false;
      if (begins_with(line, "[") && in_switch_ && !switches_.empty()) port(line);
    }
    if (rails_.empty()) {
      throw InputError(file.name, "", "no switch with hosts", "ibnetdiscover of a whole fabric");
    }
    return machine();
  }

 private:
  // [1]	"H-e09d…"[1](…) 		# "host mlx5_5" lid 647 4xNDR; 2xHDR is half of
  // 4xHDR.
  void port(std::string_view line) {
    Leaf& leaf = switches_.back();
    const double speed = speed_of(line);
    const double rate = speed > 0 ? speed : 1;
    if (contains(line, "\"S-")) {
      leaf.up += rate;
      return;
    }
    const std::string name = between(line, "# \"", '"');
    const std::size_t blank = name.find(' ');
    if (!contains(line, "\"H-") || contains(name, "Aggregation Node") || blank == std::string::npos)
      return;
    leaf.down += rate;
    // An adapter without a host's name.
    if (contains(name, "Mellanox Technologies")) return;
    leaf.hosts.insert(name.substr(0, blank));
    rails_[name.substr(0, blank)].insert(name.substr(blank + 1));
    see_adapter(name, between(line, "\"H-", '"'));
    if (speed > 0) ++speeds_[speed];
  }

  // One name of adapters of several hosts ("localhost mlx5_0") would make them one host.
  void see_adapter(const std::string& name, const std::string& guid) {
    const auto [at, fresh] = adapters_.emplace(name, guid);
    if (fresh || at->second == guid) return;
    throw InputError(file_, "", "two adapters \"" + name + "\"",
                     "hosts with names of their own, as rdma-ndd sets them");
  }

  // "4xNDR" is 400 Gb/s, "2xNDR" 200.
  static double speed_of(std::string_view line) {
    constexpr double kLanes = 4;
    for (const Speed& s : kSpeeds) {
      const std::size_t at = line.rfind(std::string("x") + std::string(s.name));
      if (at == std::string_view::npos || at == 0) continue;
      const std::size_t digits = line.find_last_not_of("0123456789", at - 1) + 1;
      const auto lanes = parse_number(std::string(line.substr(digits, at - digits)));
      return lanes ? s.gbits * *lanes / kLanes : s.gbits;
    }
    return 0;
  }

  MachineFacts machine() const {
    MachineFacts m;
    m.has_fabric = true;
    std::map<std::size_t, std::int64_t> counts;
    for (const auto& [host, names] : rails_) ++counts[names.size()];
    m.nics = static_cast<std::int64_t>(most_common(counts));
    // Hosts of storage and management have fewer adapters.
    const auto trains = [&](const std::string& host) {
      return 2 * static_cast<std::int64_t>(rails_.at(host).size()) >= m.nics;
    };
    for (const auto& [host, names] : rails_) m.nodes += trains(host) ? 1 : 0;
    m.nic_gbits = speeds_.empty() ? 0 : most_common(speeds_);
    double down = 0;
    double up = 0;
    for (const Leaf& leaf : switches_) {
      if (leaf.hosts.empty()) continue;
      down += leaf.down;
      up += leaf.up;
      m.nodes_per_leaf = std::max<std::int64_t>(
          m.nodes_per_leaf, std::count_if(leaf.hosts.begin(), leaf.hosts.end(), trains));
    }
    if (up > 0) m.oversubscription = std::max(1.0, down / up);
    // Nothing goes up from switches that reach every host.
    if (up == 0 && m.nodes_per_leaf == m.nodes) m.oversubscription = 1;
    return m;
  }

  template <class K>
  static K most_common(const std::map<K, std::int64_t>& counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  std::string file_;
  std::vector<Leaf> switches_;
  bool in_switch_ = false;
  std::map<std::string, std::string> adapters_;         // name to GUID
  std::map<std::string, std::set<std::string>> rails_;  // by host
  std::map<double, std::int64_t> speeds_;
};

// "1-3" is 3, "7" is 1.
std::int64_t count_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return 1;
  const auto a = parse_number(std::string(text.substr(0, dash)));
  const auto b = parse_number(std::string(text.substr(dash + 1)));
  if (!a || !b || *b < *a || *b - *a > static_cast<double>(kMostHosts)) return 1;
  return static_cast<std::int64_t>(*b - *a) + 1;
}

}  // namespace

std::int64_t count_hosts(const std::string& list) {
  std::int64_t total = 0;
  std::int64_t product = 1;
  std::int64_t inside = 0;
  std::string item;
  bool bracket = false;
  const auto flush = [&] {
    if (bracket) inside += count_range(item);
    item.clear();
  };
  for (const char c : list + ",") {
    if (c == '[') {
      item.clear();
      bracket = true;
      inside = 0;
    } else if (c == ']') {
      flush();
      bracket = false;
      product = std::min(product * std::max<std::int64_t>(inside, 1), kMostHosts);
      item.assign(1, c);
    } else if (c == ',' && !bracket) {
      if (!item.empty()) total = std::min(total + product, kMostHosts);
      product = 1;
      item.clear();
    } else if (c == ',') {
      flush();
    } else {
      item += c;
    }
  }
  return total;
}

MachineFacts read_ibnetdiscover(const ForeignFile& file) { return Discovery().read(file); }

namespace {

// Slurm's topology.yaml, since 25.05: topologies with a tree of switches or with blocks; that of
// the whole cluster counts, else the first.
MachineFacts read_slurm_yaml(const ForeignFile& file) {
  const Json all = read_yaml(file.text, file.name);
  MachineFacts m;
  m.has_fabric = true;
  const Json* chosen = nullptr;
  for (const Json& one : all) {
    if (!one.is_object()) continue;
    if (chosen == nullptr || value_at(one, "cluster_default") == true) chosen = &one;
  }
  const auto read = [&](const char* path, std::int64_t& group) {
    if (chosen == nullptr) return;
    for (const Json& part : value_at(*chosen, path)) {
      const Json& nodes = value_at(part, "nodes");
      const std::int64_t n = nodes.is_string() ? count_hosts(nodes.get<std::string>()) : 0;
      m.nodes = std::min(m.nodes + n, kMostHosts);
      group = std::max(group, n);
    }
  };
  read("tree.switches", m.nodes_per_leaf);
  read("block.blocks", m.nodes_per_domain);
  if (m.nodes == 0)
    throw InputError(file.name, "", "no switch or block with nodes",
                     "tree: {switches: [{switch, nodes}]} or block: {blocks: [{block, nodes}]}");
  return m;
}

}  // namespace

MachineFacts read_slurm(const ForeignFile& file) {
  if (contains(file.text, "- topology:")) return read_slurm_yaml(file);
  MachineFacts m;
  m.has_fabric = true;
  for (const std::string_view raw : lines_of(file.text)) {
    const std::string line = lower(trimmed(raw));
    if (line.empty() || line.front() == '#') continue;
    const std::string nodes = between(line, "nodes=", ' ');
    if (nodes.empty()) continue;
    const std::int64_t n = count_hosts(nodes);
    m.nodes = std::min(m.nodes + n, kMostHosts);
    const bool block = begins_with(line, "blockname=");
    std::int64_t& group = block ? m.nodes_per_domain : m.nodes_per_leaf;
    group = std::max(group, n);
  }
  if (m.nodes == 0)
    throw InputError(file.name, "",
                     "no line with Nodes=", "SwitchName=… Nodes=… or BlockName=… Nodes=…");
  return m;
}

namespace {

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::int64_t hosts_in(const Json& list) {
  std::int64_t n = 0;
  for (const Json& node : list) n += count_hosts(node.is_number() ? node.dump() : text_of(node));
  return n;
}

// Blocks that say their switch, or older ones that a switch lists by name.
class Topograph {
 public:
  explicit Topograph(const Json& all) : all_(all) {}

  MachineFacts read() {
    for (const Json& s : value_at(all_, "switches")) see_switch(s);
    for (const char* key : {"blocks", "capacity_blocks"}) {
      const Json& blocks = value_at(all_, key);
      if (!blocks.is_array()) continue;
      for (const Json& block : blocks) see_block(block);
    }
    for (const auto& [name, n] : leaves_) m_.nodes_per_leaf = std::max(m_.nodes_per_leaf, n);
    for (const auto& [name, n] : domains_) m_.nodes_per_domain = std::max(m_.nodes_per_domain, n);
    m_.has_fabric = true;
    return m_;
  }

 private:
  void see_switch(const Json& s) {
    if (!s.is_object()) return;
    const std::string name = text_of(value_at(s, "name"));
    for (const Json& block : value_at(s, "capacity_blocks")) switch_of_[text_of(block)] = name;
    const Json& nodes = value_at(s, "nodes");
    if (nodes.is_array()) add(hosts_in(nodes), name);
  }

  void see_block(const Json& block) {
    const std::int64_t n = hosts_in(value_at(block, "nodes"));
    const std::string leaf = text_of(value_at(block, "switch"));
    const auto listed = switch_of_.find(text_of(value_at(block, "name")));
    add(n, leaf.empty() && listed != switch_of_.end() ? listed->second : leaf);
    const std::string domain = text_of(value_at(block, "nvlink"));
    if (!domain.empty()) domains_[domain] += n;
    const Json& notes = value_at(block, "annotations");
    if (!notes.is_object()) return;
    for (const auto& [name, value] : notes.items()) {
      if (contains(name, "domain") && value.is_string()) domains_[text_of(value)] += n;
    }
  }

  void add(std::int64_t n, const std::string& leaf) {
    m_.nodes = std::min(m_.nodes + n, kMostHosts);
    leaves_[leaf] += n;
  }

  const Json& all_;
  MachineFacts m_;
  std::map<std::string, std::string> switch_of_;  // by block
  std::map<std::string, std::int64_t> domains_;
  std::map<std::string, std::int64_t> leaves_;
};

}  // namespace

MachineFacts read_topograph(const ForeignFile& file) {
  const Json all = read_yaml(file.text, file.name);
  const MachineFacts m = Topograph(all).read();
  if (m.nodes == 0)
    throw InputError(file.name, "", "no block with nodes", "blocks: [{switch, nodes}]");
  return m;
}

}  // namespace orrery::machine
