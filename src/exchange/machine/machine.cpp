// SPDX-License-Identifier: Apache-2.0
#include "exchange/machine/machine.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/config_lookup.h"
#include "exchange/recognise.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// Shapes of shipped nodes, as these files show them.
struct Shape {
  std::string_view node;
  std::string_view device;
  std::string_view chip;
  std::int64_t gpus;
  LinkKind links;
  std::int64_t links_per_gpu;
  std::int64_t joined = 0;   // GPUs that a GPU's direct links join, itself among them; 0: all
  std::int64_t nics = 0;     // a cloud's, which nothing else tells from a maker's; 0: any
  bool shares_nics = false;  // a maker's node may have as many
};
constexpr std::array kShapes = {
    Shape{"dgx-h100", "h100-sxm5-80gb", "sm 90", 8, LinkKind::switched, 18},
    Shape{"hgx-h200", "h200-sxm-141gb", "sm 90", 8, LinkKind::switched, 18},
    Shape{"h800-80gb", "h800-sxm-80gb", "sm 90", 8, LinkKind::switched, 8},
    Shape{"hgx-b200", "b200-sxm-180gb", "sm 100", 8, LinkKind::switched, 18},
    Shape{"hgx-b300", "b300-sxm", "sm 103", 8, LinkKind::switched, 18},
    Shape{"dgx-a100-80gb", "a100-sxm4-80gb", "sm 80", 8, LinkKind::switched, 12},
    Shape{"dgx-a100-40gb", "a100-sxm4-40gb", "sm 80", 8, LinkKind::switched, 12},
    Shape{"a800-80gb", "a800-sxm-80gb", "sm 80", 8, LinkKind::switched, 8},
    Shape{"jean-zay-a100-80gb", "a100-sxm4-80gb", "sm 80", 8, LinkKind::switched, 12, 0, 4, true},
    Shape{"dgx-2-v100-32gb", "v100-sxm2-32gb", "sm 70", 16, LinkKind::switched, 6},
    Shape{"dgx-1-v100-32gb", "v100-sxm2-32gb", "sm 70", 8, LinkKind::direct, 6, 5},
    Shape{"dgx-1-v100-16gb", "v100-sxm2-16gb", "sm 70", 8, LinkKind::direct, 6, 5},
    Shape{"jean-zay-v100-32gb", "v100-sxm2-32gb", "sm 70", 4, LinkKind::direct, 6},
    Shape{"jean-zay-v100-16gb", "v100-sxm2-16gb", "sm 70", 4, LinkKind::direct, 6},
    Shape{"summit", "v100-sxm2-16gb", "sm 70", 6, LinkKind::direct, 4, 3},
    Shape{"lassen", "v100-sxm2-16gb", "sm 70", 4, LinkKind::direct, 3, 2},
    Shape{"h100-pcie", "h100-pcie-80gb", "sm 90", 8, LinkKind::pcie, 0},
    Shape{"h100-nvl", "h100-nvl-94gb", "sm 90", 8, LinkKind::direct, 12, 2},
    Shape{"a100-pcie-80gb", "a100-pcie-80gb", "sm 80", 8, LinkKind::pcie, 0},
    Shape{"mi300x-oam-8", "mi300x", "gfx 942", 8, LinkKind::xgmi, 7},
    // The chip of an MI325X alone reads as an MI300X.
    Shape{"mi325x-oam-8", "mi325x", "", 8, LinkKind::xgmi, 7},
    Shape{"mi350x-oam-8", "mi350x", "gfx 950", 8, LinkKind::xgmi, 7},
    Shape{"mi355x-oam-8", "mi355x", "gfx 950", 8, LinkKind::xgmi, 7},
    // A compute tray: these files show one host of the rack.
    Shape{"gb200-nvl72", "gb200", "sm 100", 4, LinkKind::switched, 18},
    Shape{"gb300-nvl72", "gb300", "sm 103", 4, LinkKind::switched, 18},
    Shape{"alps-gh200", "gh200-96gb", "sm 90", 4, LinkKind::direct, 18},
    Shape{"a100-80gb-4x200g", "a100-sxm4-80gb", "sm 80", 4, LinkKind::direct, 12},
    Shape{"a100-80gb-4x100g-roce", "a100-sxm4-80gb", "sm 80", 4, LinkKind::direct, 12},
    Shape{"frontier-mi250x", "mi250x-gcd", "gfx 910", 8, LinkKind::xgmi, 0},
    Shape{"hgx-h20", "h20-sxm-96gb", "sm 90", 8, LinkKind::switched, 18},
    Shape{"l40s-pcie", "l40s", "sm 89", 8, LinkKind::pcie, 0},
    Shape{"rtx-6000-ada-pcie", "rtx-6000-ada", "sm 89", 8, LinkKind::pcie, 0},
    Shape{"rtx-4090-pcie", "rtx-4090", "sm 89", 8, LinkKind::pcie, 0},
    Shape{"g6-48xlarge", "l4", "sm 89", 8, LinkKind::pcie, 0},
    Shape{"g5-48xlarge", "a10g", "sm 86", 8, LinkKind::pcie, 0},
    Shape{"g5-12xlarge", "a10g", "sm 86", 4, LinkKind::pcie, 0},
    Shape{"rtx-a6000-pcie", "rtx-a6000", "sm 86", 8, LinkKind::pcie, 0},
    Shape{"a40-pcie", "a40", "sm 86", 8, LinkKind::pcie, 0},
    Shape{"rtx-3090-nvlink", "rtx-3090", "sm 86", 2, LinkKind::direct, 4, 2},
    // Clouds by numbers of NICs that no other maker has; others show what a DGX shows.
    Shape{"p5-48xlarge", "h100-sxm5-80gb", "sm 90", 8, LinkKind::switched, 18, 0, 32},
    Shape{"p5en-48xlarge", "h200-sxm-141gb", "sm 90", 8, LinkKind::switched, 18, 0, 16},
};

