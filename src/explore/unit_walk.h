// SPDX-License-Identifier: Apache-2.0
//
// The candidates of one unit of a space, in their order: cells, and within a cell its points
// (space.h says what they are).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/points.h"

namespace orrery {

struct Base;
struct Space;
struct Strategy;

// Candidates that the rules judge alike, but for their sharding and their layers.
struct SearchCell {
  Point point;  // of the first
  std::int64_t first_layers = 0;
  std::int64_t layer_count = 1;  // numbers of recomputed layers, consecutive unless listed
  const std::vector<std::int64_t>* listed_layers = nullptr;
  const std::vector<Sharding>* shardings = nullptr;

  std::int64_t candidates() const {
    return layer_count * static_cast<std::int64_t>(shardings->size());
  }
  std::int64_t layers(std::int64_t i) const {
    return listed_layers != nullptr ? (*listed_layers)[static_cast<std::size_t>(i)]
                                    : first_layers + i;
  }
};

// The values of a unit's inner axes, and the walk over its cells.
class UnitWalk {
 public:
  UnitWalk(const Space& space, const Unit& unit);

  // Calls visit(const SearchCell&) for each cell in order; returns how many candidates there are.
  template <class Visit>
  std::int64_t cells(Visit&& visit) const {
    return shapes([&](SearchCell& cell) {
      for (std::size_t o = 0; o < offloads_; ++o) {
        visit(static_cast<const SearchCell&>(cell));
        ++cell.point.offload;
        cell.point.number += cell.candidates();
      }
    });
  }

  // Calls visit(SearchCell&) once for the cells that are one but for what is offloaded, with the
  // first of them; the others follow it. Returns how many candidates there are.
  template <class Visit>
  std::int64_t shapes(Visit&& visit) const {
    const auto offloads = static_cast<std::int64_t>(offloads_);
    std::int64_t number = 0;
    each_shape([&](SearchCell& cell) {
      const std::int64_t candidates = cell.candidates() * offloads;
      cell.point.number = number;
      visit(cell);
      number += candidates;
    });
    return number;
  }

  // The candidate of this number.
  Point point(std::int64_t number) const;

  const std::vector<Sharding>& shardings() const { return shardings_; }

  std::int64_t cell_count() const {
    return static_cast<std::int64_t>(sequence_parallel_.size() * micro_batch_.size() *
                                     ends_.size() * offloads_);
  }

 private:
  struct Chunked {
    ScheduleId schedule = ScheduleId::one_f_one_b;
    std::int64_t vpp = 1;
    std::size_t split = 0;
    std::int64_t most_layers = 0;      // of a chunk
    std::vector<std::int64_t> layers;  // that can be recomputed in full, where not all numbers can
  };
  struct Again {
    std::int64_t kind = 0;
    ModuleMask modules = 0;
  };

  // Cells that are one but for what is offloaded, once.
  template <class Visit>
  void each_shape(Visit&& visit) const {
    for (const std::int64_t sp : sequence_parallel_) {
      for (const std::int64_t micro_batch : micro_batch_) {
        each_layer_shape([&](SearchCell& cell) {
          cell.point.micro_batch = micro_batch;
          cell.point.sequence_parallel = sp != 0;
          visit(cell);
        });
      }
    }
  }

  // By what is recomputed and how layers are spread over the pipeline.
  template <class Visit>
  void each_layer_shape(Visit&& visit) const {
    for (const Again& again : recompute_) {
      for (const Chunked& c : schedules_) {
        SearchCell cell = cell_of(c, again);
        if (cell.layer_count > 0) visit(cell);
      }
    }
  }

  void add_recompute();
  void add_schedules(const Unit& unit);
  void add_splits(ScheduleId schedule, const Strategy& unlisted);
  void add_layers(Chunked& c) const;
  void add_shardings(const Unit& unit);
  void add_partitions(std::int64_t replicas);
  void number_cells();
  SearchCell cell_of(const Chunked& c, const Again& again) const;

  const Space& space_;
  const Base& base_;
  std::size_t offloads_;  // of the space
  std::int64_t pp_;
  std::vector<std::int64_t> sequence_parallel_;
  std::vector<std::int64_t> micro_batch_;
  std::vector<Again> recompute_;
  std::vector<Sharding> shardings_;
  std::vector<Chunked> schedules_;
  std::vector<std::int64_t> ends_;  // of one micro batch's candidates, where those of each cell end
};

// Calls visit(const Point&) for the candidates of a cell in order.
template <class Visit>
void for_each_point(const SearchCell& cell, Visit&& visit) {
  Point p = cell.point;
  for (std::int64_t i = 0; i < cell.layer_count; ++i) {
    p.recompute_layers = static_cast<std::int32_t>(cell.layers(i));
    for (const Sharding& sharding : *cell.shardings) {
      p.sharding = sharding;
      visit(static_cast<const Point&>(p));
      ++p.number;
    }
  }
}

}  // namespace orrery
