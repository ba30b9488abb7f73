// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover: hosts with their adapters, and the switches above them level by level.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "exchange/machine/facts.h"
#include "exchange/text_lines.h"
#include "hardware/topology/graph_algorithms.h"

namespace orrery::machine {
namespace {

struct PortSpeed {
  std::string_view name;
  double gbits;  // of four lanes, on the wire
};
constexpr std::array kPortSpeeds = {
    PortSpeed{"XDR", 800}, PortSpeed{"NDR", 400}, PortSpeed{"HDR", 200},
    PortSpeed{"EDR", 100}, PortSpeed{"FDR", 56},  PortSpeed{"FDR10", 40},
    PortSpeed{"QDR", 40},  PortSpeed{"DDR", 20},  PortSpeed{"SDR", 10}};
constexpr double kSameRate = 1.01;

// Rates of ports in Gb/s, or their number where none says a speed.
struct Switch {
  double down = 0;                        // to hosts
  std::map<std::string, double> to = {};  // other switches, by GUID
  std::set<std::string> hosts = {};
};
using Switches = std::map<std::string, Switch>;
using Hosts = std::set<std::string>;

std::string some_of(const Hosts& hosts) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t n = 0;
  for (const std::string& host : hosts) {
    if (n == kMost) return text + " and " + std::to_string(hosts.size() - kMost) + " more";
    text += (n++ == 0 ? "" : ", ") + host;
  }
  return text;
}

// "4xNDR", behind all names of the line; "" where it says none.
std::string speed_word(std::string_view line) {
  const std::size_t quote = line.rfind('"');
  for (const std::string_view word :
       words_of(line.substr(quote == std::string_view::npos ? 0 : quote + 1))) {
    const std::size_t x = word.find_first_not_of("0123456789");
    if (x != 0 && x != std::string_view::npos && word[x] == 'x' && x + 1 < word.size())
      return std::string(word);
  }
  return "";
}

// "4xNDR" is 400 Gb/s, "2xNDR" 200; 0 for one that is not known.
double gbits_of(const std::string& word) {
  constexpr double kLanes = 4;
  const std::size_t x = word.find('x');
  const auto lanes = parse_number(word.substr(0, x));
  for (const PortSpeed& s : kPortSpeeds) {
    if (lanes && std::string_view(word).substr(x + 1) == s.name) return s.gbits * *lanes / kLanes;
  }
  return 0;
}

// Adapters of a host. Training uses the speed that carries most; slower ones are of storage.
struct FabricHost {
  std::map<std::string, double> adapters = {};  // Gb/s by name, 1 without a speed

  double speed() const {
    std::map<double, double> sums;
    for (const auto& [name, gbits] : adapters) sums[gbits] += gbits;
    return std::max_element(sums.begin(), sums.end(),
                            [](const auto& a, const auto& b) {
                              return std::pair(a.second, a.first) < std::pair(b.second, b.first);
                            })
        ->first;
  }
  std::int64_t count() const {
    const double fast = speed();
    return std::count_if(adapters.begin(), adapters.end(),
                         [&](const auto& a) { return a.second == fast; });
  }
};

// Switches above the leaves that train, by level: 1 is next to a leaf.
class Levels {
 public:
  Levels(const Switches& all, const Hosts& training) : all_(all), training_(training) {
    std::vector<std::int32_t> leaves;
    for (const auto& [guid, s] : all_) {
      const auto next = static_cast<std::int32_t>(vertex_.size());
      if (trains(s)) leaves.push_back(next);
      if (trains(s) || is_between(s)) vertex_.emplace(guid, next);
    }
    for (const auto& [guid, v] : vertex_) {
      for (const auto& [other, rate] : all_.at(guid).to) {
        const auto found = vertex_.find(other);
        if (found != vertex_.end()) links_.push_back({v, found->second});
      }
    }
    level_ = hops_from(ArcGraph(vertex_.size(), links_), leaves);
  }

  std::int64_t top() const {
    return level_.empty() ? 0 : std::max(0, *std::max_element(level_.begin(), level_.end()));
  }

  // Rates down and up of all switches of a level above the leaves.
  std::pair<double, double> rates(std::int64_t level) const {
    double down = 0;
    double up = 0;
    for (const auto& [guid, v] : vertex_) {
      if (level_of(v) != level) continue;
      for (const auto& [other, rate] : all_.at(guid).to) {
        const auto found = vertex_.find(other);
        const std::int64_t at = found == vertex_.end() ? kUnreached : level_of(found->second);
        if (at != kUnreached && at < level) down += rate;
        if (at != kUnreached ? at > level : all_.count(other) == 0) up += rate;
      }
    }
    return {down, up};
  }

