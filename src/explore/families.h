// SPDX-License-Identifier: Apache-2.0
//
// Numbers the families of a space: each value of each axis that some candidate has.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "explore/space.h"

namespace orrery {

class FamilyIndex {
 public:
  FamilyIndex(const Space& space, const std::vector<Unit>& units);

  std::size_t size() const { return first_[kSearchAxes]; }
  std::size_t of(SearchAxis a, std::int64_t value) const;
  SearchAxis axis_of(std::size_t family) const;
  std::int64_t value_of(std::size_t family) const;

  // Those of one candidate, by axis.
  std::array<std::size_t, kSearchAxes> of(const Unit& unit, const Point& point) const;

 private:
  std::array<std::vector<std::int64_t>, kSearchAxes> values_;
  std::array<std::size_t, kSearchAxes + 1> first_{};
};

}  // namespace orrery