// A device says more than its chip.
bool has_gpu(const Shape& s, const MachineFacts& m) {
  return m.device.empty() ? m.chip.empty() || m.chip == s.chip : m.device == s.device;
}

bool fits(const Shape& s, const MachineFacts& m) {
  const bool links =
      m.links == LinkKind::unknown ||
      (m.links == s.links && (s.links_per_gpu == 0 || m.links_per_gpu == s.links_per_gpu) &&
       (m.joined == 0 || m.joined == (s.joined == 0 ? s.gpus : s.joined)));
  const bool nics = s.nics == 0 || m.nics == s.nics;
  return has_gpu(s, m) && (m.gpus == 0 || m.gpus == s.gpus) && links && nics;
}

std::string words_of_machine(const MachineFacts& m) {
  std::string text = m.gpus > 0 ? std::to_string(m.gpus) + " GPUs" : "GPUs";
  if (!m.device.empty()) text += " " + m.device;
  if (!m.chip.empty()) text += " (" + m.chip + ")";
  if (m.links == LinkKind::unknown) return text;
  text += ", " + std::string(name_of(m.links));
  if (m.links_per_gpu > 0) text += ", " + std::to_string(m.links_per_gpu) + " links a GPU";
  if (m.joined > 0 && m.joined < m.gpus) text += " in groups of " + std::to_string(m.joined);
  return text;
}

// One fact of several files.
template <class T>
void take(T& all, const T& one, const std::string& what, const std::string& file, ImportDraft& d) {
  if (one == T{} || one == all) return;
  if (all == T{}) {
    all = one;
  } else {
    d.stop(what, "another value in " + file + " than in the files before it");
  }
}

class Composition {
 public:
  Composition(const MachineFacts& m, const ImportJob& job, ImportDraft& d)
      : m_(m), job_(job), d_(d) {}

  void compose() {
    node();
    if (!asks_for_network_ && !is_alone_) network();
    fabric();
    size();
  }

 private:
  const Json& given(const char* path) const { return value_at(d_.given, path); }

