// SPDX-License-Identifier: Apache-2.0
// NCCL's and RCCL's topology, and lstopo's.
#ifdef ORRERY_HAS_XML
#include <pugixml.hpp>
#endif

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/error.h"
#include "core/units.h"
#include "exchange/machine/facts.h"
#include "exchange/text_lines.h"

namespace orrery::machine {

#ifdef ORRERY_HAS_XML
namespace {

struct PciDevice {
  std::string_view id;  // vendor and device
  std::string_view ours;
};
// From the PCI ID database; the ones of 2024 and later, and of cards without NVLink's
// switch, from memory.
constexpr std::array kPciDevices = {
    PciDevice{"10de:20b0", "a100-sxm4-40gb"}, PciDevice{"10de:20b2", "a100-sxm4-80gb"},
    PciDevice{"10de:20b5", "a100-pcie-80gb"}, PciDevice{"10de:20f3", "a800-sxm-80gb"},
    PciDevice{"10de:2330", "h100-sxm5-80gb"}, PciDevice{"10de:2331", "h100-pcie-80gb"},
    PciDevice{"10de:2321", "h100-nvl-94gb"},  PciDevice{"10de:2324", "h800-sxm-80gb"},
    PciDevice{"10de:2335", "h200-sxm-141gb"}, PciDevice{"10de:2342", "gh200-96gb"},
    PciDevice{"10de:2348", "gh200-144gb"},    PciDevice{"10de:2901", "b200-sxm-180gb"},
    PciDevice{"10de:2941", "gb200"},          PciDevice{"10de:3182", "b300-sxm"},
    PciDevice{"10de:31c2", "gb300"},          PciDevice{"10de:1db1", "v100-sxm2-16gb"},
    PciDevice{"10de:1db5", "v100-sxm2-32gb"}, PciDevice{"10de:1db8", "v100-sxm2-32gb"},
    PciDevice{"10de:2345", "gh200-96gb"},     PciDevice{"10de:2329", "h20-sxm-96gb"},
    PciDevice{"10de:26b9", "l40s"},           PciDevice{"10de:26b1", "rtx-6000-ada"},
    PciDevice{"10de:2684", "rtx-4090"},       PciDevice{"10de:27b8", "l4"},
    PciDevice{"10de:2230", "rtx-a6000"},      PciDevice{"10de:2235", "a40"},
    PciDevice{"10de:2237", "a10g"},           PciDevice{"10de:2204", "rtx-3090"},
    PciDevice{"1002:74a1", "mi300x"},         PciDevice{"1002:74a5", "mi325x"},
    PciDevice{"1002:74b5", "mi300x"},         PciDevice{"1002:74b9", "mi325x"},  // of a cloud
    PciDevice{"1002:7408", "mi250x-gcd"},     PciDevice{"1002:740c", "mi250x-gcd"},
    PciDevice{"1002:75a0", "mi350x"},         PciDevice{"1002:75a3", "mi355x"},
};
constexpr std::string_view kNvidia = "10de:";
constexpr std::string_view kAmd = "1002:";
constexpr double kBitsPerByte = 8;

// Our device; of another GPU of NVIDIA or AMD its id, which no shipped node has.
std::string pci_gpu(const std::string& id) {
  for (const PciDevice& d : kPciDevices) {
    if (d.id == id) return std::string(d.ours);
  }
  const bool whole = !id.ends_with(':');
  return whole && (begins_with(id, kNvidia) || begins_with(id, kAmd)) ? "PCI " + id : "";
}

// A node has GPUs of one kind.
void see_kind(std::string& all, const std::string& one, const std::string& file) {
  if (one.empty() || one == all) return;
  if (!all.empty()) throw InputError(file, "", all + " and " + one, "GPUs of one kind");
  all = one;
}

// GB/s a direction of "16.0 GT/s PCIe" and 16 lanes; 0 where a file does not say both. PCIe 1 and 2
// send 10 bits for 8, 3 and later 130 for 128.
double pcie_gbytes(const pugi::xml_node& n) {
  constexpr double kLastOfTen = 5;
  constexpr double kTen = 8.0 / 10;
  constexpr double kLater = 128.0 / 130;
  const double rate = n.attribute("link_speed").as_double(0);
  const double lanes = n.attribute("link_width").as_double(0);
  if (!(rate > 0 && rate < 1e3 && lanes > 0 && lanes <= 32)) return 0;
  return rate * lanes * (rate > kLastOfTen ? kLater : kTen) / kBitsPerByte;
}

// The slowest of several.
void see_pcie(double& all, double one) {
  if (one > 0) all = all > 0 ? std::min(all, one) : one;
}

pugi::xml_document parsed(const ForeignFile& file) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(file.text.data(), file.text.size());
  if (!result) {
    const auto begin = file.text.begin();
    const auto at =
        begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                    static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                    file.text.size()));
    throw InputError(ErrorCode::malformed, file.name,
                     "line " + std::to_string(1 + std::count(begin, at, '\n')),
                     result.description(), "XML");
  }
  return document;
}

