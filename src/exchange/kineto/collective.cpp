// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "core/json.h"
#include "exchange/collective_names.h"
#include "exchange/kineto/trace_events.h"
#include "exchange/kineto/work.h"
#include "exchange/text_lines.h"

namespace orrery::detail {
namespace {

struct ElementSize {
  std::string_view name;  // of c10::ScalarType
  double bytes;
};

constexpr std::array<ElementSize, 11> kElements = {{{"BFloat16", 2},
                                                    {"Half", 2},
                                                    {"Float", 4},
                                                    {"Double", 8},
                                                    {"Long", 8},
                                                    {"Int", 4},
                                                    {"Short", 2},
                                                    {"Byte", 1},
                                                    {"Char", 1},
                                                    {"Bool", 1},
                                                    {"Float8_e4m3fn", 1}}};

double element_size(std::string_view name) {
  const auto found = std::find_if(kElements.begin(), kElements.end(),
                                  [&](const ElementSize& e) { return e.name == name; });
  return found == kElements.end() ? 0 : found->bytes;
}

// The numbers of "[0, 1, 2, ..., 127]", text or array; what was left out for length stays out.
std::vector<std::int64_t> numbers_in(const Json& given) {
  const std::string text = given.is_string()
                               ? given.get<std::string>()
                               : given.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<std::int64_t> numbers;
  bool within = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !within) numbers.push_back(0);
    constexpr std::int64_t kMost = 100'000'000;
    if (digit) numbers.back() = std::min(kMost, numbers.back() * 10 + (c - '0'));
    within = digit;
  }
  return numbers;
}

std::vector<std::int64_t> numbers_at(const Json& args, const char* key) {
  const auto found = args.find(key);
  return found == args.end() ? std::vector<std::int64_t>{} : numbers_in(*found);
}

// Side by side from a multiple of their number: rank `first` + i is the i-th.
bool are_side_by_side(const std::vector<std::int64_t>& ranks, std::int64_t size) {
  if (ranks.empty() || ranks.front() % size != 0 || ranks.back() != ranks.front() + size - 1) {
    return false;
  }
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    if (ranks[i] != ranks.front() + static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// The full buffer, in elements (network/collective.h); nothing where in and out do not fit.
std::optional<double> buffer_of(Collective kind, double in, double out, double ranks) {
  if (kind == Collective::all_gather) return out == in * ranks ? std::optional(out) : std::nullopt;
  if (kind == Collective::reduce_scatter) {
    return in == out * ranks ? std::optional(in) : std::nullopt;
  }
  return in == out ? std::optional(in) : std::nullopt;
}

// Several collectives in one kernel, or parts of unequal size, do not give the time of one.
std::optional<Collective> kind_of_kernel(const std::string& name, const Json& args) {
  if (contains(name, "coalesced")) return {};
  for (const char* key : {"In split size", "Out split size"}) {
    const std::vector<std::int64_t> parts = numbers_at(args, key);
    if (std::any_of(parts.begin(), parts.end(),
                    [&](std::int64_t n) { return n != parts.front(); })) {
      return {};
    }
  }
  const auto kind = collective_named(name);
  return kind == Collective::point_to_point ? std::nullopt : kind;
}

}  // namespace

bool has_collective(const Json& args) { return !text_at(args, "Collective name").empty(); }

TracedWork collective_work(const Json& args, std::int64_t world) {
  const std::string name = text_at(args, "Collective name");
  if (name.empty()) return {{}, "collectives whose kernel does not say its size"};
  const auto kind = kind_of_kernel(name, args);
  if (!kind) return {{}, "collectives by the name of " + name};
  const std::int64_t ranks = whole_at(args, "Group size").value_or(0);
  if (ranks < 2) return {{}, "collectives of one rank, or of ranks unsaid"};
  const std::vector<std::int64_t> group = numbers_at(args, "Process Group Ranks");
  if (group.empty() ? ranks != world : !are_side_by_side(group, ranks)) {
    return {{}, "collectives over ranks that are not side by side, or unsaid"};
  }
  const auto in = static_cast<double>(whole_at(args, "In msg nelems").value_or(0));
  const auto out = static_cast<double>(whole_at(args, "Out msg nelems").value_or(0));
  const auto elements = buffer_of(*kind, in, out, static_cast<double>(ranks));
  const double size = elements.value_or(0) * element_size(text_at(args, "dtype"));
  if (size < 1) return {{}, "collectives whose bytes are unsaid"};
  return {MeasuredCollective{*kind, ranks, Bytes(size)}, ""};
}

}  // namespace orrery::detail
