// SPDX-License-Identifier: Apache-2.0
// nvidia-smi topo -m, rocm-smi --showtopo and --showtopotype, amd-smi topology. The two of AMD
// print tables of weights, hops and access too: the first whose cells are kinds of links counts.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "core/units.h"
#include "exchange/machine/facts.h"
#include "exchange/text_lines.h"

namespace orrery::machine {
namespace {

constexpr std::array<std::string_view, 10> kCells = {"NODE", "SYS",  "PHB",  "PXB",  "PIX",
                                                     "SOC",  "XGMI", "PCIE", "SELF", "X"};
constexpr std::size_t kMostColumns = 512;

bool is_device(std::string_view word, std::string_view kind) {
  return begins_with(word, kind) && word.size() > kind.size() &&
         std::isdigit(static_cast<unsigned char>(word[kind.size()])) != 0;
}

// Cells of a row, also where two are glued together.
std::vector<std::string> cells_of(std::string_view text, std::size_t wanted) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < text.size() && cells.size() < wanted;) {
    const std::string_view rest = text.substr(i);
    std::size_t size = 0;
    if (begins_with(rest, "NV") || (rest.size() > 1 && rest[0] == '0' &&
                                    std::isspace(static_cast<unsigned char>(rest[1])) != 0)) {
      size = std::min(rest.find_first_not_of("NV0123456789"), rest.size());
    }
    for (const std::string_view cell : kCells) {
      if (size == 0 && begins_with(rest, cell)) size = cell.size();
    }
    if (size > 0) cells.emplace_back(rest.substr(0, size));
    i += std::max<std::size_t>(size, 1);
  }
  return cells;
}

struct Matrix {
  std::size_t gpus = 0;
  std::size_t nics = 0;
  std::vector<std::vector<std::string>> rows;  // of GPUs, among GPUs
};

// "GPU3", or amd-smi's "0000:05:00.0".
bool is_gpu(std::string_view word) {
  const bool address = word.size() == 12 && word[4] == ':' && word[7] == ':' && word[10] == '.';
  return address || is_device(word, "GPU");
}

// NICs have names of their own in older drivers ("mlx5_0", "mlx5_ib3", "bnxt_re0"): all columns
// between the GPUs and the affinities.
Matrix header_of(const std::vector<std::string_view>& words) {
  Matrix m;
  for (const std::string_view word : words) {
    if (word == "CPU") break;
    ++(is_gpu(word) ? m.gpus : m.nics);
  }
  return m;
}

bool is_whole(const Matrix& m) {
  return m.gpus > 0 && m.gpus < kMostColumns && m.rows.size() == m.gpus &&
         std::all_of(m.rows.begin(), m.rows.end(),
                     [&](const auto& r) { return r.size() == m.gpus; });
}

Matrix read_matrix(const ForeignFile& file) {
  Matrix m;
  for (const std::string_view raw : lines_of(file.text)) {
    const std::string line = without_colours(raw);
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || !is_gpu(words[0])) continue;
    const bool header = words.size() > 1 && (is_gpu(words[1]) || contains(line, "Affinity"));
    if (header && !is_whole(m)) {
      m = header_of(words);
    } else if (m.rows.size() < m.gpus) {
      const std::size_t after = line.find(words[0]) + words[0].size();
      m.rows.push_back(cells_of(std::string_view(line).substr(after), m.gpus));
    }
  }
  return m;
}

std::int64_t links_of(const std::string& cell) {
  const auto n = begins_with(cell, "NV") ? parse_number(cell.substr(2)) : std::nullopt;
  constexpr double kMostLinks = 1024;
  return n && *n > 0 && *n <= kMostLinks ? static_cast<std::int64_t>(*n) : 0;
}

// Links of one GPU to the others.
struct RowLinks {
  std::int64_t pairs = 0;
  std::int64_t most = 0;  // to one of them
  std::int64_t sum = 0;
  std::int64_t xgmi = 0;  // GPUs

  bool operator==(const RowLinks&) const = default;
};

RowLinks links_in(const std::vector<std::string>& row) {
  RowLinks r;
  for (const std::string& cell : row) {
    const std::int64_t n = links_of(cell);
    if (n > 0) ++r.pairs;
    r.most = std::max(r.most, n);
    r.sum += n;
    if (cell == "XGMI") ++r.xgmi;
  }
  return r;
}

std::string words_of_row(std::size_t gpu, const RowLinks& r) {
  return "GPU" + std::to_string(gpu) + "'s row of " + std::to_string(r.sum + r.xgmi) +
         " links to " + std::to_string(r.pairs + r.xgmi) + " GPUs";
}

// A lost link, or bridges between some GPUs only, are no shape of a node.
void check_rows(const ForeignFile& file, const Matrix& m) {
  const RowLinks first = links_in(m.rows.front());
  const auto others = static_cast<std::int64_t>(m.gpus) - 1;
  for (std::size_t i = 0; i < m.gpus; ++i) {
    const RowLinks r = links_in(m.rows[i]);
    if (r == first && (r.xgmi == 0 || r.xgmi == others)) continue;
    throw InputError(
        file.name, "",
        i == 0 ? words_of_row(i, r) : words_of_row(0, first) + ", " + words_of_row(i, r),
        first.xgmi > 0 ? "xGMI between all GPUs" : "rows alike, as a whole node has them");
  }
}

void count_links(const Matrix& m, MachineFacts& out) {
  const auto [pairs, most, sum, xgmi] = links_in(m.rows.front());
  const bool all = pairs + 1 == static_cast<std::int64_t>(m.gpus);
  // Through a switch every pair shows all links of a GPU: 6 on V100, 12 on A100, 18 on H100.
  // Four H100 or GH200 have 6 of their 18 to each other one.
  const bool four_wired = pairs == 3 && most == 6;
  const bool switched = all && pairs > 1 && most >= 6 && !four_wired;
  out.links = xgmi > 0    ? LinkKind::xgmi
              : switched  ? LinkKind::switched
              : pairs > 0 ? LinkKind::direct
                          : LinkKind::pcie;
  if (out.links == LinkKind::direct) out.joined = pairs + 1;
  out.links_per_gpu = xgmi > 0 ? static_cast<std::int64_t>(m.gpus) - 1 : switched ? most : sum;
}

}  // namespace

bool has_matrix(const ForeignFile& file) {
  const Matrix m = read_matrix(file);
  return m.gpus > 1 && is_whole(m);
}

MachineFacts read_topology_matrix(const ForeignFile& file) {
  const Matrix m = read_matrix(file);
  if (!is_whole(m))
    throw InputError(file.name, "", "a matrix of GPUs that is not whole",
                     "a row of each GPU, with a cell for each");
  MachineFacts out;
  out.gpus = static_cast<std::int64_t>(m.gpus);
  out.nics = static_cast<std::int64_t>(m.nics);
  if (m.gpus > 1) {
    check_rows(file, m);
    count_links(m, out);
  }
  return out;
}

}  // namespace orrery::machine
