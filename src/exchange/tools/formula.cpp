// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/formula.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"

namespace orrery::tools {
namespace {

using Sign = double (*)(double, double);

// How tightly a sign holds its parts together.
enum class Tie : std::uint8_t { factor, term, loose };

struct NamedSign {
  std::string_view word;
  Tie tie;
  Sign apply;
};
constexpr std::array kSigns = {
    NamedSign{"*", Tie::factor, [](double a, double b) { return a * b; }},
    NamedSign{"/", Tie::factor, [](double a, double b) { return a / b; }},
    NamedSign{"+", Tie::term, [](double a, double b) { return a + b; }},
    NamedSign{"-", Tie::term, [](double a, double b) { return a - b; }},
    NamedSign{"//", Tie::factor, [](double a, double b) { return std::ceil(a / b); }},
    NamedSign{"up", Tie::loose, [](double a, double b) { return std::ceil(a / b) * b; }},
    NamedSign{"down", Tie::loose, [](double a, double b) { return std::floor(a / b) * b; }},
    NamedSign{"min", Tie::loose, [](double a, double b) { return std::min(a, b); }},
    NamedSign{"max", Tie::loose, [](double a, double b) { return std::max(a, b); }},
};

const NamedSign* sign_of(std::string_view word) {
  const auto found = std::find_if(kSigns.begin(), kSigns.end(),
                                  [&](const NamedSign& s) { return s.word == word; });
  return found == kSigns.end() ? nullptr : &*found;
}

// A formula as far as it is read: `sum` stands before the term that `product` goes on with.
class Reckoning {
 public:
  void take(const NamedSign& sign) {
    if (sign.tie != Tie::factor) fold();
    if (sign.tie == Tie::term) {
      add_ = product_ ? sign.apply : nullptr;
      sum_ = product_.value_or(0);
      product_.reset();
    } else {
      sign_ = sign.apply;
    }
  }

  void take(double part) {
    product_ = product_ && sign_ != nullptr ? sign_(*product_, part) : part;
    sign_ = nullptr;
  }

  std::optional<double> result() {
    fold();
    return product_;
  }

 private:
  void fold() {
    if (add_ != nullptr && product_) product_ = add_(sum_, *product_);
    add_ = nullptr;
  }

  std::optional<double> product_;
  double sum_ = 0;  // with `add_` alone
  Sign add_ = nullptr, sign_ = nullptr;
};

}  // namespace

bool is_sign(std::string_view word) { return sign_of(word) != nullptr; }

std::optional<std::int64_t> worked(
    const std::vector<std::string>& formula,
    const std::function<std::optional<double>(const std::string& name)>& value_of) {
  constexpr double kMost = 1e15;
  Reckoning reckoning;
  for (const std::string& word : formula) {
    if (const NamedSign* s = sign_of(word)) {
      reckoning.take(*s);
      continue;
    }
    const auto literal = parse_number(word);
    const std::optional<double> part = literal ? literal : value_of(word);
    if (!part) return {};
    reckoning.take(*part);
  }
  const std::optional<double> result = reckoning.result();
  const bool whole = result && *result >= 0 && *result <= kMost && *result == std::floor(*result);
  return whole ? std::optional(static_cast<std::int64_t>(*result)) : std::nullopt;
}

}  // namespace orrery::tools