  void node() {
    const bool says = m_.gpus > 0 || !m_.device.empty() || !m_.chip.empty();
    if (!given("cluster.node").is_null()) {
      name_ = given("cluster.node").is_string() ? given("cluster.node").get<std::string>() : "";
      return compare();
    }
    if (!says) return;
    if (m_.device.empty() && m_.chip.empty() && !links_tell()) {
      return d_.open("cluster.node", words_of_machine(m_),
                     "neither GPU nor links of one kind of GPU are said; nvidia-smi -L beside it "
                     "does, or --node");
    }
    if (m_.gpus == 1 && m_.nodes <= 1 && take_one_gpu()) return;
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
      d_.note("cluster.node", name_, "the shipped node of this shape: " + words_of_machine(m_));
      return d_.set("cluster.node", name_);
    }
    if (names.empty() && compose_from_nearest()) return;
    const std::string why =
        names.empty()
            ? "no shipped node has this shape; --node FILE describes it, beside the nearest: " +
                  nearest()
            : "nodes of this shape are " + alternatives(names) + "; --node says which" +
                  (m_.device.empty() ? ", " + list_of_gpus() + " beside it which GPU" : "");
    d_.open("cluster.node", words_of_machine(m_), why);
  }

  std::string list_of_gpus() const {
    return m_.links == LinkKind::xgmi ? "rocm-smi --showproductname" : "nvidia-smi -L";
  }

  // PCIe and bridges between two GPUs are of many GPUs.
  bool links_tell() const {
    const bool bridges = m_.links == LinkKind::direct && m_.joined == 2;
    return m_.links != LinkKind::unknown && m_.links != LinkKind::pcie && !bridges;
  }

  // A GPU alone shows no links, and a run on it needs none: a node that has such GPUs, and one of
  // them.
  bool take_one_gpu() {
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(),
                                    [&](const Shape& s) { return s.device == m_.device; });
    if (shape == kShapes.end()) return false;
    is_alone_ = true;
    name_ = shape->node;
    d_.set("cluster.node", name_);
    d_.note("cluster.node", name_, "a shipped node of such GPUs, of which one is used");
    if (given("cluster.gpus").is_null()) d_.set("cluster.gpus", 1);
    return true;
  }

  // GB/s of all NICs of a node.
  double network_rate() const {
    constexpr double kBitsPerByte = 8;
    return static_cast<double>(m_.nics) * m_.nic_gbits / kBitsPerByte;
  }

  bool has_network(const Json& tiers) const {
    const auto rate =
        tiers.is_array() && !tiers.empty() ? parse_quantity_gb(tiers.back()) : std::nullopt;
    return rate && *rate > 0.99 * network_rate() && *rate < 1.01 * network_rate();
  }

  // One of them, where it alone has NICs like these.
  void keep_same_network(std::vector<std::string>& names) const {
    if (network_rate() == 0) return;
    std::vector<std::string> same;
    for (const std::string& name : names) {
      if (has_network(tiers_of(name))) same.push_back(name);
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
    if (!all.is_array() || all.size() < 2 || all[0].value("size", 0) != shape->gpus) return false;
    d_.set("cluster.node", name_);
    d_.note("cluster.node", name_, "the nearest shipped; this one is " + words_of_machine(m_));
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
    return "cluster.tiers." + tier.value("name", std::string()) + "." + member;
  }

  // Another node's cards are no guess at this one's.
  void ask_for_network(const Json& outer) {
    asks_for_network_ = m_.nic_gbits == 0;
    if (!asks_for_network_) return;
    if (m_.nics > 0) d_.set(key_of(outer, "links"), m_.nics);
    d_.open(key_of(outer, "bandwidth"),
            m_.nics > 0 ? std::to_string(m_.nics) + " NICs" : "the network of a node",
            m_.nics > 0 ? "their speed is not said" : "no file says it");
  }

  void compare() {
    for (const Shape& s : kShapes) {
      MachineFacts shown = m_;
      if (shown.nics == 0) shown.nics = s.nics;
      if (s.node != name_ || fits(s, shown)) continue;
      d_.stop(words_of_machine(m_), "differs from " + name_ + ", which has " +
                                        std::to_string(s.gpus) + " GPUs, " +
                                        std::string(name_of(s.links)) + ", " +
                                        std::to_string(s.links_per_gpu) + " links a GPU");
    }
  }

  Json tiers() const { return tiers_of(name_); }

  Json tiers_of(const std::string& name) const {
    if (job_.lookup == nullptr || name.empty() || !job_.lookup->hardware.find) return {};
    const auto text = job_.lookup->hardware.find(HardwareKind::node, name);
    if (!text) return {};
    const Json node = parse_json(text->text, text->file);
    return node.contains("tiers") ? node["tiers"] : Json();
  }

  // The NICs of a node, over its outermost tier.
  void network() {
    if (m_.nics == 0) return;
    const Json all = tiers();
    const std::string said = std::to_string(m_.nics) + " NICs";
    if (m_.nic_gbits == 0) {
      const bool same = all.is_array() && all.back().value("links", std::int64_t{0}) == m_.nics;
      if (same)
        return d_.note("cluster.tiers", said, "their speed is not said: the shipped node's");
      return d_.not_understood(said, "their speed is not said; the node's network is used");
    }
    if (!all.is_array())
      return d_.not_understood(said + " of " + shortest(m_.nic_gbits) + " Gb/s",
                               "of which node; --node says it");
    if (has_network(all)) return;
    const double rate = network_rate();
    const Json& outer = all.back();
    d_.set(key_of(outer, "bandwidth"), shortest(rate) + " GB/s");
    d_.set(key_of(outer, "links"), m_.nics);
    d_.note(key_of(outer, "bandwidth"), shortest(rate) + " GB/s",
            said + " of " + shortest(m_.nic_gbits) + " Gb/s, over " + name_ + "'s");
  }

  static std::optional<double> parse_quantity_gb(const Json& tier) {
    const std::string text = tier.value("bandwidth", std::string());
    const std::size_t blank = text.find(' ');
    return blank == std::string::npos || text.substr(blank) != " GB/s"
               ? std::nullopt
               : parse_number(text.substr(0, blank));
  }

  void fabric() {
    if (!m_.has_fabric) return;
    if (m_.nodes_per_domain > 0) {
      d_.not_understood("NVLink domains of " + std::to_string(m_.nodes_per_domain) + " nodes",
                        "the node's own tiers say them");
    }
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
    if (m_.nodes == 0 || !given("cluster.gpus").is_null()) return;
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(),
                                    [&](const Shape& s) { return s.node == name_; });
    if (shape == kShapes.end())
      return d_.not_understood(std::to_string(m_.nodes) + " nodes",
                               "of how many GPUs; --gpus says it");
    // A job may have fewer of them.
    d_.note("cluster.gpus", std::to_string(m_.nodes * shape->gpus), "all nodes of the fabric");
    d_.set("cluster.gpus", m_.nodes * shape->gpus);
  }

  const MachineFacts& m_;
  const ImportJob& job_;
  ImportDraft& d_;
  std::string name_;
  bool asks_for_network_ = false;
  bool is_alone_ = false;
};

