// SPDX-License-Identifier: Apache-2.0
#include "insight/limit_search.h"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

// Eighths of the answer that are added to it, and those of it.
constexpr std::array<std::int64_t, 4> kProbesBeyond = {1, 4, 8, 24};
constexpr std::array<std::int64_t, 4> kProbesBefore = {1, 4, 6, 7};
constexpr int kMostHoles = 16;  // between values that hold, each of which starts the search anew

struct Bracket {
  std::int64_t inside = 0;   // holds
  std::int64_t outside = 0;  // does not
};

std::int64_t middle_of(const Bracket& b) { return b.inside + (b.outside - b.inside) / 2; }

Bracket halved(Bracket b, const Holds& holds) {
  while (b.outside - b.inside > 1 || b.inside - b.outside > 1) {
    const std::int64_t middle = middle_of(b);
    (holds(middle) ? b.inside : b.outside) = middle;
  }
  return b;
}

// `outside` is most + 1 where all of them hold, `inside` 0 where none does.
Bracket bracket_of_largest(std::int64_t start, std::int64_t most, const Holds& holds) {
  Bracket b{0, most + 1};
  std::int64_t at = std::clamp<std::int64_t>(start, 1, most);
  if (holds(at)) {
    for (b.inside = at; b.inside < most; b.inside = at) {
      at = b.inside > most / 2 ? most : b.inside * 2;
      if (!holds(at)) return {b.inside, at};
    }
    return b;
  }
  for (b.outside = at; b.outside > 1; b.outside = at) {
    at = b.outside / 2;
    if (holds(at)) return {at, b.outside};
  }
  return b;
}

std::int64_t first_beyond(std::int64_t value, std::int64_t most, const Holds& holds) {
  for (const std::int64_t eighths : kProbesBeyond) {
    const std::int64_t probe = value + std::max<std::int64_t>(2, value * eighths / 8);
    if (probe <= most && holds(probe)) return probe;
  }
  return 0;
}

std::int64_t first_before(std::int64_t value, const Holds& holds) {
  for (const std::int64_t eighths : kProbesBefore) {
    const std::int64_t probe = value * eighths / 8;
    if (probe > 0 && !holds(probe)) return probe;
  }
  return 0;
}

// The end of the stretch of values that hold around `start`.
IntegerLimit end_of_stretch(std::int64_t start, std::int64_t most, const Holds& holds) {
  const Bracket found = bracket_of_largest(start, most, holds);
  if (found.inside == most) return {most, 0, 0, true};
  if (found.inside == 0) return {};
  IntegerLimit limit{halved(found, holds).inside, 0, 0, false};
  limit.holds_again = first_beyond(limit.value, most, holds);
  limit.fails_before = first_before(limit.value, holds);
  return limit;
}

}  // namespace

IntegerLimit largest_that(std::int64_t start, std::int64_t most, const Holds& holds) {
  IntegerLimit limit = end_of_stretch(start, most, holds);
  for (int i = 0; i < kMostHoles && limit.holds_again > 0; ++i) {
    const std::int64_t fails = limit.value + 1;
    limit = end_of_stretch(limit.holds_again, most, holds);
    if (limit.fails_before == 0) limit.fails_before = fails;
  }
  return limit;
}

IntegerLimit smallest_that(std::int64_t start, std::int64_t most, const Holds& holds) {
  const auto fails = [&holds](std::int64_t n) { return !holds(n); };
  const Bracket b = bracket_of_largest(start, most, fails);
  if (b.inside == most) return {};
  if (b.inside == 0) return {1, 0, 0, true};
  return {halved(b, fails).outside, 0, 0, false};
}

}  // namespace orrery
