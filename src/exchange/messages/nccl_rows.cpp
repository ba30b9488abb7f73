// SPDX-License-Identifier: Apache-2.0
#include "exchange/messages/nccl_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/units.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// Data types of NVIDIA/nccl-tests.
constexpr std::array<std::string_view, 13> kTypes = {
    "int8",  "uint8",  "int32",    "uint32", "int64",  "uint64",  "half",
    "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3"};
constexpr double kGigabyte = 1e9;

bool is_type(std::string_view word) {
  return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

bool is_whole(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "8589934592 2147483648 float sum -1 48298 177.85 333.47 …": size, count, type, then perhaps the
// operation and the root, then time, algorithm bandwidth and bus bandwidth.
std::optional<NcclRow> row_in(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const auto type = std::find_if(words.begin(), words.end(), is_type);
  const auto at = static_cast<std::size_t>(type - words.begin());
  if (type == words.end() || at < 2 || !is_whole(words[at - 2]) || !is_whole(words[at - 1]))
    return {};
  std::size_t i = at + 1;
  const auto is_number = [&](std::size_t k) {
    return k < words.size() && parse_number(words[k]).has_value();
  };
  if (!is_number(i)) ++i;                                         // the operation, or "none"
  if (is_number(i) && is_number(i + 3) && words[i] == "-1") ++i;  // no root
  if (!is_number(i) || !is_number(i + 1) || !is_number(i + 2)) return {};
  const double time = *parse_number(words[i]);
  if (!(time > 0)) return {};
  return NcclRow{Bytes(*parse_number(words[at - 2])), Seconds(time * kMicro),
                 BytesPerSecond(*parse_number(words[i + 2]) * kGigabyte)};
}

}  // namespace

std::vector<NcclRow> read_nccl_rows(std::string_view text) {
  std::vector<NcclRow> rows;
  for (const std::string_view line : lines_of(text)) {
    if (const auto row = row_in(line)) rows.push_back(*row);
  }
  return rows;
}

}  // namespace orrery
