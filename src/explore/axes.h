// SPDX-License-Identifier: Apache-2.0
//
// What a search varies: for each axis the values that are listed, or bounds on those that are tried
// where nothing is said.
//
// Free values. tp, cp, pp: divisors of the GPUs. dp: what is left of them. ep: divisors of the
// experts. etp: divisors of tp. micro_batch: divisors of the global batch. vpp: what the schedule
// can take, up to two chunks more than layers. schedule: 1f1b, and interleaved where pp is above 1,
// the two a run file takes when it names none. zero: 0 to 3. sequence_parallel: both where tp is
// above 1. recompute: none, selective, full, and full of the first n layers of every chunk for each
// n ("layers"). Everything else of a strategy is as the run file says, or the framework's.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/strategy.h"

namespace orrery {

enum class SearchAxis : std::uint8_t {
  tp,
  pp,
  vpp,
  cp,
  ep,
  etp,
  dp,
  micro_batch,
  sequence_parallel,
  zero,
  schedule,
  recompute,
};
inline constexpr std::size_t kSearchAxes = 12;
inline constexpr std::array<std::string_view, kSearchAxes> kSearchAxisNames = {
    "tp",   "pp",       "vpp",      "cp", "ep", "etp", "dp", "micro_batch", "sequence_parallel",
    "zero", "schedule", "recompute"};

// Of the axis `recompute`: kRecomputeNames, and full of some layers.
inline constexpr std::array<std::string_view, 4> kRecomputeChoices = {"none", "selective", "full",
                                                                      "layers"};
inline constexpr std::int64_t kLayersChoice = 3;

// Values of enumerations are their numbers, of truths 0 and 1.
struct AxisValues {
  std::vector<std::int64_t> listed;  // empty: free
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();

  bool is_free() const { return listed.empty(); }
};

struct Axes {
  std::array<AxisValues, kSearchAxes> values;
  AxisValues recompute_layers;  // of "layers"

  AxisValues& operator[](SearchAxis a) { return values[static_cast<std::size_t>(a)]; }
  const AxisValues& operator[](SearchAxis a) const { return values[static_cast<std::size_t>(a)]; }
};

// The listed values, or those of `free` within the bounds.
std::vector<std::int64_t> chosen(const AxisValues& axis, const std::vector<std::int64_t>& free);

// Sorted.
std::vector<std::int64_t> divisors(std::int64_t n);

// The value of a strategy on an axis.
std::int64_t value_of(const Strategy& s, SearchAxis a);

// "8", "interleaved", "true", "layers"
std::string text_of(SearchAxis a, std::int64_t value);

}  // namespace orrery