std::string hex_of(const pugi::xml_attribute& a) {
  const std::string text = a.as_string();
  return text.rfind("0x", 0) == 0 ? text.substr(2) : text;
}

// Every element, children before the next sibling.
template <class Visit>
void each(const pugi::xml_node& node, const Visit& visit) {
  struct Walker : pugi::xml_tree_walker {
    explicit Walker(const Visit& v) : visit(v) {}
    bool for_each(pugi::xml_node& n) override {
      visit(n);
      return true;
    }
    const Visit& visit;
  } walker(visit);
  pugi::xml_node start = node;
  start.traverse(walker);
}

class NcclReading {
 public:
  explicit NcclReading(const std::string& file) : file_(file) {}

  MachineFacts read(const pugi::xml_document& document) {
    each(document, [&](const pugi::xml_node& n) { element(n); });
    if (m_.gpus == 0) m_.gpus = pci_gpus_;
    // A rack joined by NVLink is one tree: a node is a share of it.
    const auto hosts = std::max<std::int64_t>(1, static_cast<std::int64_t>(hosts_.size()));
    nics(hosts);
    for (std::int64_t* count : {&m_.gpus, &links_, &pci_nics_}) *count /= hosts;
    links();
    if (m_.nics == 0) m_.nics = pci_nics_;
    return m_;
  }

 private:
  void element(const pugi::xml_node& n) {
    const std::string_view name = n.name();
    if (name == "cpu" && !n.attribute("host_hash").empty())
      hosts_.insert(n.attribute("host_hash").as_string());
    if (name == "pci") pci(n);
    if (name == "gpu") gpu(n);
    if (name == "nvlink" || name == "xgmi") link(n, name == "xgmi");
    if (name == "net") net(n);
  }

  void pci(const pugi::xml_node& n) {
    const std::string_view kind = n.attribute("class").as_string();
    if (kind == "0x020700" || kind == "0x020000") ++pci_nics_;
    if (kind != "0x030200" && kind != "0x030000" && kind != "0x038000" && kind != "0x120000")
      return;
    ++pci_gpus_;
    see_kind(m_.device,
             pci_gpu(hex_of(n.attribute("vendor")) + ":" + hex_of(n.attribute("device"))), file_);
    see_pcie(m_.pcie_gbytes, pcie_gbytes(n));
  }

  void gpu(const pugi::xml_node& n) {
    ++m_.gpus;
    const bool amd = !n.attribute("gcn").empty();
    std::string_view gcn = n.attribute("gcn").as_string();
    if (begins_with(gcn, "gfx")) gcn.remove_prefix(3);
    if (gcn == "90a") gcn = "910";  // RCCL's older name of it
    see_kind(m_.chip,
             amd ? "gfx " + std::string(gcn) : std::string("sm ") + n.attribute("sm").as_string(),
             file_);
  }

  void link(const pugi::xml_node& n, bool xgmi) {
    links_ += n.attribute("count").as_int(0);
    xgmi_ = xgmi_ || xgmi;
    switched_ = switched_ || std::string_view(n.attribute("tclass").as_string()) == "0x068000";
  }

  void net(const pugi::xml_node& n) {
    const double speed = n.attribute("speed").as_double(0) / 1000;
    ++nets_[speed > 0 && speed < 1e6 ? speed : 0];
  }

