// SPDX-License-Identifier: Apache-2.0
#include "exchange/messages/xla_allocations.h"

#include <algorithm>
#include <string>

#include "core/units.h"
#include "exchange/messages/amounts.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr std::string_view kList = "Largest program allocations";
constexpr std::size_t kNamedParts = 3;  // of an operator's path, the last

// "jit(step)/transformer/h/0/self_attention/dot_general[…]": the last parts without arguments.
std::string short_operator(std::string_view name) {
  name = name.substr(0, name.find_first_of("[\""));
  std::size_t at = name.size();
  for (std::size_t i = 0; i < kNamedParts && at != std::string_view::npos && at > 0; ++i) {
    at = name.rfind('/', at - 1);
  }
  const bool is_whole = at == std::string_view::npos || at == 0;
  return shown_text(is_whole ? name : name.substr(at + 1));
}

std::string shape_of(std::string_view line) {
  const std::string_view shape = trimmed(behind(line, "Shape:"));
  return shown_text(shape.substr(0, shape.find_first_of("{ ")));
}

// "[32,4096,4096]"
std::vector<std::string_view> dimensions_of(std::string_view where) {
  const std::size_t open = where.find('[');
  const std::size_t close = where.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return fields_of(where.substr(open + 1, close - open - 1), ',');
}

void add_alike(HeldMemory one, std::vector<HeldMemory>& all) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const HeldMemory& h) { return h.where == one.where; });
  if (at == all.end()) {
    all.push_back(std::move(one));
    return;
  }
  at->size = at->size + one.size;
  ++at->blocks;
}

}  // namespace

std::vector<HeldMemory> xla_allocations(std::string_view text) {
  const std::size_t begin = text.find(kList);
  if (begin == std::string_view::npos) return {};
  std::vector<HeldMemory> all;
  HeldMemory one;
  std::string name;
  for (const std::string_view line : lines_of(text.substr(begin))) {
    if (const auto size = amount_behind(line, ". Size:")) {
      one = {"", *size, 1};
      name.clear();
    } else if (const auto op = behind(line, "op_name=\""); !op.empty()) {
      name = short_operator(op);
    } else if (contains(line, "Shape:") && one.size > Bytes()) {
      one.where = shape_of(line) + (name.empty() ? "" : " " + name);
      add_alike(std::move(one), all);
      one = {};
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const HeldMemory& a, const HeldMemory& b) { return a.size > b.size; });
  return all;
}

bool is_attention_scores(std::string_view where) {
  const std::vector<std::string_view> d = dimensions_of(where);
  if (d.size() < 3 || d[d.size() - 1] != d[d.size() - 2]) return false;
  return contains(where, "attention") || contains(where, "attn") || contains(where, "softmax") ||
         contains(where, "hqk");
}

}  // namespace orrery
