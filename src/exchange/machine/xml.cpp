// SPDX-License-Identifier: Apache-2.0
// NCCL's and RCCL's topology, and lstopo's.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "exchange/machine/elements.h"
#include "exchange/machine/machine.h"

namespace orrery::machine {
namespace {

struct PciDevice {
  std::string_view id;  // vendor and device
  std::string_view ours;
};
constexpr std::array kPciDevices = {
    PciDevice{"10de:20b0", "a100-sxm4-40gb"}, PciDevice{"10de:20b2", "a100-sxm4-80gb"},
    PciDevice{"10de:20b5", "a100-pcie-80gb"}, PciDevice{"10de:2330", "h100-sxm5-80gb"},
    PciDevice{"10de:2331", "h100-pcie-80gb"}, PciDevice{"10de:2335", "h200-sxm-141gb"},
    PciDevice{"10de:2901", "b200-sxm-180gb"}, PciDevice{"10de:1db1", "v100-sxm2-16gb"},
    PciDevice{"10de:1db5", "v100-sxm2-32gb"}, PciDevice{"1002:74a1", "mi300x"},
};

std::string without_0x(const std::string& text) {
  return text.rfind("0x", 0) == 0 ? text.substr(2) : text;
}

class NcclReading {
 public:
  MachineFacts read(const ForeignFile& file) {
    for_elements(file.text, file.name, [&](const Element& e) { element(e); });
    if (m_.gpus == 0) m_.gpus = pci_gpus_;
    links();
    if (m_.nics == 0) m_.nics = pci_nics_;
    return m_;
  }

 private:
  void element(const Element& e) {
    if (e.name == "pci") pci(e);
    if (e.name == "gpu") gpu(e);
    if (e.name == "nvlink" || e.name == "xgmi") link(e, e.name == "xgmi");
    if (e.name == "net") net(e);
  }

  void pci(const Element& e) {
    const std::string kind = e.text("class");
    if (kind == "0x030200" || kind == "0x030000" || kind == "0x038000" || kind == "0x120000")
      ++pci_gpus_;
    if (kind == "0x020700" || kind == "0x020000") ++pci_nics_;
    const std::string id = without_0x(e.text("vendor")) + ":" + without_0x(e.text("device"));
    for (const PciDevice& d : kPciDevices) {
      if (d.id == id) m_.device = d.ours;
    }
  }

  void gpu(const Element& e) {
    ++m_.gpus;
    const std::string gcn = e.text("gcn");
    const std::string number = gcn.rfind("gfx", 0) == 0 ? gcn.substr(3) : gcn;
    m_.chip = e.has("gcn") ? "gfx " + number : "sm " + e.text("sm");
  }

  void link(const Element& e, bool xgmi) {
    const double count = e.number("count");
    if (count > 0 && count < 1e6) links_ += static_cast<std::int64_t>(count);
    xgmi_ = xgmi_ || xgmi;
    switched_ = switched_ || e.text("tclass") == "0x068000";
  }

  void net(const Element& e) {
    ++m_.nics;
    const double speed = e.number("speed") / 1000;
    if (speed > 0 && speed < 1e6) m_.nic_gbits = std::max(m_.nic_gbits, speed);
  }

  void links() {
    if (links_ == 0) {
      if (!m_.chip.empty()) m_.links = LinkKind::pcie;
      return;
    }
    m_.links = xgmi_ ? LinkKind::xgmi : switched_ ? LinkKind::switched : LinkKind::direct;
    m_.links_per_gpu = m_.gpus > 0 ? links_ / m_.gpus : 0;
  }

  MachineFacts m_;
  std::int64_t pci_gpus_ = 0;
  std::int64_t pci_nics_ = 0;
  std::int64_t links_ = 0;
  bool xgmi_ = false;
  bool switched_ = false;
};

// "0302 [10de:2330] [10de:16c1] a1"
void pci_device(const std::string& text, MachineFacts& m, bool& any_gpu) {
  const std::string kind = text.substr(0, 4);
  const std::size_t open = text.find('[');
  const std::string id = open == std::string::npos ? "" : text.substr(open + 1, 9);
  if (kind == "0302" || kind == "0380" || kind == "1200") {
    ++m.gpus;
    any_gpu = true;
  }
  if (kind == "0207") ++m.nics;
  for (const PciDevice& d : kPciDevices) {
    if (d.id == id) m.device = d.ours;
  }
}

}  // namespace

MachineFacts read_nccl_xml(const ForeignFile& file) {
  const MachineFacts m = NcclReading().read(file);
  if (m.gpus == 0 && m.nics == 0) {
    throw InputError(file.name, "", "a topology without a GPU or a NIC",
                     "NCCL_TOPO_DUMP_FILE of a run on the node");
  }
  return m;
}

MachineFacts read_lstopo(const ForeignFile& file) {
  MachineFacts m;
  bool any = false;
  for_elements(file.text, file.name, [&](const Element& e) {
    if (e.text("type") == "PCIDev") pci_device(e.text("pci_type"), m, any);
  });
  if (!any) {
    throw InputError(file.name, "", "a machine without a GPU",
                     "lstopo of a node whose PCI devices it lists");
  }
  return m;
}

}  // namespace orrery::machine
