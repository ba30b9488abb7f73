// SPDX-License-Identifier: Apache-2.0
//
// The keys of `search` in a run file, of its axes and of their values (core/keys.h). The rows stand
// in search_keys.cpp; other documents refer to the tables by their address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/json_reader.h"
#include "core/keys.h"
#include "explore/axes.h"

namespace orrery {

struct UnitPrices;  // explore/conditions.h

inline constexpr std::size_t kMostAxisValues = 4096;

// All keys of a run file that may be searched, as other documents refer to them.
extern const KeyTable kRunFileDocument;

// The keys of `search`; its objects are read once the run is known.
struct SearchKeys {
  std::optional<Reader> axes, price, constraints, objective, pareto;
  std::int64_t top = 5;
  std::optional<double> tie;
};

struct AimKeys {
  std::optional<Reader> minimize, maximize;
};

struct StageEnds {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Numbers of an axis over a key of the run file.
struct ValueBounds {
  double min = 0;
  double max = 0;
  std::optional<double> step;
  std::optional<double> factor;
};

// An axis over a key of the run file that has a name without a dot.
struct OuterName {
  std::string_view name;
  const char* path;
};
inline constexpr std::size_t kOuterNameCount = 10;
extern const std::array<OuterName, kOuterNameCount> kOuterNames;

extern const Keys<ValueBounds> kBoundKeys;
extern const Keys<StageEnds> kStageEndKeys;
// By SearchAxis, then recompute_layers, partition and the outer names.
extern const KeyTable kAxesKeys;
extern const Keys<UnitPrices> kUnitPriceKeys;
extern const Keys<AimKeys> kAimKeys;
extern const Keys<SearchKeys> kSearchKeys;

}  // namespace orrery