  // The NICs of a node: those of the speed that carries most. Others are of storage or management.
  void nics(std::int64_t hosts) {
    if (nets_.empty()) return;
    const auto sum = [](const auto& a) {
      return std::pair(a.first * static_cast<double>(a.second), a.first);
    };
    const auto most = std::max_element(
        nets_.begin(), nets_.end(), [&](const auto& a, const auto& b) { return sum(a) < sum(b); });
    m_.nic_gbits = most->first;
    m_.nics = most->second / hosts;
    for (const auto& [speed, count] : nets_) {
      if (speed == m_.nic_gbits) continue;
      m_.left.push_back({"NICs of " + (speed > 0 ? shortest(speed) + " Gb/s" : "no speed"),
                         std::to_string(std::max<std::int64_t>(1, count / hosts)) + " beside " +
                             std::to_string(m_.nics) + " of " + shortest(m_.nic_gbits) +
                             " Gb/s: not counted"});
    }
  }

  void links() {
    if (links_ == 0) {
      if (!m_.chip.empty()) m_.links = LinkKind::pcie;
      return;
    }
    m_.links = xgmi_ ? LinkKind::xgmi : switched_ ? LinkKind::switched : LinkKind::direct;
    m_.links_per_gpu = m_.gpus > 0 ? links_ / m_.gpus : 0;
  }

  const std::string& file_;
  MachineFacts m_;
  std::set<std::string> hosts_;
  std::map<double, std::int64_t> nets_;  // by Gb/s
  std::int64_t pci_gpus_ = 0;
  std::int64_t pci_nics_ = 0;
  std::int64_t links_ = 0;
  bool xgmi_ = false;
  bool switched_ = false;
};

// GPUs of an lstopo file. A display of NVIDIA (class 0300) counts where no GPU without one does.
struct LstopoReading {
  const std::string& file;
  MachineFacts m = {};
  std::int64_t displays = 0;
  std::string display = {};
  bool other_display = false;
  double display_gbytes = 0;

  // "0302 [10de:2330] [10de:16c1] a1"
  void pci_device(const std::string& text, double gbytes) {
    const std::string kind = text.substr(0, 4);
    const std::size_t open = text.find('[');
    const std::string id = open == std::string::npos ? "" : text.substr(open + 1, 9);
    if (kind == "0207") ++m.nics;
    if (kind == "0302" || kind == "0380" || kind == "1200") {
      ++m.gpus;
      see_kind(m.device, pci_gpu(id), file);
      see_pcie(m.pcie_gbytes, gbytes);
    }
    if (kind == "0300" && begins_with(id, kNvidia)) {
      ++displays;
      // Beside GPUs without a display it is none of them.
      other_display = other_display || (!display.empty() && display != pci_gpu(id));
      display = pci_gpu(id);
      see_pcie(display_gbytes, gbytes);
    }
  }

  MachineFacts facts() {
    if (m.gpus == 0) {
      if (other_display)
        throw InputError(file, "", "displays of several kinds", "GPUs of one kind");
      m.gpus = displays;
      m.device = display;
      m.pcie_gbytes = display_gbytes;
    }
    m.pcie_may_rest = m.pcie_gbytes > 0;
    return m;
  }
};

}  // namespace

MachineFacts read_nccl_xml(const ForeignFile& file) {
  const pugi::xml_document document = parsed(file);
  const MachineFacts m = NcclReading(file.name).read(document);
  if (m.gpus == 0 && m.nics == 0) {
    throw InputError(file.name, "", "a topology without a GPU or a NIC",
                     "NCCL_TOPO_DUMP_FILE of a run on the node");
  }
  return m;
}

MachineFacts read_lstopo(const ForeignFile& file) {
  const pugi::xml_document document = parsed(file);
  LstopoReading reading{file.name};
  each(document, [&](const pugi::xml_node& n) {
    const std::string_view type = n.attribute("type").as_string();
    if (type == "PCIDev") {
      constexpr double kMost = 1e3;
      const double gbytes = n.attribute("pci_link_speed").as_double(0);
      reading.pci_device(n.attribute("pci_type").as_string(),
                         gbytes > 0 && gbytes < kMost ? gbytes : 0);
    }
  });
  const MachineFacts m = reading.facts();
  if (m.gpus == 0) {
    throw InputError(file.name, "", "a machine without a GPU",
                     "lstopo of a node whose PCI devices it lists");
  }
  return m;
}
#else
MachineFacts read_nccl_xml(const ForeignFile& file) {
  throw InputError(file.name, "", "XML", "another format: this build has no pugixml");
}
MachineFacts read_lstopo(const ForeignFile& file) { return read_nccl_xml(file); }
#endif

}  // namespace orrery::machine
