// SPDX-License-Identifier: Apache-2.0
// nvidia-smi, -L, -q with or without -x, and --query-gpu=… --format=csv with or without its header,
// and rocm-smi --showproductname: how many GPUs a node has, and which.
#include <algorithm>
#include <array>
#include <set>

#include "core/error.h"
#include "core/units.h"
#include "exchange/machine/facts.h"
#include "exchange/machine/products.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace machine {
namespace {

// Parts of product names; the more telling one first.
struct Product {
  std::string_view part;
  std::string_view device;
};
constexpr std::array kProducts = {
    Product{"GB300", "gb300"},
    Product{"GB200", "gb200"},
    Product{"GH200 144G", "gh200-144gb"},
    // By the memory of its processor, whatever it is [from memory].
    Product{"GH200 120GB", "gh200-96gb"},
    Product{"GH200 480GB", "gh200-96gb"},
    Product{"GH200", "gh200"},
    Product{"B300", "b300-sxm"},
    Product{"B200", "b200-sxm-180gb"},
    Product{"H200 NVL", "h200-nvl"},
    // Forms that differ from the shipped devices keep their own names.
    Product{"H800 PCIe", "h800-pcie-80gb"},
    Product{"RTX PRO 6000 Blackwell Max-Q", "rtx-pro-6000-max-q"},
    Product{"RTX PRO 6000 Blackwell", "rtx-pro-6000"},
    Product{"H200", "h200-sxm-141gb"},
    Product{"H800", "h800-sxm-80gb"},
    Product{"H100 NVL", "h100-nvl-94gb"},
    Product{"H100 PCIe", "h100-pcie-80gb"},
    Product{"H100 80GB HBM3", "h100-sxm5-80gb"},
    Product{"A800-SXM4-80GB", "a800-sxm-80gb"},
    Product{"A100-SXM4-80GB", "a100-sxm4-80gb"},
    Product{"A100-SXM4-40GB", "a100-sxm4-40gb"},
    // Drivers of 2021 print these names.
    Product{"A100-SXM-80GB", "a100-sxm4-80gb"},
    Product{"A100-SXM-40GB", "a100-sxm4-40gb"},
    Product{"A100 80GB PCIe", "a100-pcie-80gb"},
    Product{"V100-SXM2-32GB", "v100-sxm2-32gb"},
    Product{"V100-SXM3-32GB", "v100-sxm2-32gb"},
    Product{"V100-SXM2-16GB", "v100-sxm2-16gb"},
    Product{"V100-PCIE-32GB", "v100-pcie-32gb"},
    Product{"V100-PCIE-16GB", "v100-pcie-16gb"},
    Product{"MI300X", "mi300x"},
    Product{"MI325X", "mi325x"},
    Product{"MI350X", "mi350x"},
    Product{"MI355X", "mi355x"},
    Product{"RTX 6000 Ada", "rtx-6000-ada"},
    // A driver lists each die, "AMD Instinct MI250X / MI250".
    Product{"MI250X", "mi250x-gcd"},
};
// Ends of product names that others go on from: A40 to A4000, RTX 3090 to 3090 Ti, L4 to L40.
constexpr std::array kWholeProducts = {
    Product{" H20", "h20-sxm-96gb"},
    Product{" L40S", "l40s"},
    Product{" L4", "l4"},
    Product{" RTX 4090", "rtx-4090"},
    Product{" RTX 3090", "rtx-3090"},
    Product{" RTX A6000", "rtx-a6000"},
    Product{" A40", "a40"},
    Product{" A10G", "a10g"},
    Product{" RTX 5090", "rtx-5090"},
    Product{" RTX A5000", "rtx-a5000"},
    Product{" RTX 8000", "rtx-8000"},
    Product{" L20", "l20"},
    Product{" A30", "a30"},
    Product{" T4", "t4"},
    Product{" GB10", "gb10"},
};

bool is_known(std::string_view device) {
  const auto is_it = [&](const Product& p) { return p.device == device; };
  return std::any_of(kProducts.begin(), kProducts.end(), is_it) ||
         std::any_of(kWholeProducts.begin(), kWholeProducts.end(), is_it);
}

// "    Product Name      : NVIDIA H100 80GB HBM3"; rocm-smi has "GPU[0] : Card Series: AMD …".
std::vector<std::string> names_of_log(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t card = std::min(line.find(kAmdProduct), line.find(kAmdOlderProduct));
    if (card != std::string_view::npos)
      names.emplace_back(trimmed(line.substr(card + kAmdProduct.size())));
    const std::size_t colon = line.find(" : ");
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != "Product Name")
      continue;
    names.emplace_back(trimmed(line.substr(colon + 3)));
  }
  return names;
}

