// SPDX-License-Identifier: Apache-2.0
#include "explore/narrow.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "explore/search.h"
#include "explore/space_json.h"
#include "explore/unit_walk.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::shipped_configs;

Space space_of(const char* axes) {
  const MetricSource none = {{}, {}, [](std::size_t, const Run&, const Answer&) { return 0.0; }};
  return read_search(json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
                         "training": {"sequence_length": 8192, "global_batch": 256}})"),
                     "run.json", shipped_configs(), {{"axes", json_of(axes)}}, none)
      .space;
}

std::int64_t largest_micro_batch(const Space& space) {
  std::int64_t largest = 0;
  for (const Unit& unit : units_of(space)) {
    UnitWalk(space, unit).cells([&](const SearchCell& cell) {
      largest = std::max(largest, cell.point.micro_batch);
    });
  }
  return largest;
}

}  // namespace

TEST_CASE("a space that is small enough keeps all its values") {
  Space space = space_of("{}");
  CHECK(narrow(space).empty());
  CHECK(largest_micro_batch(space) == 256);
}

TEST_CASE("a space too large loses the values of one axis after the other") {
  Space space = space_of("{}");
  std::int64_t cells = 0;
  for (const Unit& unit : units_of(space)) cells += UnitWalk(space, unit).cell_count();
  const auto left_out = narrow(space, cells - 1);
  CHECK(left_out.size() == 1);
  CHECK(left_out[0].axis == SearchAxis::micro_batch);
  CHECK(largest_micro_batch(space) == 8);

  Space least = space_of("{}");
  const auto all = narrow(least, 1);
  CHECK(all.size() == 4);
  const AxisValues& recompute = least.axes[SearchAxis::recompute];
  CHECK(chosen(recompute, {0, 1, 2, 3}) == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("narrowed further, the layouts that most runs use are left") {
  Space space = space_of("{}");
  const auto left_out = narrow_further(space, 1);
  CHECK(largest_micro_batch(space) == 2);
  CHECK(chosen(space.axes[SearchAxis::zero], {0, 1, 2, 3}) == std::vector<std::int64_t>{1, 3});
  CHECK(chosen(space.axes[SearchAxis::cp], {1, 2, 4, 8}) == std::vector<std::int64_t>{1, 2});
  // One line an axis, however often it lost values.
  CHECK(std::count_if(left_out.begin(), left_out.end(),
                      [](const NotTried& n) { return n.axis == SearchAxis::micro_batch; }) == 1);
  Space roomy = space_of("{}");
  CHECK(narrow_further(roomy, kMostCells).empty());
}

TEST_CASE("a framework without the values that stay keeps its own") {
  Space space = space_of("{}");
  AxisValues& schedule = space.axes[SearchAxis::schedule];
  schedule.runnable = {static_cast<std::int64_t>(ScheduleId::gpipe)};
  const auto left_out = narrow(space, 1);
  CHECK(schedule.runnable ==
        std::vector<std::int64_t>{static_cast<std::int64_t>(ScheduleId::gpipe)});
  CHECK(std::none_of(left_out.begin(), left_out.end(),
                     [](const NotTried& n) { return n.axis == SearchAxis::schedule; }));
}

TEST_CASE("an axis that the user named keeps its values") {
  for (const char* axes : {R"({"micro_batch": "free"})", R"({"micro_batch": [1, 256]})"}) {
    Space space = space_of(axes);
    const auto left_out = narrow(space, 1);
    CHECK(std::none_of(left_out.begin(), left_out.end(),
                       [](const NotTried& n) { return n.axis == SearchAxis::micro_batch; }));
    CHECK(largest_micro_batch(space) == 256);
  }
}

}  // namespace orrery
