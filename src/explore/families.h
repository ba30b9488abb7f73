// SPDX-License-Identifier: Apache-2.0
//
// Numbers the families of a space: each value of each axis that some candidate has, the inner axes
// first (kSearchAxes), then the outer ones, whose values are counted.
#pragma once

#include <cstddef>
#include <vector>

#include "explore/space.h"

namespace orrery {

using FamilyIds = std::vector<std::size_t>;  // by axis

class FamilyIndex {
 public:
  FamilyIndex(const Space& space, const std::vector<Unit>& units);

  std::size_t size() const { return first_.back(); }
  std::size_t axes() const { return values_.size(); }
  std::size_t of(std::size_t axis, std::int64_t value) const;
  std::size_t axis_of(std::size_t family) const;
  std::int64_t value_of(std::size_t family) const;

  // Those of one candidate, by axis.
  void find(const Unit& unit, const Point& point, FamilyIds& ids) const;
  // After find(), for a candidate that differs in its sharding only.
  void find_sharding(const Sharding& sharding, FamilyIds& ids) const;

 private:
  void note_cells(const Unit& unit);

  const Space& space_;
  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::size_t> first_;
};

}  // namespace orrery
