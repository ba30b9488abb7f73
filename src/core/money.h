// SPDX-License-Identifier: Apache-2.0
//
// Money as a type: an amount in a currency, and prices per second, joule, …
//
// A price times its quantity is money. Sums need one currency; mixing two is a fault of Orrery
// (std::logic_error), because readers convert every price into the plan's currency or refuse it.
// Leaves out inflation, interest and taxes. Amounts are in units of the currency, per SI unit.
#pragma once

#include <array>
#include <compare>
#include <stdexcept>
#include <string>

#include "orrery/quantity.h"

namespace orrery {

// ISO 4217: "USD".
struct Currency {
  std::array<char, 3> code{'U', 'S', 'D'};

  std::string text() const { return {code.begin(), code.end()}; }
  friend constexpr bool operator==(const Currency&, const Currency&) = default;
};

template <Dimension D>
class MoneyPer {
 public:
  static constexpr Dimension dimension = D;

  constexpr MoneyPer() = default;
  constexpr MoneyPer(double amount, Currency currency) : amount_(amount), currency_(currency) {}

  constexpr double amount() const { return amount_; }
  constexpr Currency currency() const { return currency_; }

  MoneyPer& operator+=(MoneyPer o) { return *this = *this + o; }

  friend MoneyPer operator+(MoneyPer a, MoneyPer b) {
    check(a, b);
    return {a.amount_ + b.amount_, a.currency_};
  }
  friend MoneyPer operator-(MoneyPer a, MoneyPer b) {
    check(a, b);
    return {a.amount_ - b.amount_, a.currency_};
  }
  friend constexpr MoneyPer operator*(MoneyPer a, double k) { return {a.amount_ * k, a.currency_}; }
  friend constexpr MoneyPer operator/(MoneyPer a, double k) { return {a.amount_ / k, a.currency_}; }
  friend double operator/(MoneyPer a, MoneyPer b) {
    check(a, b);
    return a.amount_ / b.amount_;
  }
  friend bool operator==(const MoneyPer&, const MoneyPer&) = default;
  friend bool operator<(MoneyPer a, MoneyPer b) {
    check(a, b);
    return a.amount_ < b.amount_;
  }

 private:
  static void check(MoneyPer a, MoneyPer b) {
    if (a.currency_ == b.currency_) return;
    throw std::logic_error("a sum of " + a.currency_.text() + " and " + b.currency_.text());
  }

  double amount_ = 0;
  Currency currency_;
};

using Money = MoneyPer<kNone>;
using MoneyPerSecond = MoneyPer<kSeconds>;
using MoneyPerJoule = MoneyPer<kJoules>;
using MoneyPerByte = MoneyPer<kBytes>;
using MoneyPerByteSecond = MoneyPer<kBytes + kSeconds>;

// The cost of a quantity at a price per SI unit.
template <Dimension D>
requires(D != kNone) constexpr Money operator*(MoneyPer<D> price, Quantity<D> quantity) {
  return {price.amount() * quantity.si(), price.currency()};
}

// Money over a quantity is its price.
template <Dimension D>
requires(D != kNone) constexpr MoneyPer<D> operator/(Money m, Quantity<D> quantity) {
  return {m.amount() / quantity.si(), m.currency()};
}

}  // namespace orrery