// "Attached GPUs      : 8" and "<attached_gpus>8</…>", also where -i shows one of them.
std::int64_t attached(std::string_view text) {
  constexpr std::string_view kTag = "<attached_gpus>";
  for (const std::string_view raw : lines_of(text)) {
    const std::string_view line = trimmed(raw);
    const bool tag = begins_with(line, kTag);
    if (!tag && !begins_with(line, "Attached GPUs")) continue;
    const std::string_view rest = line.substr(tag ? kTag.size() : line.find(':') + 1);
    const auto n = parse_number(std::string(trimmed(rest.substr(0, rest.find('<')))));
    constexpr double kMost = 1024;
    if (n && *n >= 1 && *n <= kMost) return static_cast<std::int64_t>(*n);
  }
  return 0;
}

// nvidia-smi -q -x: "<product_name>NVIDIA H200</product_name>"
std::vector<std::string> names_of_xml(std::string_view text) {
  constexpr std::string_view kOpen = "<product_name>";
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view name = trimmed(line);
    if (begins_with(name, kOpen))
      names.emplace_back(name.substr(kOpen.size(), name.rfind('<') - kOpen.size()));
  }
  return names;
}

// "GPU 0: NVIDIA H200 (UUID: GPU-…)"; instances of a GPU stand below it.
std::vector<std::string> names_of_list(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.find(": ");
    const std::size_t end = line.find(" (UUID: GPU-");
    if (begins_with(line, "GPU ") && end != std::string_view::npos && colon < end)
      names.emplace_back(line.substr(colon + 2, end - colon - 2));
  }
  return names;
}

// Products in the table that nvidia-smi prints without arguments, and a list without its header.
bool is_product(std::string_view text) {
  return begins_with(text, "NVIDIA ") || begins_with(text, "Tesla ") ||
         begins_with(text, "A100-") || begins_with(text, "H100 ") ||
         begins_with(text, "GeForce ") || begins_with(text, "RTX ") || begins_with(text, "Quadro ");
}

// "|   0  NVIDIA H100 80GB HBM3          On  | …"; a long name ends in dots.
std::vector<std::string> names_of_screen(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    if (!begins_with(line, "|")) continue;
    const std::string_view row = trimmed(line.substr(1));
    const std::size_t digits = row.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) continue;
    const std::string_view rest = trimmed(row.substr(digits));
    const std::size_t end = std::min(rest.find("  "), rest.find('|'));
    if (is_product(rest) && end != std::string_view::npos)
      names.emplace_back(trimmed(rest.substr(0, end)));
  }
  return names;
}

// "GPU-0a1b…", "00000000:1B:00.0": the same in every sample of --loop.
bool is_identity(std::string_view field) {
  return begins_with(field, "GPU-") || (field.size() == 16 && field[8] == ':' && field[14] == '.');
}

// Rows of --format=csv,noheader: the field that is a product.
std::vector<std::string> names_of_rows(std::string_view text) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const std::string_view line : lines_of(text)) {
    std::string_view name;
    bool again = false;
    for (const std::string_view field : fields_of(line, ',')) {
      if (is_product(trimmed(field))) name = trimmed(field);
      if (is_identity(trimmed(field))) again = !seen.insert(trimmed(field)).second;
    }
    if (!name.empty() && !again) names.emplace_back(name);
  }
  return names;
}

std::size_t column_of(const std::vector<std::string_view>& titles,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto at = std::find(titles.begin(), titles.end(), name);
    if (at != titles.end()) return static_cast<std::size_t>(at - titles.begin());
  }
  return std::string::npos;
}

