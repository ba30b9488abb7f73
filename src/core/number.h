// SPDX-License-Identifier: Apache-2.0
//
// The few functions a formula of the chain needs besides + − × ÷, for R = double and R = Traced.
//
//   lift<R>(x, label)   an input enters the chain: the number itself, or a leaf that knows its path
//   named(x, label)     a result gets its name; the identity when R = double
//   counted(x, label, parts)  an input that is recorded as the sum of its parts
//   larger, smaller, root, power
//
// With R = double all of it compiles to plain arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

#include "core/traced.h"
#include "orrery/quantity.h"

namespace orrery {

template <class R>
concept Number = std::same_as<R, double> || std::same_as<R, Traced>;

template <Number R>
constexpr double plain(R x) {
  if constexpr (std::same_as<R, Traced>) {
    return x.value;
  } else {
    return x;
  }
}

template <Dimension D, Number R>
constexpr Quantity<D> plain(Quantity<D, R> x) {
  return Quantity<D>(plain(x.si()));
}

template <Number R>
constexpr R lift(std::type_identity_t<double> x, const Label& label) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record_label(NodeKind::input, Traced(x), label, kNone);
  } else {
    return x;
  }
}

template <Number R, Dimension D>
constexpr Quantity<D, R> lift(Quantity<D> x, const Label& label) {
  if constexpr (std::same_as<R, Traced>) {
    return Quantity<D, R>(detail::record_label(NodeKind::input, Traced(x.si()), label, D));
  } else {
    return x;
  }
}

// A count enters the chain.
template <Number R>
constexpr R count(std::int64_t n, const Label& label) {
  return lift<R>(static_cast<double>(n), label);
}

template <Number R>
constexpr R named(R x, const Label& label) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record_label(NodeKind::name, x, label, kNone);
  } else {
    return x;
  }
}

template <Dimension D, Number R>
constexpr Quantity<D, R> named(Quantity<D, R> x, const Label& label) {
  if constexpr (std::same_as<R, Traced>) {
    return Quantity<D, R>(detail::record_label(NodeKind::name, x.si(), label, D));
  } else {
    return x;
  }
}

// A number that was counted beside the chain. Recorded, it is the sum that `parts` gives as a
// Traced one, where that has its value to the last bit; else, and with R = double, an input.
template <Number R, Dimension D, class Parts>
constexpr Quantity<D, R> counted(Quantity<D> total, const Label& label, Parts&& parts) {
  if constexpr (std::same_as<R, Traced>) {
    const Quantity<D, R> sum = parts();
    if (sum.si().value == total.si() && sum.si().node >= 0) return named(sum, label);
  }
  return lift<R>(total, label);
}

template <Number R>
constexpr R larger(R a, std::type_identity_t<R> b) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record(NodeKind::maximum, std::max(a.value, b.value), a, b);
  } else {
    return std::max(a, b);
  }
}

template <Number R>
constexpr R smaller(R a, std::type_identity_t<R> b) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record(NodeKind::minimum, std::min(a.value, b.value), a, b);
  } else {
    return std::min(a, b);
  }
}

template <Dimension D, Number R>
constexpr Quantity<D, R> larger(Quantity<D, R> a, std::type_identity_t<Quantity<D, R>> b) {
  return Quantity<D, R>(larger(a.si(), b.si()));
}

template <Dimension D, Number R>
constexpr Quantity<D, R> smaller(Quantity<D, R> a, std::type_identity_t<Quantity<D, R>> b) {
  return Quantity<D, R>(smaller(a.si(), b.si()));
}

template <Number R>
R root(R a) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record(NodeKind::square_root, std::sqrt(a.value), a, Traced());
  } else {
    return std::sqrt(a);
  }
}

template <Number R>
R power(R a, std::type_identity_t<R> b) {
  if constexpr (std::same_as<R, Traced>) {
    return detail::record(NodeKind::power, std::pow(a.value, b.value), a, b);
  } else {
    return std::pow(a, b);
  }
}

}  // namespace orrery
