// SPDX-License-Identifier: Apache-2.0
//
// The digits of a rank in which the members of a group differ, in Megatron-LM's two numberings of
// the same ranks (placement.h), and who these members are. Errors: none; the strategy must be
// legal.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/enum_names.h"
#include "parallel/placement_list.h"
#include "parallel/strategy.h"

namespace orrery {

using DimSizes = EnumArray<Dim, std::int64_t>;

inline DimSizes dense_sizes(const Strategy& s) { return {s.tp, s.cp, 1, s.dp, s.pp}; }
inline DimSizes expert_sizes(const Strategy& s) { return {s.etp, 1, s.ep, expert_dp(s), s.pp}; }

constexpr unsigned bit(Dim d) { return 1U << static_cast<unsigned>(d); }

inline Digits digits_of(const RankOrder& order, const DimSizes& sizes, unsigned dims) {
  Digits digits;
  std::int64_t stride = 1;
  for (const Dim d : order) {
    const std::int64_t size = sizes[d];
    if ((dims & bit(d)) != 0) digits.append({stride, size});
    stride *= size;
  }
  return digits;
}

inline std::int64_t size_of(const Digits& digits) {
  std::int64_t size = 1;
  for (std::size_t i = 0; i < digits.count; ++i) size *= digits.at[i].size;
  return size;
}

// The lowest outer/inner values of the digits, without the lowest `inner`.
inline Digits part_of(const Digits& whole, std::int64_t inner, std::int64_t outer) {
  Digits part;
  std::int64_t skip = inner;
  std::int64_t take = outer / inner;
  for (std::size_t i = 0; i < whole.count; ++i) {
    Digit d = whole.at[i];
    const std::int64_t skipped = std::gcd(skip, d.size);
    skip /= skipped;
    d = {d.stride * skipped, d.size / skipped};
    d.size = std::gcd(take, d.size);
    take /= d.size;
    part.append(d);
  }
  return part;
}

// The ranks of the group of `rank`, in order.
std::vector<std::int64_t> members_of(const Digits& digits, std::int64_t rank);

}  // namespace orrery