struct MachineReader {
  std::string_view looks;
  MachineFacts (*read)(const ForeignFile& file);
};
constexpr std::array kReaders = {
    MachineReader{kTopologyMatrix, machine::read_topology_matrix},
    MachineReader{kSmi, machine::read_smi},
    MachineReader{kNcclTopology, machine::read_nccl_xml},
    MachineReader{kLstopo, machine::read_lstopo},
    MachineReader{kIbnetdiscover, machine::read_ibnetdiscover},
    MachineReader{kSlurmTopology, machine::read_slurm},
    MachineReader{kTopograph, machine::read_topograph},
};

}  // namespace

MachineFacts read_machine(const ForeignFile& file) {
  const Recognised r = recognise(file);
  for (const MachineReader& reader : kReaders) {
    if (reader.looks == r.looks) return reader.read(file);
  }
  refuse_kind(file, r);
}

ImportedRun import_machine(const std::vector<ForeignFile>& files, const ImportJob& job) {
  ImportDraft d{Settings(files.front().name), {}};
  d.given = job.given;
  MachineFacts all;
  for (const ForeignFile& f : files) {
    const MachineFacts one = read_machine(f);
    take(all.gpus, one.gpus, "GPUs of a node", f.name, d);
    take(all.device, one.device, "device", f.name, d);
    take(all.chip, one.chip, "chip", f.name, d);
    take(all.links, one.links, "links", f.name, d);
    take(all.links_per_gpu, one.links_per_gpu, "links a GPU", f.name, d);
    take(all.joined, one.joined, "GPUs joined by links", f.name, d);
    take(all.nics, one.nics, "NICs", f.name, d);
    take(all.nic_gbits, one.nic_gbits, "speed of a NIC", f.name, d);
    take(all.nodes, one.nodes, "nodes", f.name, d);
    take(all.nodes_per_leaf, one.nodes_per_leaf, "nodes a leaf", f.name, d);
    take(all.oversubscription, one.oversubscription, "oversubscription", f.name, d);
    take(all.nodes_per_domain, one.nodes_per_domain, "nodes of a domain", f.name, d);
    take(all.has_fabric, one.has_fabric, "fabric", f.name, d);
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
