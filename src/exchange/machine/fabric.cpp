// SPDX-License-Identifier: Apache-2.0
// Slurm's topology.conf and topology.yaml, and topograph's YAML.
#include <algorithm>
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

// Slurm's keys have any case.
std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

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

namespace {

// Names that are written out, of all lists of a file together: a second of work.
constexpr std::size_t kMostNames = 1'000'000;

std::vector<std::string> items_of(const std::string& inside) {
  std::vector<std::string> items;
  for (const std::string_view item : fields_of(inside, ',')) {
    const std::string_view from = item.substr(0, item.find('-'));
    const std::int64_t n = count_range(item);
    const auto first = parse_number(std::string(from));
    if (n <= 1 || !first) {
      items.emplace_back(from);
      continue;
    }
    for (std::int64_t i = 0; i < n && items.size() < kMostNames; ++i) {
      std::string number = std::to_string(static_cast<std::int64_t>(*first) + i);
      if (number.size() < from.size()) number.insert(0, from.size() - number.size(), '0');
      items.push_back(std::move(number));
    }
  }
  return items;
}

// "n[01-03]" is n01, n02, n03.
std::vector<std::string> names_in_list(const std::string& host) {
  std::vector<std::string> names = {""};
  for (std::size_t at = 0; at < host.size();) {
    const std::size_t open = std::min(host.find('[', at), host.size());
    const std::size_t close = std::min(host.find(']', open), host.size());
    const std::string plain = host.substr(at, open - at);
    const bool bracket = open < host.size();
    const std::vector<std::string> items =
        bracket ? items_of(host.substr(open + 1, close - open - 1)) : std::vector<std::string>{""};
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& item : items) {
        if (longer.size() < kMostNames) longer.push_back(name + plain + item);
      }
    }
    names = std::move(longer);
    at = bracket ? close + 1 : open;
  }
  return names;
}

// Hosts of several lists: one that is in two of them, at a switch of each of its rails, counts
// once.
class HostNames {
 public:
  void add(const std::string& list) {
    std::int64_t depth = 0;
    std::string host;
    for (const char c : list + ",") {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c != ',' || depth > 0) {
        host += c;
        continue;
      }
      if (!host.empty()) add_host(host);
      host.clear();
    }
  }

  std::int64_t count() const {
    return std::min(static_cast<std::int64_t>(names_.size()) + unnamed_, kMostHosts);
  }

 private:
  void add_host(const std::string& host) {
    const std::int64_t n = count_hosts(host);
    if (n > static_cast<std::int64_t>(kMostNames) - written_) {
      unnamed_ = std::min(unnamed_ + n, kMostHosts);
      return;
    }
    written_ += n;
    for (std::string& name : names_in_list(host)) names_.insert(std::move(name));
  }

  std::set<std::string> names_;
  std::int64_t written_ = 0;  // names, with those that came again
  std::int64_t unnamed_ = 0;
};

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
  HostNames hosts;
  const auto read = [&](const char* path, std::int64_t& group) {
    if (chosen == nullptr) return;
    for (const Json& part : value_at(*chosen, path)) {
      const Json& nodes = value_at(part, "nodes");
      const std::int64_t n = nodes.is_string() ? count_hosts(nodes.get<std::string>()) : 0;
      if (n > 0) hosts.add(nodes.get<std::string>());
      group = std::max(group, n);
    }
  };
  read("tree.switches", m.nodes_per_leaf);
  read("block.blocks", m.nodes_per_domain);
  m.nodes = hosts.count();
  if (m.nodes == 0)
    throw InputError(file.name, "", "no switch or block with nodes",
                     "tree: {switches: [{switch, nodes}]} or block: {blocks: [{block, nodes}]}");
  return m;
}

// A backslash at its end continues a line.
std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  bool open = false;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view part = open ? trimmed(line) : line;
    const bool goes_on = part.ends_with('\\');
    if (!open) lines.emplace_back();
    lines.back() += goes_on ? part.substr(0, part.size() - 1) : part;
    open = goes_on;
  }
  return lines;
}

}  // namespace

MachineFacts read_slurm(const ForeignFile& file) {
  if (contains(file.text, "- topology:")) return read_slurm_yaml(file);
  MachineFacts m;
  m.has_fabric = true;
  HostNames hosts;
  for (const std::string& raw : whole_lines(file.text)) {
    const std::string line = lower(trimmed(raw));
    if (line.empty() || line.front() == '#') continue;
    const std::string nodes = text_between(line, "nodes=", ' ');
    if (nodes.empty()) continue;
    const std::int64_t n = count_hosts(nodes);
    hosts.add(nodes);
    const bool block = begins_with(line, "blockname=");
    std::int64_t& group = block ? m.nodes_per_domain : m.nodes_per_leaf;
    group = std::max(group, n);
  }
  m.nodes = hosts.count();
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
    // A list of them with their names, or by name.
    const Json& switches = value_at(all_, "switches");
    for (const auto& [key, s] : switches.items()) {
      if (s.is_object()) see_switch(s, switches.is_object() ? key : text_of(value_at(s, "name")));
    }
    for (const char* key : {"blocks", "capacity_blocks"}) {
      const Json& blocks = value_at(all_, key);
      if (!blocks.is_array() && !blocks.is_object()) continue;
      for (const auto& [name, block] : blocks.items()) {
        if (block.is_object())
          see_block(block, blocks.is_object() ? name : text_of(value_at(block, "name")));
      }
    }
    for (const auto& [name, n] : leaves_) m_.nodes_per_leaf = std::max(m_.nodes_per_leaf, n);
    for (const auto& [name, n] : domains_) m_.nodes_per_domain = std::max(m_.nodes_per_domain, n);
    m_.has_fabric = true;
    return m_;
  }

 private:
  void see_switch(const Json& s, const std::string& name) {
    for (const Json& block : value_at(s, "capacity_blocks")) switch_of_[text_of(block)] = name;
    const Json& nodes = value_at(s, "nodes");
    if (nodes.is_array()) add(hosts_in(nodes), name);
  }

  void see_block(const Json& block, const std::string& name) {
    see_family(text_of(value_at(block, "type")));
    const std::int64_t n = hosts_in(value_at(block, "nodes"));
    const std::string leaf = text_of(value_at(block, "switch"));
    const auto listed = switch_of_.find(name);
    add(n, leaf.empty() && listed != switch_of_.end() ? listed->second : leaf);
    const std::string domain = text_of(value_at(block, "nvlink"));
    if (!domain.empty()) domains_[domain] += n;
    const Json& notes = value_at(block, "annotations");
    if (!notes.is_object()) return;
    for (const auto& [key, value] : notes.items()) {
      if (contains(key, "domain") && value.is_string()) domains_[text_of(value)] += n;
    }
  }

  // Blocks of two kinds of GPU are no cluster of one node.
  void see_family(const std::string& family) {
    if (family.empty() || family == m_.family) return;
    if (!m_.family.empty()) {
      m_.left.push_back({"blocks of " + m_.family + " and " + family,
                         "a cluster has nodes of one kind; give the blocks of one", "", true});
    }
    m_.family = family;
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
