// SPDX-License-Identifier: Apache-2.0
//
// Candidates that were estimated and may be in the answer: the data kept of each, and the test
// whether it still may. A large space has many of them, so only the data for that test is kept; the
// rest of a candidate follows from its place.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "explore/candidate.h"
#include "explore/families.h"
#include "explore/front.h"
#include "explore/incumbents.h"
#include "explore/unit_walk.h"

namespace orrery {

struct Contender {
  double bound = 0;
  double objective = 0;
  std::int64_t number = 0;  // within its unit
  std::int32_t unit = 0;
  std::int16_t refused_by = -1;
  std::int8_t fit_rank = 0;
};

// Long, and never copied to grow.
struct Contenders {
  std::deque<Contender> list;
  std::deque<double> aims;  // bounds of the front's, those of one contender after another's

  void add(const Candidate& c, std::size_t aim_count);
  void add(const Contenders& others);
  AimValues aims_of(std::size_t i) const;

  // keep(const Contender&, const AimValues&), of each in order.
  template <class Keep>
  void keep_if(Keep&& keep) {
    const std::size_t n = list.empty() ? 0 : aims.size() / list.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const AimValues values = aims_of(i);
      if (!keep(static_cast<const Contender&>(list[i]), values)) continue;
      for (std::size_t a = 0; a < n; ++a) aims[kept * n + a] = values[a];
      list[kept++] = list[i];
    }
    list.resize(kept);
    aims.resize(kept * n);
    list.shrink_to_fit();
    aims.shrink_to_fit();
  }
};

// Whether a candidate may be in the answer, as one of the best, as a tie, as the best of a family
// or on the front, given the results so far. Once false, it stays false.
class Admission {
 public:
  // `families`: null where none are asked for.
  Admission(const Space& space, const std::vector<Unit>& units, const FamilyIndex* families,
            const Incumbents& incumbents)
      : space_(space), units_(units), families_(families), incumbents_(incumbents) {}

  bool may_count(const Candidate& c, const Front& front);
  bool may_count(const Contender& c, const AimValues& aims, const Front& front);

 private:
  bool lets_in(double bound, const AimValues& aims, const Front& front) const;
  bool any_family_lets_in(const Unit& unit, const Point& point, double bound);
  const UnitWalk& walk_of(const Unit& unit);

  const Space& space_;
  const std::vector<Unit>& units_;
  const FamilyIndex* families_;
  const Incumbents& incumbents_;
  FamilyIds ids_;
  std::int64_t found_ = -1;   // the unit whose families stand in ids_
  std::int64_t walked_ = -1;  // contenders of one unit follow one another
  std::optional<UnitWalk> walk_;
};

}  // namespace orrery
