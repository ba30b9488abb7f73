// SPDX-License-Identifier: Apache-2.0
#include "explore/candidate.h"

#include <tuple>

namespace orrery {
namespace {

auto place_of(const Candidate& c) { return std::make_tuple(c.unit, c.point.number); }

}  // namespace

bool is_before(const Candidate& a, const Candidate& b) {
  if (b.unit < 0 || a.unit < 0) return a.unit >= 0 && b.unit < 0;
  if (a.objective != b.objective) return a.objective < b.objective;
  if (a.peak != b.peak) return a.peak < b.peak;
  return place_of(a) < place_of(b);
}

bool needs_less(const Candidate& a, const Candidate& b) {
  if (b.unit < 0 || a.unit < 0) return a.unit >= 0 && b.unit < 0;
  if (a.peak != b.peak) return a.peak < b.peak;
  return place_of(a) < place_of(b);
}

}  // namespace orrery
