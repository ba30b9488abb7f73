// SPDX-License-Identifier: Apache-2.0
#include "parallel/placement_json.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/json.h"

namespace orrery {
namespace {

using List = std::vector<std::int64_t>;

struct Bounds {
  const char* what;
  std::int64_t places;
  std::size_t most;  // entries beyond which reading stops
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::int64_t whole(const Reader& r, std::string_view text) {
  text = trimmed(text);
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || n < 0) {
    r.fail("\"" + std::string(text) + "\"", "whole numbers and ranges such as \"0-3, 8\"");
  }
  return n;
}

void append(const Reader& r, std::int64_t first, std::int64_t last, const Bounds& b, List& list) {
  for (const std::int64_t n : {first, last}) {
    if (n >= 0 && n < b.places) continue;
    r.fail(b.what + (" " + std::to_string(n)), "0 to " + std::to_string(b.places - 1));
  }
  if (last < first) {
    r.fail("the range " + std::to_string(first) + "-" + std::to_string(last), "one that rises");
  }
  for (std::int64_t n = first; n <= last && list.size() <= b.most; ++n) list.push_back(n);
}

void append_text(const Reader& r, std::string_view text, const Bounds& b, List& list) {
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const std::int64_t first = whole(r, part.substr(0, dash));
    const bool single = dash == std::string_view::npos;
    append(r, first, single ? first : whole(r, part.substr(dash + 1)), b, list);
    if (comma == text.size()) return;
    text.remove_prefix(comma + 1);
  }
}

List read_list(const Reader& r, const Bounds& b) {
  List list;
  if (r.json().is_string()) {
    append_text(r, r.text(), b, list);
  } else if (r.json().is_array()) {
    for (const Reader& item : r.items()) {
      if (item.json().is_string()) {
        append_text(item, item.text(), b, list);
      } else {
        const std::int64_t n = item.integer(0, std::int64_t{1} << 40);
        append(item, n, n, b, list);
      }
    }
  } else {
    r.fail("a list, ranges as text, {\"nodes\": …} or {\"policy\": …}");
  }
  return list;
}

void check_once(const Reader& r, const List& list, const Bounds& b) {
  std::unordered_map<std::int64_t, std::size_t> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [at, is_new] = seen.emplace(list[i], i);
    if (is_new) continue;
    r.fail(b.what + (" " + std::to_string(list[i])) + " twice, at " + std::to_string(at->second) +
               " and " + std::to_string(i),
           "each once");
  }
}

void check_count(const Reader& r, std::size_t found, std::int64_t wanted, const Bounds& b) {
  if (static_cast<std::int64_t>(found) == wanted) return;
  const std::string n =
      found > b.most ? "more than " + std::to_string(wanted) : std::to_string(found);
  r.fail(n + " " + b.what + (found == 1 ? "" : "s"), std::to_string(wanted) + ", as the run has");
}

List devices_of_nodes(const List& nodes, const Cluster& c) {
  List devices;
  for (const std::int64_t node : nodes) {
    for (std::int64_t d = 0; d < c.devices_per_node; ++d) {
      if (static_cast<std::int64_t>(devices.size()) == c.gpus) return devices;
      devices.push_back(node * c.devices_per_node + d);
    }
  }
  return devices;
}

List nodes_of_policy(const Reader& r, const PolicyChoice& choice, const Cluster& c) {
  const std::optional<FabricPods> pods = pods_of(c);
  if (!pods) {
    r.fail("a policy where nodes have no pods", "cluster.fabric beside it, or nodes by number");
  }
  return nodes_by_policy(choice, node_count(c), *pods);
}

List listed_devices(Reader& r, const Cluster& c) {
  const std::int64_t places =
      std::min<std::int64_t>(place_count(c), std::numeric_limits<std::int32_t>::max());
  if (const std::optional<PolicyChoice> choice = read_policy(r)) {
    return devices_of_nodes(nodes_of_policy(r, *choice, c), c);
  }
  if (r.json().is_object()) {
    const std::int64_t wanted = node_count(c);
    const Bounds b{"node", places / c.devices_per_node, static_cast<std::size_t>(wanted)};
    const Reader at = r.at("nodes");
    r.reject_unknown();
    const List nodes = read_list(at, b);
    check_once(at, nodes, b);
    check_count(at, nodes.size(), wanted, b);
    return devices_of_nodes(nodes, c);
  }
  const Bounds b{"device", places, static_cast<std::size_t>(c.gpus)};
  const List devices = read_list(r, b);
  check_once(r, devices, b);
  check_count(r, devices.size(), c.gpus, b);
  return devices;
}

using DeviceList = std::vector<std::int32_t>;

// Whether the ranks that fill a unit in order still fill one.
bool keeps_units(const DeviceList& devices, std::int64_t size) {
  for (std::size_t r = 0; r < devices.size(); ++r) {
    const std::size_t first = r - r % static_cast<std::size_t>(size);
    if (devices[r] / size != devices[first] / size) return false;
  }
  return true;
}

bool is_in_order(const DeviceList& devices, const Cluster& c) {
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
    if (!keeps_units(devices, c.tiers[i].size)) return false;
  }
  return true;
}

}  // namespace

RankDevices read_placement(Reader r, const Cluster& c) {
  const List devices = listed_devices(r, c);
  return std::make_shared<const DeviceList>(devices.begin(), devices.end());
}

std::optional<PolicyChoice> read_policy(Reader r) {
  if (!r.json().is_object()) return {};
  const std::optional<Reader> policy = r.find("policy");
  if (!policy) return {};
  PolicyChoice choice;
  choice.policy = policy->choice<NodePolicy>();
  if (const std::optional<Reader> seed = r.find("seed")) {
    if (choice.policy != NodePolicy::random) seed->fail("nothing: the policy is not random");
    choice.seed = static_cast<std::uint64_t>(seed->integer(0, std::int64_t{1} << 53));
  }
  r.reject_unknown();
  return choice;
}

std::optional<FabricPods> pods_of(const Cluster& c) {
  if (c.tier_count < 2) return {};
  const std::int64_t unit = c.tiers[c.tier_count - 2U].size;
  if (unit <= c.devices_per_node) return {};
  return FabricPods{place_count(c) / c.devices_per_node, unit / c.devices_per_node};
}

std::vector<std::int64_t> nodes_used(const Cluster& c) {
  std::vector<std::int64_t> nodes;
  for (std::int64_t rank = 0; rank < c.gpus; ++rank) {
    const std::int64_t node = device_of(c, rank) / c.devices_per_node;
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

RankDevices out_of_order(RankDevices listed, const Cluster& c) {
  return is_in_order(*listed, c) ? nullptr : std::move(listed);
}

}  // namespace orrery