// Rows below a header with a column "name"; a GPU of several samples counts once.
std::vector<std::string> names_of_table(std::string_view text) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  std::size_t name = std::string::npos;
  std::size_t identity = std::string::npos;
  for (const std::string_view line : lines_of(text)) {
    std::vector<std::string_view> fields = fields_of(line, ',');
    for (std::string_view& f : fields) f = trimmed(f);
    if (name == std::string::npos) {
      name = column_of(fields, {"name", "gpu_name"});
      identity = column_of(fields, {"uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial",
                                    "gpu_serial", "index"});
      continue;
    }
    if (name >= fields.size() || fields[name].empty()) continue;
    if (identity < fields.size() && !seen.insert(fields[identity]).second) continue;
    names.emplace_back(fields[name]);
  }
  return names;
}

// The screen's third line of a GPU ends in its mode: "|      |     |     Enabled  |".
bool is_cut_row(std::string_view row) {
  if (!begins_with(row, "|") || !row.ends_with('|')) return false;
  const std::string_view cells = trimmed(row.substr(0, row.size() - 1));
  return cells.ends_with("Enabled") || cells.ends_with("Enabled*");
}

// GPUs that are cut into instances (MIG): in -L, in -q, in its XML, on the screen and in a list
// with that column.
bool is_cut(std::string_view text) {
  if (contains(text, "(UUID: MIG-") || contains(text, "<current_mig>Enabled")) return true;
  bool section = false;
  std::size_t column = std::string::npos;
  for (const std::string_view line : lines_of(text)) {
    if ((section && contains(line, "Enabled")) || is_cut_row(trimmed(line))) return true;
    section = trimmed(line) == "MIG Mode";
    std::vector<std::string_view> fields = fields_of(line, ',');
    for (std::string_view& f : fields) f = trimmed(f);
    if (column < fields.size() && fields[column] == "Enabled") return true;
    if (column == std::string::npos) column = column_of(fields, {"mig.mode.current"});
  }
  return false;
}

}  // namespace

MachineFacts read_smi(const ForeignFile& file) {
  const bool log = contains(file.text, "NVSMI LOG") || contains(file.text, kAmdProduct) ||
                   contains(file.text, kAmdOlderProduct);
  const bool list = contains(file.text, "(UUID: GPU-");
  const bool screen = contains(file.text, "| NVIDIA-SMI");
  const bool xml = contains(file.text, "<nvidia_smi_log>");
  std::vector<std::string> names = xml      ? names_of_xml(file.text)
                                   : log    ? names_of_log(file.text)
                                   : list   ? names_of_list(file.text)
                                   : screen ? names_of_screen(file.text)
                                            : names_of_table(file.text);
  if (names.empty() && !log && !list && !screen) names = names_of_rows(file.text);
  if (names.empty())
    throw InputError(file.name, "", "no GPU", log ? "lines of Product Name" : "a column name");
  if (is_cut(file.text))
    throw InputError(file.name, "", "GPUs that are cut into instances (MIG)",
                     "whole GPUs; --node FILE describes an instance as a device");
  for (const std::string& name : names) {
    if (name != names.front())
      throw InputError(file.name, "", names.front() + " and " + name, "GPUs of one kind");
  }
  MachineFacts out;
  out.gpus = static_cast<std::int64_t>(names.size());
  if ((log || xml) && out.gpus == 1) out.gpus = std::max(out.gpus, attached(file.text));
  // The links of one card (nvidia-smi nvlink --status -i 0) tell no number of cards.
  if (list && out.gpus == 1 && contains(file.text, "Link 0:")) out.gpus = 0;
  out.device = device_of_product(names.front());
  return out;
}

}  // namespace machine

std::string device_of_product(std::string_view name) {
  // Drivers before 2021 leave out the maker.
  const std::string end = " " + std::string(name);
  for (const machine::Product& p : machine::kWholeProducts) {
    if (std::string_view(end).ends_with(p.part)) return std::string(p.device);
  }
  for (const machine::Product& p : machine::kProducts) {
    if (contains(name, p.part)) return std::string(p.device);
  }
  return std::string(name);
}

bool are_other_devices(std::string_view product, std::string_view device) {
  const std::string named = device_of_product(product);
  // "GH200" alone may be each of them.
  const bool may_be = named == device || begins_with(device, named + "-");
  return !may_be && machine::is_known(named) && machine::is_known(device);
}

}  // namespace orrery
