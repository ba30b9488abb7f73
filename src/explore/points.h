// SPDX-License-Identifier: Apache-2.0
//
// The places of a space of strategies (explore/space.h): a unit is a layout, a point within it what
// a layout leaves open. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/modules.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Unit {
  std::int64_t id = 0;
  std::size_t base = 0;
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
};

// How model states are spread over the replicas.
struct Sharding {
  std::int32_t weights = 1;
  std::int32_t gradients = 1;
  std::int32_t optimizer = 1;
  std::int8_t zero = 0;  // the nearest stage of ZeRO

  Partition partition() const { return {weights, gradients, optimizer}; }
  std::int64_t largest() const { return std::max({weights, gradients, optimizer}); }

  bool operator==(const Sharding&) const = default;
};

// The point of a candidate within its unit.
struct Point {
  std::int64_t number = 0;  // of the candidate within its unit
  std::int64_t micro_batch = 1;
  Sharding sharding;
  std::int32_t recompute_layers = 0;
  std::int16_t vpp = 1;
  std::int16_t split = 0;     // of Space::splits
  std::int16_t offload = 0;   // of Space::offloads
  std::int8_t recompute = 0;  // a RecomputeChoice
  ModuleMask modules = 0;     // where that is selective
  ScheduleId schedule = ScheduleId::one_f_one_b;
  bool sequence_parallel = false;

  bool operator==(const Point&) const = default;
};

struct Place {
  std::int64_t unit = -1;  // −1: there is none
  std::size_t base = 0;
  Point point;
};

}  // namespace orrery