  // Most hosts that switches up to this level join.
  std::int64_t reach(std::int64_t level) const {
    const auto within = [&](std::int32_t v) {
      return level_of(v) != kUnreached && level_of(v) <= level;
    };
    std::vector<Ends> links;
    std::copy_if(links_.begin(), links_.end(), std::back_inserter(links),
                 [&](const Ends& l) { return within(l.a) && within(l.b); });
    const auto components = components_of(ArcGraph(vertex_.size(), links));
    std::map<std::int32_t, Hosts> joined;  // by component
    for (const auto& [guid, v] : vertex_) {
      if (!within(v)) continue;
      for (const std::string& host : all_.at(guid).hosts) {
        if (training_.count(host) > 0) joined[components[static_cast<std::size_t>(v)]].insert(host);
      }
    }
    std::size_t most = 0;
    for (const auto& [component, hosts] : joined) most = std::max(most, hosts.size());
    return static_cast<std::int64_t>(most);
  }

 private:
  bool trains(const Switch& s) const {
    return std::any_of(s.hosts.begin(), s.hosts.end(),
                       [&](const std::string& h) { return training_.count(h) > 0; });
  }

  // Not so a leaf of storage: more hosts than switches are at it.
  static bool is_between(const Switch& s) { return s.hosts.size() <= s.to.size(); }

  std::int64_t level_of(std::int32_t v) const { return level_[static_cast<std::size_t>(v)]; }

  const Switches& all_;
  const Hosts& training_;
  std::map<std::string, std::int32_t> vertex_;  // of leaves and switches between, by GUID
  std::vector<Ends> links_;
  std::vector<std::int32_t> level_;  // by vertex; kUnreached where no leaf is joined to it
};

class Discovery {
 public:
  MachineFacts read(const ForeignFile& file) {
    file_ = file.name;
    Switch* at = nullptr;
    for (const std::string_view line : lines_of(file.text)) {
      if (begins_with(line, "Switch")) at = &switches_[text_between(line, "\"S-", '"')];
      if (begins_with(line, "Ca") || begins_with(line, "Rt")) at = nullptr;
      if (begins_with(line, "[") && at != nullptr) port(line, *at);
    }
    if (hosts_.empty())
      throw InputError(file.name, "", "no switch with hosts", "ibnetdiscover of a whole fabric");
    return machine();
  }

 private:
  // [1]	"H-e09d…"[1](…) 		# "host mlx5_5" lid 647 4xNDR
  void port(std::string_view line, Switch& at) {
    const double speed = rate_of(line);
    const double rate = speed > 0 ? speed : 1;
    const std::string other = text_between(line, "\"S-", '"');
    if (!other.empty()) {
      at.to[other] += rate;
      return;
    }
    const std::string name = text_between(line, "# \"", '"');
    const std::size_t blank = name.find(' ');
    if (!contains(line, "\"H-") || contains(name, "Aggregation Node") || blank == std::string::npos)
      return;
    at.down += rate;
    // An adapter without a host's name.
    if (contains(name, "Mellanox Technologies")) return;
    at.hosts.insert(name.substr(0, blank));
    hosts_[name.substr(0, blank)].adapters[name.substr(blank + 1)] = rate;
    see_adapter(name, text_between(line, "\"H-", '"'));
  }

  double rate_of(std::string_view line) {
    const std::string word = speed_word(line);
    (word.empty() ? lacks_speeds_ : has_speeds_) = true;
    if (word.empty()) return 0;
    const double gbits = gbits_of(word);
    if (gbits == 0) unknown_.insert(word);
    return gbits;
  }

  // One name of adapters of several hosts ("localhost mlx5_0") would make them one host.
  void see_adapter(const std::string& name, const std::string& guid) {
    const auto [at, fresh] = guids_.emplace(name, guid);
    if (fresh || at->second == guid) return;
    throw InputError(file_, "", "two adapters \"" + name + "\"",
                     "hosts with names of their own, as rdma-ndd sets them");
  }

  MachineFacts machine() const {
    MachineFacts m;
    m.has_fabric = true;
    for (const std::string& word : unknown_)
      m.left.push_back({"ports of " + word, "a speed that is not known", "", true});
    if (has_speeds_ && lacks_speeds_)
      m.left.push_back({"ports without a speed", "beside others that say one", "", true});
    const Hosts training = training_hosts(m);
    m.nodes = static_cast<std::int64_t>(training.size());
    speeds(training, m);
    leaves(training, m);
    return m;
  }

