// SPDX-License-Identifier: Apache-2.0
#include "explore/narrow.h"

#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "explore/space.h"
#include "explore/unit_walk.h"

namespace orrery {
namespace {

// Recomputing the first layers of a chunk only saves between `none` and `full`. GPipe and
// breadth-first hold more micro batches than 1F1B and interleaved, and are no faster.
struct Narrowing {
  NotTried left_out;
  std::int64_t highest;            // 0: by `kept`
  std::vector<std::int64_t> kept;  // values of enumerations
};

template <class E>
std::int64_t number(E e) {
  return static_cast<std::int64_t>(e);
}

std::vector<Narrowing> steps() {
  return {{{SearchAxis::micro_batch, "above 8"}, 8, {}},
          {{SearchAxis::vpp, "above 12"}, 12, {}},
          {{SearchAxis::recompute, "layers"},
           0,
           {number(Recompute::none), number(Recompute::selective), number(Recompute::full)}},
          {{SearchAxis::schedule, "gpipe and breadth-first"},
           0,
           {number(ScheduleId::one_f_one_b), number(ScheduleId::interleaved)}}};
}

// Experts' own tensor parallelism and large micro batches are rare; ZeRO 2 saves little beside 1,
// and 0 nothing.
std::vector<Narrowing> further_steps() {
  return {{{SearchAxis::etp, "above 1"}, 1, {}},         {{SearchAxis::zero, "0 and 2"}, 0, {1, 3}},
          {{SearchAxis::micro_batch, "above 4"}, 4, {}}, {{SearchAxis::vpp, "above 6"}, 6, {}},
          {{SearchAxis::cp, "above 8"}, 8, {}},          {{SearchAxis::vpp, "above 3"}, 3, {}},
          {{SearchAxis::micro_batch, "above 2"}, 2, {}}, {{SearchAxis::cp, "above 2"}, 2, {}}};
}

bool is_untouched(const AxisValues& axis) {
  return axis.is_free() && !axis.open && axis.lowest == std::numeric_limits<std::int64_t>::min() &&
         axis.highest == std::numeric_limits<std::int64_t>::max();
}

// Values that the framework lacks stay out. One that has none of those kept keeps all of its own.
void apply(const Narrowing& step, AxisValues& axis) {
  if (step.highest > 0) {
    axis.highest = step.highest;
    return;
  }
  std::vector<std::int64_t> kept = chosen(axis, step.kept);
  if (!kept.empty()) axis.runnable = std::move(kept);
}

// Units of one run have as many cells if they have as many stages, and tensor parallelism or not.
struct AlikeUnits {
  Unit first;
  std::int64_t count = 0;
};

std::vector<AlikeUnits> alike_units(const Space& space) {
  std::map<std::tuple<std::size_t, bool, std::int64_t>, AlikeUnits> groups;
  for (const Unit& unit : units_of(space)) {
    AlikeUnits& group =
        groups.try_emplace({unit.base, unit.tp == 1, unit.pp}, AlikeUnits{unit}).first->second;
    ++group.count;
  }
  std::vector<AlikeUnits> all;
  for (auto& [key, group] : groups) all.push_back(group);
  return all;
}

std::int64_t cells_of(const Space& space) {
  std::int64_t sum = 0;
  for (const AlikeUnits& alike : alike_units(space)) {
    sum += alike.count * UnitWalk(space, alike.first).cell_count();
  }
  return sum;
}

// Axes that the user left alone, before any step.
EnumArray<SearchAxis, bool> untouched_axes(const Space& space) {
  EnumArray<SearchAxis, bool> all{};
  for (const SearchAxis a : kAllOf<SearchAxis>) all[a] = is_untouched(space.axes[a]);
  return all;
}

void note(const NotTried& step, std::vector<NotTried>& left_out) {
  for (NotTried& n : left_out) {
    if (n.axis == step.axis) {
      n = step;
      return;
    }
  }
  left_out.push_back(step);
}

std::vector<NotTried> narrow_by(const std::vector<Narrowing>& steps, Space& space,
                                std::int64_t most_cells) {
  std::vector<NotTried> left_out;
  const EnumArray<SearchAxis, bool> untouched = untouched_axes(space);
  std::int64_t cells = cells_of(space);
  for (const Narrowing& step : steps) {
    AxisValues& axis = space.axes[step.left_out.axis];
    if (cells <= most_cells) break;
    if (!untouched[step.left_out.axis]) continue;
    apply(step, axis);
    const std::int64_t fewer = cells_of(space);
    if (fewer < cells) note(step.left_out, left_out);
    cells = fewer;
  }
  return left_out;
}

}  // namespace

std::vector<NotTried> narrow(Space& space, std::int64_t most_cells) {
  return narrow_by(steps(), space, most_cells);
}

std::vector<NotTried> narrow_further(Space& space, std::int64_t most_cells) {
  std::vector<Narrowing> all = steps();
  for (Narrowing& step : further_steps()) all.push_back(std::move(step));
  return narrow_by(all, space, most_cells);
}

}  // namespace orrery
