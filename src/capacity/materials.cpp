// SPDX-License-Identifier: Apache-2.0
#include "capacity/materials.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/divide.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr const char* kSwitchKey = "`materials.switch`";

// The network of the hosts of a node.
struct HostNetwork {
  const Tier* tier = nullptr;
  std::int64_t cards = 0;  // of a host
  BytesPerSecond rate{};   // of a card
};

HostNetwork host_network(const Cluster& c) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    const Tier& t = c.tiers[i];
    if (!is_fabric(t.kind)) continue;
    const std::int64_t unit = i == 0 ? 1 : c.tiers[i - 1].size;
    const auto cards = static_cast<std::int64_t>(std::llround(1 / t.rank_share));
    // Cards of a rack are those of its hosts.
    const std::int64_t hosts = std::max<std::int64_t>(1, unit / devices_of_system(c));
    return {&t, cards / hosts, t.bandwidth * t.rank_share};
  }
  return {};
}

std::optional<SwitchKind> switch_kind(TierKind k) {
  switch (k) {
    case TierKind::infiniband:
      return SwitchKind::infiniband;
    case TierKind::roce:
    case TierKind::ethernet:
      return SwitchKind::ethernet;
    case TierKind::nvswitch:
    case TierKind::nvlink_mesh:
    case TierKind::xgmi:
    case TierKind::pcie:
    case TierKind::socket:
    case TierKind::slingshot:
    case TierKind::omnipath:
    case TierKind::efa:
    case TierKind::other:
      return {};
  }
  return {};
}

std::int64_t ports_at(const NetworkSwitch& s, BytesPerSecond rate) {
  constexpr double kSame = 1e-6;
  for (const SwitchMode& m : s.modes) {
    if (std::abs(m.rate / rate - 1) < kSame) return m.ports;
  }
  return 0;
}

struct ChosenSwitch {
  const NetworkSwitch* of = nullptr;
  std::int64_t ports = 0;
  bool assumed = false;
};

ChosenSwitch chosen_switch(const MaterialsPlan& plan, const HostNetwork& net, BytesPerSecond rate) {
  if (plan.given) return {&*plan.given, ports_at(*plan.given, rate), false};
  const std::optional<SwitchKind> kind = switch_kind(net.tier->kind);
  for (const NetworkSwitch& s : plan.known) {
    if (!kind || s.kind != *kind) continue;
    if (const std::int64_t ports = ports_at(s, rate); ports > 0) return {&s, ports, true};
  }
  return {};
}

std::string rate_text(BytesPerSecond rate) {
  return std::to_string(std::llround(rate.si() * 8 / 1e9)) + " Gb/s";
}

class MaterialsBill {
 public:
  MaterialsBill(const MaterialsPlan& plan, const MaterialsNeeds& needs)
      : plan_(plan), needs_(needs) {}

  std::vector<MaterialLine> lines() {
    add_compute();
    add_network();
    add_storage();
    add_power();
    add_questions();
    return std::move(lines_);
  }

 private:
  const Cluster& cluster() const { return needs_.cluster; }
  std::int64_t hosts() const {
    return needs_.nodes * (devices_of_node(cluster()) / devices_of_system(cluster()));
  }

  MaterialLine& add(MaterialGroup group, std::string part, std::string item, Amount amount,
                    std::string basis) {
    MaterialLine line{group, std::move(part), std::move(item), amount, std::move(basis), {}};
    if (needs_.parts != nullptr) {
      const auto price = needs_.parts->find(line.part);
      if (price != needs_.parts->end()) line.each = price->second.value;
    }
    lines_.push_back(std::move(line));
    return lines_.back();
  }

