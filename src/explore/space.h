// SPDX-License-Identifier: Apache-2.0
//
// The space of a search: every combination of the axes' values whose degrees make up the GPUs, in
// one fixed order.
//
// A unit is one set of degrees (tp, cp, pp, dp, ep, etp): what a worker takes at a time. Within it
// the rest is walked in cells: one sequence-parallel switch, micro batch, kind of recompute,
// schedule and vpp, which the rules judge once; a cell holds a candidate for each number of
// recomputed layers and each ZeRO stage. A candidate's place is (unit, number within it), the same
// however the work is shared out.
// A combination that cannot be different from another one is counted once: sequence parallelism
// with tp 1, ZeRO where there is one replica, an interleaved schedule without a pipeline.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/run.h"
#include "explore/axes.h"

namespace orrery {

struct Space {
  Run base;  // the strategy holds what no axis varies
  Axes axes;
  std::int64_t zero_shard_group = 0;   // 0: all replicas
  std::optional<Partition> partition;  // in ZeRO's place
  std::optional<RecomputeMethod> recompute_method;
};

struct Unit {
  std::int64_t id = 0;
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
};

std::vector<Unit> units_of(const Space& space);

// What varies within a unit.
struct Point {
  std::int64_t number = 0;  // of the candidate within its unit
  std::int64_t micro_batch = 1;
  std::int32_t recompute_layers = 0;
  std::int16_t vpp = 1;
  std::int8_t zero = 0;
  std::int8_t recompute = 0;  // of kRecomputeChoices
  ScheduleId schedule = ScheduleId::one_f_one_b;
  bool sequence_parallel = false;
};

void set_degrees(const Space& space, const Unit& unit, Strategy& s);
// After set_degrees.
void set_point(const Space& space, const Point& point, Strategy& s);

// Candidates that the rules judge alike.
struct SearchCell {
  Point point;  // of the first
  std::int64_t first_layers = 0;
  std::int64_t layer_count = 1;  // numbers of recomputed layers, consecutive unless listed
  const std::vector<std::int64_t>* listed_layers = nullptr;
  const std::vector<std::int64_t>* zeros = nullptr;

  std::int64_t candidates() const { return layer_count * static_cast<std::int64_t>(zeros->size()); }
};

// The values of a unit's inner axes, and the walk over its cells.
class UnitWalk {
 public:
  UnitWalk(const Space& space, const Unit& unit);

  // Calls visit(const SearchCell&) for each cell in order; returns how many candidates there are.
  template <class Visit>
  std::int64_t cells(Visit&& visit) const {
    std::int64_t number = 0;
    for (const std::int64_t sp : sequence_parallel_) {
      for (const std::int64_t micro_batch : micro_batch_) {
        for (const std::int64_t recompute : recompute_) {
          for (const Chunked& c : schedules_) {
            SearchCell cell = cell_of(c, recompute);
            if (cell.layer_count == 0) continue;
            cell.point.number = number;
            cell.point.micro_batch = micro_batch;
            cell.point.sequence_parallel = sp != 0;
            visit(static_cast<const SearchCell&>(cell));
            number += cell.candidates();
          }
        }
      }
    }
    return number;
  }

 private:
  struct Chunked {
    ScheduleId schedule = ScheduleId::one_f_one_b;
    std::int64_t vpp = 1;
  };

  void add_schedules(const Space& space, const Unit& unit);
  SearchCell cell_of(const Chunked& c, std::int64_t recompute) const;

  const Space& space_;
  std::int64_t pp_;
  std::vector<std::int64_t> sequence_parallel_;
  std::vector<std::int64_t> micro_batch_;
  std::vector<std::int64_t> recompute_;
  std::vector<std::int64_t> zero_;
  std::vector<Chunked> schedules_;
};

// Calls visit(const Point&) for the candidates of a cell in order.
template <class Visit>
void for_each_point(const SearchCell& cell, Visit&& visit) {
  Point p = cell.point;
  for (std::int64_t i = 0; i < cell.layer_count; ++i) {
    p.recompute_layers = static_cast<std::int32_t>(
        cell.listed_layers != nullptr ? (*cell.listed_layers)[static_cast<std::size_t>(i)]
                                      : cell.first_layers + i);
    for (const std::int64_t zero : *cell.zeros) {
      p.zero = static_cast<std::int8_t>(zero);
      visit(static_cast<const Point&>(p));
      ++p.number;
    }
  }
}

}  // namespace orrery
