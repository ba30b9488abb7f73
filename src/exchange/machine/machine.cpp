// SPDX-License-Identifier: Apache-2.0
#include "exchange/machine/machine.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/json_path.h"
#include "core/json_text.h"
#include "core/units.h"
#include "estimate/config_lookup.h"
#include "exchange/machine/shapes.h"
#include "exchange/recognise.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

constexpr const char* kNodeOfMachine = key_path<&ClusterRequest::node>;
constexpr const char* kGpusOfMachine = key_path<&ClusterRequest::gpus>;

using namespace machine;

// One fact of several files.
template <class T>
void take(T& all, const T& one, const std::string& what, const std::string& file, RunDraft& d) {
  if (one == T{} || one == all) return;
  if (all == T{}) {
    all = one;
  } else {
    d.refuse(what, "another value in " + file + " than in the files before it");
  }
}

// A list of one card beside a file that shows more says which GPU they are.
void take_gpus(MachineFacts& all, const MachineFacts& one, const std::string& file, RunDraft& d) {
  const bool one_card = std::min(all.gpus, one.gpus) == 1 && std::max(all.gpus, one.gpus) > 1;
  if (!one_card) return take(all.gpus, one.gpus, "GPUs of a node", file, d);
  all.gpus = std::max(all.gpus, one.gpus);
  d.ignored("1 GPU in a file", "another one shows " + std::to_string(all.gpus));
}

// A file that says speeds counts the NICs of the network alone; one that says none counts all.
void take_nics(MachineFacts& all, const MachineFacts& one, const std::string& file, RunDraft& d) {
  const bool speeds_differ = (all.nic_gbits > 0) != (one.nic_gbits > 0);
  if (all.nics == 0 || one.nics == 0 || all.nics == one.nics || !speeds_differ)
    return take(all.nics, one.nics, "NICs", file, d);
  const std::int64_t known = all.nic_gbits > 0 ? all.nics : one.nics;
  const std::int64_t shown = all.nic_gbits > 0 ? one.nics : all.nics;
  if (shown < known) return take(all.nics, one.nics, "NICs", file, d);
  d.ignored(std::to_string(shown) + " NICs without a speed",
            std::to_string(known) +
                " of them have one in another file: the rest is not "
                "counted");
  all.nics = known;
}

class Composition {
 public:
  Composition(const MachineFacts& m, const ImportJob& job, RunDraft& d) : m_(m), job_(job), d_(d) {}

  void compose() {
    node();
    family();
    if (!is_alone_) pcie();
    if (!asks_for_network_ && !is_alone_) network();
    if (m_.has_fabric) domains();
    if (m_.has_fabric) fabric();
    size();
  }

 private:
  const Json& given(const char* path) const { return value_at(d_.given, path); }

  void node() {
    const bool says = m_.gpus > 0 || !m_.device.empty() || !m_.chip.empty();
    if (!given(kNodeOfMachine).is_null()) {
      name_ = given(kNodeOfMachine).is_string() ? given(kNodeOfMachine).get<std::string>() : "";
      return compare();
    }
    if (!says) return;
    if (m_.device.empty() && m_.chip.empty() && !links_tell()) {
      return d_.open(kNodeOfMachine, words_of_machine(m_),
                     "neither GPU nor links of one kind of GPU are said; nvidia-smi -L beside it "
                     "does, or --node");
    }
    if (m_.gpus == 1 && m_.nodes <= 1 && !needs_more_gpus() && take_one_gpu()) return;
    std::vector<std::string> names;
    bool by_nics = false;
    for (const Shape& s : kShapes) {
      const bool alone = s.nics > 0 && !s.shares_nics;
      if (!fits(s, m_) || (by_nics && !alone)) continue;
      if (!by_nics && alone) names.clear();
      by_nics = alone;
      names.emplace_back(s.node);
    }
    const bool hopper = names.size() == 1 && names.front() == "alps-gh200" && m_.device.empty();
    if (hopper) names.emplace_back("four H100, which no shipped node has");
    if (names.size() > 1) keep_same_network(names);
    if (names.size() == 1) {
      name_ = names.front();
      d_.note(kNodeOfMachine, name_, "the shipped node of this shape: " + words_of_machine(m_));
      return d_.set(kNodeOfMachine, name_);
    }
    if (names.empty() && compose_from_nearest()) return;
    const std::string why =
        names.empty()
            ? "no shipped node has this shape; --node FILE describes it, beside the nearest: " +
                  nearest()
            : "nodes of this shape are " + alternatives(names) + "; --node says which" +
                  (m_.device.empty() ? ", " + list_of_gpus() + " beside it which GPU" : "");
    d_.open(kNodeOfMachine, words_of_machine(m_), why);
  }