  void add_compute() {
    const std::string name(cluster().node.view());
    const bool rack = is_rack(cluster());
    const std::string basis = std::to_string(node_count(cluster())) + " for the run, " +
                              std::to_string(needs_.spares) + (rack ? " spare trays" : " spare");
    MaterialLine& node = add(MaterialGroup::compute, name, name + (rack ? " (rack)" : " (node)"),
                             needs_.nodes, basis);
    if (!node.each) node.each = needs_.node;
    add(MaterialGroup::compute, "", std::string(cluster().device.name.view()) + " in them",
        needs_.nodes * devices_of_node(cluster()), std::to_string(cluster().gpus) + " of the run");
    add(MaterialGroup::compute, "", rack ? "spare trays in them" : "spare nodes in them",
        needs_.spares, "the wait for a repair stays below 0.1 % of the time, or as given");
    add_racks(rack);
  }

  void add_racks(bool rack) {
    if (rack) {
      add(MaterialGroup::compute, "", "racks of GPUs", needs_.nodes, "each node is a rack");
      nodes_of_rack_ = 1;
      return;
    }
    std::int64_t each = plan_.nodes_per_rack;
    std::string basis = "`materials.nodes_per_rack` " + std::to_string(each);
    if (each == 0 && plan_.rack_power > Watts() && cluster().node_power > Watts()) {
      each = static_cast<std::int64_t>(plan_.rack_power / cluster().node_power);
      basis = std::to_string(each) + " nodes of " + pretty(cluster().node_power, 3) + " in " +
              pretty(plan_.rack_power, 3);
    }
    nodes_of_rack_ = each;
    if (each > 0) {
      add(MaterialGroup::compute, "rack", "racks of nodes", divided_up(needs_.nodes, each), basis);
    } else {
      add(MaterialGroup::compute, "rack", "racks of nodes", {},
          "give `materials.rack_power` of at least a node's, or `materials.nodes_per_rack`");
    }
  }

  void add_network() {
    const HostNetwork net = host_network(cluster());
    if (hosts() <= 1) return;
    if (net.tier == nullptr) {
      add(MaterialGroup::network, "", "switches", {}, "the node names no network between nodes");
      return;
    }
    add(MaterialGroup::network, "", "network ports of hosts", hosts() * net.cards,
        std::to_string(net.cards) + " of " + rate_text(net.rate) + " a host");
    const BytesPerSecond rate = net.rate / static_cast<double>(plan_.shape.planes);
    const ChosenSwitch chosen = chosen_switch(plan_, net, rate);
    if (chosen.ports == 0) {
      add(MaterialGroup::network, "", "switches", {}, no_ports_of(rate));
      return;
    }
    const FabricCount count = count_fabric({hosts(), net.cards}, chosen.ports, plan_.shape);
    if (!count.fits) {
      add(MaterialGroup::network, "", "switches", {},
          "three tiers of " + std::to_string(chosen.ports) + " ports do not reach so many hosts");
      return;
    }
    add_switches(chosen, count, rate);
    add_links(count);
  }

  std::string no_ports_of(BytesPerSecond rate) const {
    const std::string wanted = "ports of " + rate_text(rate);
    if (!plan_.given) return "no switch with " + wanted + " is known: give " + kSwitchKey;
    std::string has;
    for (const SwitchMode& m : plan_.given->modes) {
      has += (has.empty() ? "" : ", ") + rate_text(m.rate);
    }
    return plan_.given->name + " has no " + wanted + ", only of " + has + ": give another " +
           kSwitchKey + ", or `materials.planes`";
  }

  void add_switches(const ChosenSwitch& s, const FabricCount& count, BytesPerSecond rate) {
    const std::string name = s.of->name;
    const std::string design =
        std::string(name_of(plan_.shape.topology)) +
        (plan_.shape.planes > 1 ? ", " + std::to_string(plan_.shape.planes) + " planes" : "");
    const std::string ports =
        std::to_string(s.ports) + " ports of " + rate_text(rate) +
        (s.assumed ? std::string("; the switch is assumed, ") + kSwitchKey + " names another" : "");
    add(MaterialGroup::network, name, name + " (leaf)", count.leaves, design + ": " + ports);
    if (count.spines > 0) {
      add(MaterialGroup::network, name, name + " (spine)", count.spines,
          "all links of the leaves upwards");
    }
    if (count.cores > 0) {
      add(MaterialGroup::network, name, name + " (core)", count.cores,
          "all links of the spines upwards");
    }
    switch_power_ = s.of->power * static_cast<double>(switches_of(count));
    has_switches_ = true;
  }

