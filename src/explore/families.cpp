// SPDX-License-Identifier: Apache-2.0
#include "explore/families.h"

#include <algorithm>
#include <array>

#include "explore/space.h"
#include "explore/unit_walk.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

void note(std::vector<std::int64_t>& values, std::int64_t v) {
  if (values.empty() || values.back() != v) values.push_back(v);
}

constexpr std::size_t index(SearchAxis a) { return static_cast<std::size_t>(a); }

constexpr std::array kAxesOfUnits = {SearchAxis::tp, SearchAxis::pp,  SearchAxis::cp,
                                     SearchAxis::ep, SearchAxis::etp, SearchAxis::dp};
constexpr std::array kAxesOfPoints = {
    SearchAxis::vpp,         SearchAxis::micro_batch,       SearchAxis::sequence_parallel,
    SearchAxis::zero,        SearchAxis::zero_shard_group,  SearchAxis::schedule,
    SearchAxis::recompute,   SearchAxis::recompute_modules, SearchAxis::offload,
    SearchAxis::stage_layers};
static_assert(kAxesOfUnits.size() + kAxesOfPoints.size() == kSearchAxes);

}  // namespace

bool FamilyIndex::is_of_sharding(std::size_t axis) {
  return axis == index(SearchAxis::zero) || axis == index(SearchAxis::zero_shard_group);
}

std::array<std::size_t, 2> FamilyIndex::of_sharding(const FamilyIds& ids) {
  return {ids[index(SearchAxis::zero)], ids[index(SearchAxis::zero_shard_group)]};
}

FamilyIndex::FamilyIndex(const Space& space, const std::vector<Unit>& units,
                         const std::optional<AxisPair>& pair, const std::function<bool()>& stopped)
    : space_(space), pair_(pair), values_(kSearchAxes + space.outer.size() + (pair ? 1 : 0)) {
  for (const Unit& u : units) {
    if (stopped && stopped()) break;  // then no unit is searched
    note_cells(u);
    for (auto& values : values_) keep_each_once(values);
  }
  first_.push_back(0);
  for (const auto& values : values_) first_.push_back(first_.back() + values.size());
}

std::int64_t FamilyIndex::value_at(const Unit& unit, const Point& point, std::size_t axis) const {
  if (axis < kSearchAxes) {
    return orrery::value_at(space_, unit, point, static_cast<SearchAxis>(axis));
  }
  return static_cast<std::int64_t>(space_.bases[unit.base].choice[axis - kSearchAxes]);
}

std::int64_t FamilyIndex::pair_at(const Unit& unit, const Point& point) const {
  return AxisPair::code(value_at(unit, point, pair_->x), value_at(unit, point, pair_->y));
}

void FamilyIndex::note_cells(const Unit& unit) {
  const UnitWalk walk(space_, unit);
  walk.cells([&](const SearchCell& c) {
    for (std::size_t a = 0; a < kSearchAxes; ++a) {
      if (!is_of_sharding(a)) note(values_[a], value_at(unit, c.point, a));
    }
    if (pair_) note(values_.back(), pair_at(unit, c.point));
  });
  for (const Sharding& s : walk.shardings()) {
    note(values_[index(SearchAxis::zero)], s.zero);
    note(values_[index(SearchAxis::zero_shard_group)], s.largest());
  }
  const std::vector<std::size_t>& choice = space_.bases[unit.base].choice;
  for (std::size_t o = 0; o < choice.size(); ++o) {
    note(values_[kSearchAxes + o], static_cast<std::int64_t>(choice[o]));
  }
}

std::size_t FamilyIndex::of(std::size_t axis, std::int64_t value) const {
  const auto& values = values_[axis];
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  return first_[axis] + static_cast<std::size_t>(at - values.begin());
}

std::size_t FamilyIndex::axis_of(std::size_t family) const {
  std::size_t a = 0;
  while (family >= first_[a + 1]) ++a;
  return a;
}

std::int64_t FamilyIndex::value_of(std::size_t family) const {
  const std::size_t a = axis_of(family);
  return values_[a][family - first_[a]];
}

void FamilyIndex::find_unit(const Unit& unit, FamilyIds& ids) const {
  ids.resize(values_.size());
  for (const SearchAxis a : kAxesOfUnits) {
    ids[index(a)] = of(index(a), orrery::value_at(space_, unit, {}, a));
  }
  const std::vector<std::size_t>& choice = space_.bases[unit.base].choice;
  for (std::size_t o = 0; o < choice.size(); ++o) {
    ids[kSearchAxes + o] = of(kSearchAxes + o, static_cast<std::int64_t>(choice[o]));
  }
}

void FamilyIndex::find_point(const Unit& unit, const Point& point, FamilyIds& ids) const {
  for (const SearchAxis a : kAxesOfPoints) {
    ids[index(a)] = of(index(a), orrery::value_at(space_, unit, point, a));
  }
  if (pair_) ids.back() = of(values_.size() - 1, pair_at(unit, point));
}

void FamilyIndex::find_offload(const Unit& unit, const Point& point, FamilyIds& ids) const {
  constexpr std::size_t kOffload = index(SearchAxis::offload);
  ids[kOffload] = of(kOffload, orrery::value_at(space_, unit, point, SearchAxis::offload));
  if (pair_) ids.back() = of(values_.size() - 1, pair_at(unit, point));
}

void FamilyIndex::find_sharding(const Sharding& sharding, FamilyIds& ids) const {
  ids[index(SearchAxis::zero)] = of(index(SearchAxis::zero), sharding.zero);
  ids[index(SearchAxis::zero_shard_group)] =
      of(index(SearchAxis::zero_shard_group), sharding.largest());
}

}  // namespace orrery