  std::string list_of_gpus() const {
    return m_.links == LinkKind::xgmi ? "rocm-smi --showproductname" : "nvidia-smi -L";
  }

  // PCIe and bridges between two GPUs are of many GPUs.
  bool links_tell() const {
    const bool bridges = m_.links == LinkKind::direct && m_.joined == 2;
    return m_.links != LinkKind::unknown && m_.links != LinkKind::pcie && !bridges;
  }

  // Hosts of one GPU each, which are no node of several.
  bool needs_more_gpus() const { return count_of(d_.given, kGpusOfMachine) > 1; }

  // A GPU alone shows no links, and a run on it needs none: a node that has such GPUs, and one of
  // them.
  bool take_one_gpu() {
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(),
                                    [&](const Shape& s) { return s.device == m_.device; });
    if (shape == kShapes.end()) return false;
    is_alone_ = true;
    name_ = shape->node;
    d_.set(kNodeOfMachine, name_);
    d_.note(kNodeOfMachine, name_, "a shipped node of such GPUs, of which one is used");
    if (given(kGpusOfMachine).is_null()) d_.set(kGpusOfMachine, 1);
    return true;
  }

  // NICs of a shipped node, which may be a rack of several of the file's.
  std::int64_t nics_of(const std::string& name) const {
    const std::int64_t host = gpus_of_host(name);
    return host > 0 ? m_.nics * count_of(node_of(name), "devices_per_node") / host : m_.nics;
  }

  // GB/s of all of them.
  double network_rate(const std::string& name) const {
    constexpr double kBitsPerByte = 8;
    return static_cast<double>(nics_of(name)) * m_.nic_gbits / kBitsPerByte;
  }

  bool has_network(const std::string& name) const {
    const Json tiers = tiers_of(name);
    if (!tiers.is_array() || tiers.empty()) return false;
    const auto rate = parse_quantity_gb(tiers.back());
    const double wanted = network_rate(name);
    const std::int64_t links = count_of(tiers.back(), "links");
    return rate && *rate > 0.99 * wanted && *rate < 1.01 * wanted &&
           (links == 0 || links == nics_of(name));
  }

  // One of them, where it alone has NICs like these.
  void keep_same_network(std::vector<std::string>& names) const {
    if (m_.nics == 0 || m_.nic_gbits == 0) return;
    std::vector<std::string> same;
    for (const std::string& name : names) {
      if (has_network(name)) same.push_back(name);
    }
    if (same.size() == 1) names = same;
  }

  // The nodes of the same chip and links with another number of GPUs.
  std::string nearest() const {
    std::string names;
    for (const Shape& s : kShapes) {
      const bool links = m_.links == LinkKind::unknown || m_.links == s.links;
      if (has_gpu(s, m_) && links) names += (names.empty() ? "" : ", ") + std::string(s.node);
    }
    return names.empty() ? "none" : names;
  }

  // The shipped node of the same GPU and kind of links, with this one's number of GPUs and links:
  // what differs stands beside its name. Not where links join some GPUs only, or a rack is shown.
  bool compose_from_nearest() {
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& s) {
      return m_.device == s.device && m_.links == s.links && s.joined == 0;
    });
    const bool joins_all = m_.joined == 0 || m_.joined == m_.gpus;
    if (shape == kShapes.end() || !joins_all || m_.gpus == 0) return false;
    name_ = shape->node;
    const Json all = tiers();
    if (!all.is_array() || all.size() < 2 || value_at(all[0], "size") != shape->gpus) return false;
    d_.set(kNodeOfMachine, name_);
    d_.note(kNodeOfMachine, name_, "the nearest shipped; this one is " + words_of_machine(m_));
    d_.set("cluster.devices_per_node", m_.gpus);
    d_.set("cluster.power", Json());
    d_.set(key_of(all[0], "size"), m_.gpus);
    const auto rate = parse_quantity_gb(all[0]);
    if (rate && m_.links_per_gpu != shape->links_per_gpu) {
      const double a_link = *rate / static_cast<double>(shape->links_per_gpu);
      d_.set(key_of(all[0], "bandwidth"),
             shortest(a_link * static_cast<double>(m_.links_per_gpu)) + " GB/s");
    }
    ask_for_network(all.back());
    return true;
  }

  static std::string key_of(const Json& tier, const char* member) {
    return "cluster.tiers." + text_within(tier, "name") + "." + member;
  }

  // Another node's cards are no guess at this one's.
  void ask_for_network(const Json& outer) {
    asks_for_network_ = m_.nic_gbits == 0;
    if (!asks_for_network_) return;
    if (m_.nics > 0) d_.set(key_of(outer, "links"), m_.nics);
    d_.open(key_of(outer, "bandwidth"),
            m_.nics > 0 ? std::to_string(m_.nics) + " NICs" : "the network of a node",
            m_.nics > 0 ? "not the network of " + name_ + ", and their speed is not said"
                        : "no file says it");
  }

  void compare() {
    for (const Shape& s : kShapes) {
      MachineFacts shown = m_;
      if (shown.nics == 0) shown.nics = s.nics;
      if (s.node != name_ || fits(s, shown)) continue;
      d_.refuse(words_of_machine(m_), "differs from " + name_ + ", which has " +
                                          std::to_string(s.gpus) + " GPUs, " +
                                          std::string(name_of(s.links)) + ", " +
                                          std::to_string(s.links_per_gpu) + " links a GPU");
    }
  }

  Json node_of(const std::string& name) const {
    if (job_.lookup == nullptr || name.empty() || !job_.lookup->hardware.find) return {};
    const auto text = job_.lookup->hardware.find(HardwareKind::node, name);
    return text ? parse_json(text->text, text->file) : Json();
  }

  Json tiers_of(const std::string& name) const { return value_at(node_of(name), "tiers"); }
  Json tiers() const { return tiers_of(name_); }

  static std::int64_t count_of(const Json& of, const char* path) {
    const Json& n = value_at(of, path);
    return n.is_number_integer() ? n.get<std::int64_t>() : 0;
  }

  // GPUs of one host of a node, which is all of it but for racks; 0 where it is not known.
  std::int64_t gpus_of_host(const std::string& name) const {
    const Json node = node_of(name);
    const std::int64_t host = count_of(node, "host.devices");
    return host > 0 ? host : count_of(node, "devices_per_node");
  }

  // The same with what the files or the command line say of it.
  std::int64_t gpus_of_host() const {
    if (m_.gpus > 1) return m_.gpus;
    const std::int64_t stated = count_of(d_.given, "cluster.devices_per_node");
    return stated > 0 ? stated : gpus_of_host(name_);
  }

  // "GB200" beside a node's own device.
  void family() {
    if (m_.family.empty()) return;
    const std::string stated = "GPUs of type " + m_.family;
    const auto is_of = [&](std::string_view device) {
      std::string word;
      for (const char c : m_.family + "-") {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalnum(u) != 0) word += static_cast<char>(std::tolower(u));
        if (std::isalnum(u) == 0 && word == device.substr(0, device.find('-'))) return true;
        if (std::isalnum(u) == 0) word.clear();
      }
      return false;
    };
    const Json node = node_of(name_);
    const Json& device = value_at(node, "device");
    if (!device.is_string()) return d_.ignored(stated, "of which node; --node says it");
    const bool known = std::any_of(kShapes.begin(), kShapes.end(),
                                   [&](const Shape& s) { return is_of(s.device); });
    if (!known) return d_.ignored(stated, "a name that no shipped device has");
    if (!is_of(device.get<std::string>()))
      d_.refuse(stated, name_ + " has " + device.get<std::string>());
  }

  // GPUs without NVLink talk over PCIe.
  void pcie() {
    const Json all = tiers();
    if (m_.pcie_gbytes == 0 || !all.is_array() || text_within(all[0], "kind") != "pcie") return;
    const auto shipped = parse_quantity_gb(all[0]);
    constexpr double kSame = 0.05;
    if (!shipped || std::abs(m_.pcie_gbytes / *shipped - 1) < kSame) return;
    constexpr double kCents = 100;
    const std::string rate = shortest(std::round(m_.pcie_gbytes * kCents) / kCents) + " GB/s";
    const std::string other = name_ + "'s " + shortest(*shipped) + " GB/s";
    const std::string key = key_of(all[0], "bandwidth");
    if (m_.pcie_may_rest && m_.pcie_gbytes < *shipped) {
      return d_.open(key, "PCIe links of " + rate,
                     "not " + other + "; a GPU without work may have lowered its link; --assume " +
                         key + "=\"" + rate + "\" takes it");
    }
    d_.set(key, rate);
    d_.note(key, rate, "a GPU's PCIe link, over " + other);
  }

  // The NICs of a node, over its outermost tier.
  void network() {
    if (m_.nics == 0) return;
    const Json all = tiers();
    const std::string stated = std::to_string(m_.nics) + " NICs";
    if (m_.nic_gbits == 0) {
      const std::int64_t shipped = all.is_array() ? count_of(all.back(), "links") : 0;
      if (shipped == nics_of(name_))
        return d_.note("cluster.tiers", stated, "their speed is not said: the shipped node's");
      if (shipped > nics_of(name_)) return ask_for_network(all.back());
      return d_.ignored(stated, "their speed is not said; the node's network is used");
    }
    if (!all.is_array())
      return d_.ignored(stated + " of " + shortest(m_.nic_gbits) + " Gb/s",
                        "of which node; --node says it");
    if (has_network(name_)) return;
    const double rate = network_rate(name_);
    const Json& outer = all.back();
    d_.set(key_of(outer, "bandwidth"), shortest(rate) + " GB/s");
    d_.set(key_of(outer, "links"), nics_of(name_));
    d_.note(key_of(outer, "bandwidth"), shortest(rate) + " GB/s",
            (nics_of(name_) == m_.nics ? "" : "a host's ") + stated + " of " +
                shortest(m_.nic_gbits) + " Gb/s, over " + name_ + "'s");
  }

  static std::optional<double> parse_quantity_gb(const Json& tier) {
    const std::string text = text_within(tier, "bandwidth");
    const std::size_t blank = text.find(' ');
    return blank == std::string::npos || text.substr(blank) != " GB/s"
               ? std::nullopt
               : parse_number(text.substr(0, blank));
  }

  // Hosts that NVLink joins, beside the node's innermost tier.
  void domains() {
    if (m_.nodes_per_domain == 0) return;
    const std::string stated =
        "NVLink domains of " + std::to_string(m_.nodes_per_domain) + " nodes";
    const Json all = tiers();
    if (!all.is_array() || all.empty() || gpus_of_host() == 0)
      return d_.ignored(stated, "of which node; --node says it");
    const std::int64_t joined = m_.nodes_per_domain * gpus_of_host();
    const std::int64_t size = count_of(all[0], "size");
    if (joined == size) return;
    const std::string key = key_of(all[0], "size");
    d_.open(key, stated + " of " + std::to_string(gpus_of_host()) + " GPUs",
            name_ + " joins " + std::to_string(size) + " GPUs; --assume " + key + "=" +
                std::to_string(joined) + " takes the file's");
  }

  void fabric() {
    if (m_.nodes_per_leaf == 0) return;
    if (m_.oversubscription == 0) {
      return d_.open("cluster.fabric",
                     std::to_string(m_.nodes_per_leaf) + " nodes at a leaf switch",
                     "the oversubscription above it is not said; --assume "
                     "'cluster.fabric={\"kind\": \"fat-tree\", \"pod\": " +
                         std::to_string(m_.nodes_per_leaf) + ", \"oversubscription\": 1}'");
    }
    d_.set("cluster.fabric", {{"kind", "fat-tree"},
                              {"pod", m_.nodes_per_leaf},
                              {"oversubscription", m_.oversubscription}});
  }

  void size() {
    d_.out.gpus.node = m_.gpus;
    if (m_.nodes == 0) return;
    d_.out.gpus.fabric = m_.nodes * gpus_of_host();
    if (!given(kGpusOfMachine).is_null()) return;
    if (d_.out.gpus.fabric == 0)
      return d_.ignored(std::to_string(m_.nodes) + " nodes", "of how many GPUs; --gpus says it");
    // A job may have fewer of them.
    d_.note(kGpusOfMachine, std::to_string(d_.out.gpus.fabric), "all nodes of the fabric");
    d_.set(kGpusOfMachine, d_.out.gpus.fabric);
  }

  const MachineFacts& m_;
  const ImportJob& job_;
  RunDraft& d_;
  std::string name_;
  bool asks_for_network_ = false;
  bool is_alone_ = false;
};

}  // namespace