  void add_links(const FabricCount& count) {
    add(MaterialGroup::network, "link", "links, hosts to leaves", count.host_links,
        "a cable of two ports joins two");
    if (count.leaf_links > 0) {
      add(MaterialGroup::network, "link", "links, leaves to spines", count.leaf_links,
          "between switches");
    }
    if (count.core_links > 0) {
      add(MaterialGroup::network, "link", "links, spines to cores", count.core_links,
          "between switches");
    }
    add(MaterialGroup::network, "transceiver", "ends of links", 2 * links_of(count),
        "a transceiver each where the link is optical, none where it is copper");
  }

  void add_storage() {
    add(MaterialGroup::storage, "", "storage, capacity", needs_.stored,
        "the data set and the checkpoints that are kept");
    add(MaterialGroup::storage, "", "storage, write rate",
        needs_.write > BytesPerSecond() ? Amount(needs_.write) : Amount(),
        needs_.write > BytesPerSecond()
            ? "checkpoints stop training for at most 1 % of the time"
            : "no rates of failures and no interval say how often a checkpoint is written");
    add(MaterialGroup::storage, "", "storage, read rate", needs_.read, "the data set");
  }

  void add_power() {
    const Watts rated = cluster().node_power * static_cast<double>(needs_.nodes);
    const bool known = cluster().node_power > Watts();
    add(MaterialGroup::power, "", "nodes, rated power", known ? Amount(rated) : Amount(),
        known ? "spares included" : "the node's file has no `power`");
    const bool has_rack = known && nodes_of_rack_ > 0;
    add(MaterialGroup::power, "", "a full rack, rated power",
        has_rack ? Amount(cluster().node_power * static_cast<double>(nodes_of_rack_)) : Amount(),
        has_rack ? "to feed and to cool" : "the nodes of a rack or their power are not known");
    if (has_switches_) {
      const bool stated = switch_power_ > Watts();
      add(MaterialGroup::power, "", "switches, power", stated ? Amount(switch_power_) : Amount(),
          stated ? "without transceivers" : "the switch's file has no `power`");
    }
    const bool all = !has_switches_ || switch_power_ > Watts();
    add(MaterialGroup::power, "", "heat to remove",
        known ? Amount(rated + switch_power_) : Amount(),
        all ? "what nodes and switches draw at most" : "what nodes draw at most; without switches");
    add(MaterialGroup::power, "", "facility, at most", needs_.facility,
        "by the loads of the training, times PUE");
  }

  void add_questions() {
    for (const char* const item :
         {"network of the storage", "management network and servers", "power distribution",
          "cooling, by air or liquid", "building", "staff", "lead time"}) {
      add(MaterialGroup::to_ask, "", item, {}, "not counted: ask for an offer");
    }
  }

  const MaterialsPlan& plan_;
  const MaterialsNeeds& needs_;
  std::vector<MaterialLine> lines_;
  Watts switch_power_{};
  bool has_switches_ = false;
  std::int64_t nodes_of_rack_ = 0;  // 0: not known
};

}  // namespace

std::optional<Money> price_of(const MaterialLine& line) {
  const auto* count = std::get_if<std::int64_t>(&line.amount);
  if (!line.each || count == nullptr) return {};
  return *line.each * static_cast<double>(*count);
}

std::optional<Money> sum_of(const std::vector<MaterialLine>& lines) {
  std::optional<Money> sum;
  for (const MaterialLine& line : lines) {
    const std::optional<Money> price = price_of(line);
    if (!price) continue;
    sum = sum ? *sum + *price : *price;
  }
  return sum;
}

std::vector<MaterialLine> materials_of(const MaterialsPlan& plan, const MaterialsNeeds& needs) {
  return MaterialsBill(plan, needs).lines();
}

}  // namespace orrery