  // The largest number of adapters that a quarter of all adapters has: hosts of storage and of
  // management may be more than those that train, and have fewer.
  Hosts training_hosts(MachineFacts& m) const {
    std::map<std::int64_t, std::int64_t> hosts;  // by adapters of one
    std::int64_t all = 0;
    for (const auto& [name, host] : hosts_) ++hosts[host.count()], all += host.count();
    const auto weight = [](const auto& a) { return a.first * a.second; };
    const auto most =
        std::max_element(hosts.begin(), hosts.end(),
                         [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
    m.nics = most->first;
    for (const auto& a : hosts) {
      if (4 * weight(a) >= all) m.nics = std::max(m.nics, a.first);
    }
    Hosts training;
    Hosts fewer;
    Hosts more;
    for (const auto& [name, host] : hosts_) {
      const std::int64_t n = host.count();
      (n > m.nics ? more : 2 * n < m.nics ? fewer : training).insert(name);
    }
    leave(fewer, "fewer", m);
    leave(more, "more", m);
    // A cable may be out at some, not at most.
    const std::int64_t whole = hosts.at(m.nics);
    if (static_cast<std::int64_t>(training.size()) > 2 * whole || 10 * adapters_of(more) > all) {
      m.left.push_back({std::to_string(whole) + " hosts of " + std::to_string(m.nics) +
                            " adapters beside others",
                        "the file does not say which of them train; give the lines of those", "",
                        true});
    }
    return training;
  }

  std::int64_t adapters_of(const Hosts& hosts) const {
    return std::accumulate(
        hosts.begin(), hosts.end(), std::int64_t{0},
        [&](std::int64_t sum, const auto& h) { return sum + hosts_.at(h).count(); });
  }

  static void leave(const Hosts& hosts, const std::string& what, MachineFacts& m) {
    if (hosts.empty()) return;
    m.left.push_back({std::to_string(hosts.size()) + " hosts with " + what + " than " +
                          std::to_string(m.nics) + " adapters",
                      some_of(hosts) + ": not counted as nodes"});
  }

  void speeds(const Hosts& training, MachineFacts& m) const {
    if (!has_speeds_) return;
    std::map<double, std::int64_t> counts;
    std::int64_t slower = 0;
    for (const std::string& name : training) {
      const FabricHost& host = hosts_.at(name);
      counts[host.speed()] += host.count();
      slower += static_cast<std::int64_t>(host.adapters.size()) - host.count();
    }
    if (!unknown_.empty()) return;
    m.nic_gbits = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                  })->first;
    if (slower > 0)
      m.left.push_back({std::to_string(slower) + " adapters of another speed",
                        "beside those of " + shortest(m.nic_gbits) + " Gb/s: not counted"});
    if (counts.size() > 1)
      m.left.push_back({"hosts with adapters of " + std::to_string(counts.size()) + " speeds",
                        "a cluster has nodes of one kind; give the lines of those that train", "",
                        true});
  }

  void leaves(const Hosts& training, MachineFacts& m) const {
    double down = 0;
    double up = 0;
    for (const auto& [guid, s] : switches_) {
      const std::int64_t hosts =
          std::count_if(s.hosts.begin(), s.hosts.end(),
                        [&](const std::string& h) { return training.count(h) > 0; });
      if (hosts == 0) continue;
      down += s.down;
      for (const auto& [other, rate] : s.to) up += rate;
      m.nodes_per_leaf = std::max(m.nodes_per_leaf, hosts);
    }
    if (up > 0) m.oversubscription = std::max(1.0, down / up);
    // Nothing goes up from switches that reach every host.
    if (up == 0 && m.nodes_per_leaf == m.nodes) m.oversubscription = 1;
    if (up > 0) taper(Levels(switches_, training), m);
  }

  // A level above the leaves that has less up than down, where traffic of these hosts crosses it.
  // The first one that is oversubscribed ends the pod; a fat tree of ours has no second.
  static void taper(const Levels& levels, MachineFacts& m) {
    for (std::int64_t level = 1; level <= levels.top(); ++level) {
      const auto [down, up] = levels.rates(level);
      if (up == 0 || down < kSameRate * up) continue;
      const std::string what = "switches " + std::to_string(level) + " above the leaves, " +
                               shortest(down / up) + " down for 1 up";
      const std::int64_t reach = levels.reach(level);
      if (reach == m.nodes) {
        m.left.push_back({what, "they join all " + std::to_string(m.nodes) +
                                    " nodes: no traffic of theirs goes further up"});
        return;
      }
      if (m.oversubscription > kSameRate) {
        m.left.push_back({what,
                          "beside " + shortest(m.oversubscription) +
                              " for 1 below them; a fat tree has one ratio; --assume "
                              "'cluster.fabric={\"kind\": \"fat-tree\", \"pod\": " +
                              std::to_string(m.nodes_per_leaf) + ", \"oversubscription\": " +
                              shortest(m.oversubscription * down / up) + "}' takes their product",
                          "cluster.fabric", true});
        return;
      }
      m.nodes_per_leaf = reach;
      m.oversubscription = down / up;
    }
  }

  std::string file_;
  Switches switches_;                         // by GUID
  std::map<std::string, std::string> guids_;  // of adapters, by name
  std::map<std::string, FabricHost> hosts_;
  std::set<std::string> unknown_;  // speeds
  bool has_speeds_ = false;
  bool lacks_speeds_ = false;
};

}  // namespace

MachineFacts read_ibnetdiscover(const ForeignFile& file) { return Discovery().read(file); }

}  // namespace orrery::machine