ImportedRun import_machine(const std::vector<ForeignFile>& files, const ImportJob& job) {
  RunDraft d{job.given};
  MachineFacts all;
  for (const ForeignFile& f : files) {
    const MachineFacts one = read_machine(f);
    take_gpus(all, one, f.name, d);
    take(all.device, one.device, "device", f.name, d);
    take(all.chip, one.chip, "chip", f.name, d);
    take(all.links, one.links, "links", f.name, d);
    take(all.links_per_gpu, one.links_per_gpu, "links a GPU", f.name, d);
    take(all.joined, one.joined, "GPUs joined by links", f.name, d);
    take_nics(all, one, f.name, d);
    take(all.nic_gbits, one.nic_gbits, "speed of a NIC", f.name, d);
    take(all.nodes, one.nodes, "nodes", f.name, d);
    take(all.nodes_per_leaf, one.nodes_per_leaf, "nodes a leaf", f.name, d);
    take(all.oversubscription, one.oversubscription, "oversubscription", f.name, d);
    take(all.nodes_per_domain, one.nodes_per_domain, "nodes of a domain", f.name, d);
    take(all.has_fabric, one.has_fabric, "fabric", f.name, d);
    take(all.family, one.family, "type of GPU", f.name, d);
    if (all.pcie_gbytes == 0 || (all.pcie_may_rest && one.pcie_gbytes > 0)) {
      all.pcie_gbytes = one.pcie_gbytes;
      all.pcie_may_rest = one.pcie_may_rest;
    }
    for (const LeftOver& l : one.left) {
      l.is_refused ? d.open(l.key, l.setting, l.why) : d.ignored(l.setting, l.why);
    }
    d.out.file += (d.out.file.empty() ? "" : ", ") + f.name;
  }
  const Json& device = value_at(job.given, "cluster.device");
  if (all.device.empty() && device.is_string()) all.device = device.get<std::string>();
  Composition(all, job, d).compose();
  // Also where the files say nothing that is a key.
  if (!d.out.run.contains("cluster")) d.out.run["cluster"] = Json::object();
  return std::move(d.out);
}

}  // namespace orrery
