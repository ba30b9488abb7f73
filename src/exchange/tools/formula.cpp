// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/formula.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"

namespace orrery::tools {
namespace {

using Sign = double (*)(double, double);

struct NamedSign {
  std::string_view word;
  Sign apply;
};
constexpr std::array kSigns = {
    NamedSign{"*", [](double a, double b) { return a * b; }},
    NamedSign{"/", [](double a, double b) { return a / b; }},
    NamedSign{"+", [](double a, double b) { return a + b; }},
    NamedSign{"-", [](double a, double b) { return a - b; }},
    NamedSign{"//", [](double a, double b) { return std::ceil(a / b); }},
    NamedSign{"up", [](double a, double b) { return std::ceil(a / b) * b; }},
    NamedSign{"down", [](double a, double b) { return std::floor(a / b) * b; }},
    NamedSign{"min", [](double a, double b) { return std::min(a, b); }},
    NamedSign{"max", [](double a, double b) { return std::max(a, b); }},
};

const NamedSign* sign_of(std::string_view word) {
  const auto found = std::find_if(kSigns.begin(), kSigns.end(),
                                  [&](const NamedSign& s) { return s.word == word; });
  return found == kSigns.end() ? nullptr : &*found;
}

}  // namespace

bool is_sign(std::string_view word) { return sign_of(word) != nullptr; }

std::optional<std::int64_t> worked(
    const std::vector<std::string>& formula,
    const std::function<std::optional<double>(const std::string& name)>& value_of) {
  constexpr double kMost = 1e15;
  std::optional<double> result;
  Sign sign = nullptr;
  for (const std::string& word : formula) {
    if (const NamedSign* s = sign_of(word)) {
      sign = s->apply;
      continue;
    }
    const auto literal = parse_number(word);
    const std::optional<double> part = literal ? literal : value_of(word);
    if (!part) return {};
    result = result && sign != nullptr ? sign(*result, *part) : *part;
  }
  const bool whole = result && *result >= 0 && *result <= kMost && *result == std::floor(*result);
  return whole ? std::optional(static_cast<std::int64_t>(*result)) : std::nullopt;
}

}  // namespace orrery::tools
