// SPDX-License-Identifier: Apache-2.0
//
// Numbers the families of a space: each value of each axis that some candidate has, first the inner
// axes (kSearchAxes), then the outer ones, whose values are counted; and for a picture the pairs of
// values of two axes, as one more axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "explore/points.h"

namespace orrery {

struct Space;

struct AxisPair {
  std::size_t x = 0;
  std::size_t y = 0;

  static constexpr std::int64_t code(std::int64_t x, std::int64_t y) { return x << 31 | y; }
  static constexpr std::int64_t x_of(std::int64_t code) { return code >> 31; }
  static constexpr std::int64_t y_of(std::int64_t code) {
    return code & ((std::int64_t{1} << 31) - 1);
  }
};

using FamilyIds = std::vector<std::size_t>;  // by axis

template <class T>
void keep_each_once(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

class FamilyIndex {
 public:
  FamilyIndex(const Space& space, const std::vector<Unit>& units,
              const std::optional<AxisPair>& pair, const std::function<bool()>& stopped);

  // Axes with many values in one cell: zero and zero_shard_group.
  static bool is_of_sharding(std::size_t axis);
  static std::array<std::size_t, 2> of_sharding(const FamilyIds& ids);

  std::size_t size() const { return first_.back(); }
  std::size_t axes() const { return values_.size(); }
  std::size_t of(std::size_t axis, std::int64_t value) const;
  std::size_t axis_of(std::size_t family) const;
  std::int64_t value_of(std::size_t family) const;

  // Families that all candidates of a unit share, by axis; the other ids stay as they are.
  void find_unit(const Unit& unit, FamilyIds& ids) const;
  // After find_unit(), the families of one candidate.
  void find_point(const Unit& unit, const Point& point, FamilyIds& ids) const;
  // After find_point(), for a candidate that differs in its offload only; then its sharding only.
  void find_offload(const Unit& unit, const Point& point, FamilyIds& ids) const;
  void find_sharding(const Sharding& sharding, FamilyIds& ids) const;

 private:
  void note_cells(const Unit& unit);
  std::int64_t value_at(const Unit& unit, const Point& point, std::size_t axis) const;
  std::int64_t pair_at(const Unit& unit, const Point& point) const;

  const Space& space_;
  std::optional<AxisPair> pair_;
  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::size_t> first_;
};

}  // namespace orrery
