// SPDX-License-Identifier: Apache-2.0
//
// Quantities as distinct types: bytes never add to seconds, FLOPs over a rate give seconds.
//
// A quantity holds one number in SI base units (bytes, seconds, FLOPs, joules) and its dimension in
// its type. Products and quotients combine dimensions; sums, comparisons and assignments need equal
// ones. A dimensionless result converts to the plain number. Text with units is core/units.h.
//
// Rep is `double`, or core's Traced where `explain` records how a number came about.
#pragma once

#include <compare>

namespace orrery {

// Exponents of the base units.
struct Dimension {
  int bytes = 0;
  int seconds = 0;
  int flops = 0;
  int joules = 0;

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
  friend constexpr Dimension operator+(Dimension a, Dimension b) {
    return {a.bytes + b.bytes, a.seconds + b.seconds, a.flops + b.flops, a.joules + b.joules};
  }
  friend constexpr Dimension operator-(Dimension a, Dimension b) {
    return {a.bytes - b.bytes, a.seconds - b.seconds, a.flops - b.flops, a.joules - b.joules};
  }
};

inline constexpr Dimension kNone{};
inline constexpr Dimension kBytes{1, 0, 0, 0};
inline constexpr Dimension kSeconds{0, 1, 0, 0};
inline constexpr Dimension kFlops{0, 0, 1, 0};
inline constexpr Dimension kJoules{0, 0, 0, 1};

template <Dimension D, class Rep = double>
class Quantity {
 public:
  using rep = Rep;
  static constexpr Dimension dimension = D;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep si) : si_(si) {}

  // The number in SI base units. Use it to print or to leave the typed world on purpose.
  constexpr Rep si() const { return si_; }

  // A pure number needs no unwrapping.
  constexpr operator Rep() const  // NOLINT(google-explicit-constructor)
      requires(D == kNone) {
    return si_;
  }

  constexpr Quantity& operator+=(Quantity o) { return *this = *this + o; }
  constexpr Quantity& operator-=(Quantity o) { return *this = *this - o; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.si_ + b.si_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.si_ - b.si_); }
  friend constexpr Quantity operator*(Quantity a, Rep k) { return Quantity(a.si_ * k); }
  friend constexpr Quantity operator*(Rep k, Quantity a) { return Quantity(k * a.si_); }
  friend constexpr Quantity operator/(Quantity a, Rep k) { return Quantity(a.si_ / k); }
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.si_ == b.si_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.si_ < b.si_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return b.si_ < a.si_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return !(b.si_ < a.si_); }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return !(a.si_ < b.si_); }

 private:
  Rep si_{};
};

template <Dimension A, Dimension B, class R>
constexpr auto operator*(Quantity<A, R> a, Quantity<B, R> b) {
  return Quantity<A + B, R>(a.si() * b.si());
}

template <Dimension A, Dimension B, class R>
constexpr auto operator/(Quantity<A, R> a, Quantity<B, R> b) {
  return Quantity<A - B, R>(a.si() / b.si());
}

template <class R>
using BytesOf = Quantity<kBytes, R>;
template <class R>
using SecondsOf = Quantity<kSeconds, R>;
template <class R>
using FlopsOf = Quantity<kFlops, R>;
template <class R>
using BytesPerSecondOf = Quantity<kBytes - kSeconds, R>;
template <class R>
using FlopsPerSecondOf = Quantity<kFlops - kSeconds, R>;

using Bytes = BytesOf<double>;
using Seconds = SecondsOf<double>;
using Flops = FlopsOf<double>;
using BytesPerSecond = BytesPerSecondOf<double>;
using FlopsPerSecond = FlopsPerSecondOf<double>;
using PerSecond = Quantity<kNone - kSeconds>;  // events, tokens, clock cycles
using Joules = Quantity<kJoules>;
using Watts = Quantity<kJoules - kSeconds>;

inline constexpr double kMicro = 1e-6;
inline constexpr double kMilli = 1e-3;
inline constexpr double kMega = 1e6;
inline constexpr double kGiga = 1e9;
inline constexpr double kTera = 1e12;

inline constexpr Bytes kGiB{1024.0 * 1024.0 * 1024.0};
inline constexpr Bytes kGB{1e9};
inline constexpr Joules kKilowattHour{3.6e6};
inline constexpr Seconds kHour{3600};
inline constexpr Seconds kDay{86400};
inline constexpr Seconds kYear{365.25 * kDay};

}  // namespace orrery
