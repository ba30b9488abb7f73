// SPDX-License-Identifier: Apache-2.0
#include "explore/families.h"

#include <algorithm>

namespace orrery {
namespace {

void keep_each_once(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void note(std::vector<std::int64_t>& values, std::int64_t v) {
  if (values.empty() || values.back() != v) values.push_back(v);
}

std::int64_t value_at(const Unit& u, const Point& p, SearchAxis a) {
  switch (a) {
    case SearchAxis::tp:
      return u.tp;
    case SearchAxis::pp:
      return u.pp;
    case SearchAxis::vpp:
      return p.vpp;
    case SearchAxis::cp:
      return u.cp;
    case SearchAxis::ep:
      return u.ep;
    case SearchAxis::etp:
      return u.etp;
    case SearchAxis::dp:
      return u.dp;
    case SearchAxis::micro_batch:
      return p.micro_batch;
    case SearchAxis::sequence_parallel:
      return p.sequence_parallel ? 1 : 0;
    case SearchAxis::zero:
      return p.zero;
    case SearchAxis::schedule:
      return static_cast<std::int64_t>(p.schedule);
    case SearchAxis::recompute:
      return p.recompute;
  }
  return 0;
}

}  // namespace

FamilyIndex::FamilyIndex(const Space& space, const std::vector<Unit>& units) {
  for (const Unit& u : units) {
    UnitWalk(space, u).cells([&](const SearchCell& c) {
      Point p = c.point;
      for (const std::int64_t zero : *c.zeros) {
        p.zero = static_cast<std::int8_t>(zero);
        note(values_[static_cast<std::size_t>(SearchAxis::zero)], zero);
      }
      for (std::size_t a = 0; a < kSearchAxes; ++a) {
        note(values_[a], value_at(u, p, static_cast<SearchAxis>(a)));
      }
    });
    for (auto& values : values_) keep_each_once(values);
  }
  for (std::size_t a = 0; a < kSearchAxes; ++a) first_[a + 1] = first_[a] + values_[a].size();
}

std::size_t FamilyIndex::of(SearchAxis a, std::int64_t value) const {
  const auto& values = values_[static_cast<std::size_t>(a)];
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  return first_[static_cast<std::size_t>(a)] + static_cast<std::size_t>(at - values.begin());
}

SearchAxis FamilyIndex::axis_of(std::size_t family) const {
  std::size_t a = 0;
  while (family >= first_[a + 1]) ++a;
  return static_cast<SearchAxis>(a);
}

std::int64_t FamilyIndex::value_of(std::size_t family) const {
  const auto a = static_cast<std::size_t>(axis_of(family));
  return values_[a][family - first_[a]];
}

std::array<std::size_t, kSearchAxes> FamilyIndex::of(const Unit& unit, const Point& point) const {
  std::array<std::size_t, kSearchAxes> families{};
  for (std::size_t a = 0; a < kSearchAxes; ++a) {
    const auto axis = static_cast<SearchAxis>(a);
    families[a] = of(axis, value_at(unit, point, axis));
  }
  return families;
}

}  // namespace orrery
