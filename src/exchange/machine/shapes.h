// SPDX-License-Identifier: Apache-2.0
//
// Shapes of shipped nodes, by which the facts of a machine's files find them
// (exchange/machine/machine.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "exchange/machine/facts.h"

namespace orrery::machine {

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
inline constexpr std::array kShapes = {
    Shape{"dgx-h100", "h100-sxm5-80gb", "sm 90", 8, LinkKind::switched, 18},
    Shape{"hgx-h200", "h200-sxm-141gb", "sm 90", 8, LinkKind::switched, 18},
    Shape{"h800-80gb", "h800-sxm-80gb", "sm 90", 8, LinkKind::switched, 8},
    Shape{"hgx-b200", "b200-sxm-180gb", "sm 100", 8, LinkKind::switched, 18},
    Shape{"hgx-b300", "b300-sxm", "sm 103", 8, LinkKind::switched, 18},
    Shape{"dgx-a100-80gb", "a100-sxm4-80gb", "sm 80", 8, LinkKind::switched, 12},
    Shape{"dgx-a100-40gb", "a100-sxm4-40gb", "sm 80", 8, LinkKind::switched, 12},
    Shape{"a800-80gb", "a800-sxm-80gb", "sm 80", 8, LinkKind::switched, 8},
    Shape{"p4d-24xlarge", "a100-sxm4-40gb", "sm 80", 8, LinkKind::switched, 12, 0, 4, true},
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
    // Chips that several cards have: a card's name alone tells these.
    Shape{"h200-nvl-pcie", "h200-nvl", "", 8, LinkKind::direct, 18, 4},
    Shape{"g7e-48xlarge", "rtx-pro-6000", "", 8, LinkKind::pcie, 0},
    Shape{"rtx-5090-pcie", "rtx-5090", "", 8, LinkKind::pcie, 0},
    Shape{"l20-pcie", "l20", "", 8, LinkKind::pcie, 0},
    Shape{"rtx-a5000-pcie", "rtx-a5000", "", 4, LinkKind::pcie, 0},
    Shape{"a30-pcie", "a30", "", 4, LinkKind::pcie, 0},
    Shape{"v100-pcie-32gb", "v100-pcie-32gb", "", 4, LinkKind::pcie, 0},
    Shape{"v100-pcie-16gb", "v100-pcie-16gb", "", 4, LinkKind::pcie, 0},
    Shape{"g4dn-metal", "t4", "", 8, LinkKind::pcie, 0},
    Shape{"rtx-8000-nvlink", "rtx-8000", "", 2, LinkKind::direct, 2, 2},
    Shape{"dgx-spark", "gb10", "sm 121", 1, LinkKind::pcie, 0},
    // Clouds by numbers of NICs that no other maker has; others show what a DGX shows.
    Shape{"p5-48xlarge", "h100-sxm5-80gb", "sm 90", 8, LinkKind::switched, 18, 0, 32},
    Shape{"p5en-48xlarge", "h200-sxm-141gb", "sm 90", 8, LinkKind::switched, 18, 0, 16},
};

// A device says more than its chip.
inline bool has_gpu(const Shape& s, const MachineFacts& m) {
  return m.device.empty() ? m.chip.empty() || m.chip == s.chip : m.device == s.device;
}

inline bool fits(const Shape& s, const MachineFacts& m) {
  const bool links =
      m.links == LinkKind::unknown ||
      (m.links == s.links && (s.links_per_gpu == 0 || m.links_per_gpu == s.links_per_gpu) &&
       (m.joined == 0 || m.joined == (s.joined == 0 ? s.gpus : s.joined)));
  const bool nics = s.nics == 0 || m.nics == s.nics;
  return has_gpu(s, m) && (m.gpus == 0 || m.gpus == s.gpus) && links && nics;
}

inline std::string words_of_machine(const MachineFacts& m) {
  std::string text = m.gpus > 0 ? std::to_string(m.gpus) + " GPUs" : "GPUs";
  if (!m.device.empty()) text += " " + m.device;
  if (!m.chip.empty()) text += " (" + m.chip + ")";
  if (m.links == LinkKind::unknown) return text;
  text += ", " + std::string(name_of(m.links));
  if (m.links_per_gpu > 0) text += ", " + std::to_string(m.links_per_gpu) + " links a GPU";
  if (m.joined > 0 && m.joined < m.gpus) text += " in groups of " + std::to_string(m.joined);
  return text;
}

}  // namespace orrery::machine
