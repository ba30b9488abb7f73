// SPDX-License-Identifier: Apache-2.0
#include "explore/contenders.h"

#include <algorithm>

namespace orrery {

void Contenders::add(const Candidate& c, std::size_t aim_count) {
  list.push_back({c.bound, c.objective, c.point.number, static_cast<std::int32_t>(c.unit),
                  static_cast<std::int16_t>(c.refused_by), c.fit_rank});
  for (std::size_t i = 0; i < aim_count; ++i) aims.push_back(c.aims[i]);
}

void Contenders::add(const Contenders& others) {
  list.insert(list.end(), others.list.begin(), others.list.end());
  aims.insert(aims.end(), others.aims.begin(), others.aims.end());
}

AimValues Contenders::aims_of(std::size_t i) const {
  AimValues values{};
  const std::size_t n = aims.size() / list.size();
  for (std::size_t a = 0; a < n; ++a) values[a] = aims[i * n + a];
  return values;
}

bool Admission::lets_in(double bound, const AimValues& aims, const Front& front) const {
  return incumbents_.lets_in(bound) || (front.aims() > 0 && !front.beats(aims));
}

bool Admission::any_family_lets_in(const Unit& unit, const Point& point, double bound) {
  if (found_ != unit.id) families_->find_unit(unit, ids_);
  found_ = unit.id;
  families_->find_point(unit, point, ids_);
  return std::any_of(ids_.begin(), ids_.end(),
                     [&](std::size_t f) { return incumbents_.lets_in(bound, f); });
}

bool Admission::may_count(const Candidate& c, const Front& front) {
  if (lets_in(c.bound, c.aims, front)) return true;
  if (families_ == nullptr) return false;
  return any_family_lets_in(units_[static_cast<std::size_t>(c.unit)], c.point, c.bound);
}

bool Admission::may_count(const Contender& c, const AimValues& aims, const Front& front) {
  if (lets_in(c.bound, aims, front)) return true;
  if (families_ == nullptr) return false;
  const Unit& unit = units_[static_cast<std::size_t>(c.unit)];
  return any_family_lets_in(unit, walk_of(unit).point(c.number), c.bound);
}

const UnitWalk& Admission::walk_of(const Unit& unit) {
  if (walked_ != unit.id) walk_.emplace(space_, unit);
  walked_ = unit.id;
  return *walk_;
}

}  // namespace orrery
