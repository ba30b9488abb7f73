// SPDX-License-Identifier: Apache-2.0
//
// Schedules whose programs are written out: legal for every shape they take, as much in memory as
// their papers promise, their bubbles the published formulas. Played here by an interpreter of its
// own, one stage after the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "parallel/schedules/table.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

struct WrittenPoint {
  ScheduleId id;
  PipelineShape shape;
};

bool takes(ScheduleId id, const PipelineShape& s) {
  if (id == ScheduleId::dualpipe) {
    return s.stages % 2 == 0 && s.micro_batches % 2 == 0 && s.micro_batches >= 2 * s.stages;
  }
  return id != ScheduleId::dualpipev || s.micro_batches >= 2 * s.stages;
}

std::vector<WrittenPoint> written_cases() {
  std::vector<WrittenPoint> cases;
  for (const Schedule& s : kSchedules) {
    if (s.programs == nullptr) continue;
    const std::int64_t vpp = s.chunks == ChunksTaken::two ? 2 : 1;
    for (std::int64_t p = 1; p <= 12; ++p) {
      for (const std::int64_t m : {1, 2, 3, 5, 8, 12, 16, 24, 25, 31, 48}) {
        const PipelineShape shape = shape_of_pipeline(s.id, p, vpp, m);
        if (takes(s.id, shape)) cases.push_back({s.id, shape});
      }
    }
  }
  return cases;
}

std::string parts_text(const Program& program) {
  std::string text;
  for (const Step& s : program) {
    text += (text.empty() ? "" : " ") + std::string(1, "FABWP"[static_cast<int>(s.kind)]) +
            std::to_string(s.chunk) + "." + std::to_string(s.micro_batch);
  }
  return text;
}

bool has_pairs(const Programs& programs) {
  return std::any_of(programs.begin(), programs.end(), [](const Program& p) {
    return std::any_of(p.begin(), p.end(), [](const Step& s) { return s.kind == StepKind::pair; });
  });
}

struct Times {
  double forward;
  double input_gradient;
  double weight_gradient;
  double pair;

  double of(StepKind k) const {
    switch (k) {
      case StepKind::forward:
        return forward;
      case StepKind::backward:
        return input_gradient + weight_gradient;
      case StepKind::input_gradient:
        return input_gradient;
      case StepKind::weight_gradient:
        return weight_gradient;
      case StepKind::pair:
        return pair;
    }
    return 0;
  }
  StepTimes<Seconds> step_times() const {
    return {Seconds(forward), Seconds(input_gradient), Seconds(weight_gradient), Seconds(pair)};
  }
};

// Waiting time of the stage that waits longest, from its first pass to its last (from the beginning
// if all stages wait for each other before the optimizer).
struct Waits {
  double from_the_beginning = 0;
  double from_the_first_step = 0;
};

Waits play(const WrittenPoint& c, const Times& times) {
  const ChunkLayout layout = schedule_of(c.id).layout;
  std::map<std::tuple<bool, std::int64_t, std::int64_t>, double> at;
  const auto p = static_cast<std::size_t>(c.shape.stages);
  std::vector<double> clock(p, 0.0);
  std::vector<double> start(p, -1.0);
  std::vector<double> busy(p, 0.0);
  walk(c.id, c.shape, [&](std::int64_t stage, const Step& s) {
    const auto i = static_cast<std::size_t>(stage);
    double ready = clock[i];
    for_each_need(layout, c.shape, stage, s, [&](const Result& r) {
      ready = std::max(ready, at.at({r.forward, r.part, r.micro_batch}));
    });
    if (start[i] < 0) start[i] = ready;
    clock[i] = ready + times.of(s.kind);
    busy[i] += times.of(s.kind);
    for_each_result(layout, c.shape, stage, s, [&](const Result& r) {
      at[{r.forward, r.part, r.micro_batch}] = clock[i];
    });
  });
  const double end = *std::max_element(clock.begin(), clock.end());
  Waits w;
  for (std::size_t i = 0; i < p; ++i) {
    w.from_the_beginning = std::max(w.from_the_beginning, end - busy[i]);
    w.from_the_first_step = std::max(w.from_the_first_step, clock[i] - start[i] - busy[i]);
  }
  return w;
}

// Micro batches whose activations a stage holds at most, of one chunk each.
std::int64_t most_held(const WrittenPoint& c, bool until_weight_gradient) {
  std::int64_t most = 0;
  for (const Program& program : programs_of(c.id, c.shape)) {
    std::int64_t held = 0;
    for (const Step& s : program) {
      if (has_forward(s.kind)) most = std::max(most, ++held);
      if (until_weight_gradient ? has_weight_gradient(s.kind) : has_input_gradient(s.kind)) --held;
    }
  }
  return most;
}

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

TEST_CASE("a schedule says that it has pairs where its programs have some") {
  for (const WrittenPoint& c : written_cases()) {
    if (c.shape.stages != 4 || c.shape.micro_batches != 16) continue;
    CAPTURE(name_of(c.id));
    CHECK(schedule_of(c.id).pairs == has_pairs(programs_of(c.id, c.shape)));
  }
}

TEST_CASE("seats and parts are each other's inverse") {
  for (const ChunkLayout layout :
       {ChunkLayout::looped, ChunkLayout::v_shaped, ChunkLayout::two_way}) {
    for (std::int64_t p = 1; p <= 5; ++p) {
      for (std::int64_t v = layout == ChunkLayout::two_way ? 2 : 1; v <= 4; ++v) {
        if (layout == ChunkLayout::two_way && v > 2) continue;
        const PipelineShape shape{p, v, 4};
        for (std::int64_t stage = 0; stage < p; ++stage) {
          for (std::int64_t chunk = 0; chunk < v; ++chunk) {
            const std::int64_t part = part_of(layout, shape, stage, chunk);
            REQUIRE(part < parts(layout, shape));
            const std::int64_t micro_batch = micro_batches_of(layout, shape, chunk).first;
            CHECK(seat_of(layout, shape, part, micro_batch) == Seat{stage, chunk});
          }
        }
      }
    }
  }
}

TEST_CASE("in a V neighbours in the model are neighbours in the pipeline") {
  const PipelineShape shape{4, 2, 1};
  for (std::int64_t part = 0; part + 1 < 8; ++part) {
    const Seat here = seat_of(ChunkLayout::v_shaped, shape, part, 0);
    const Seat next = seat_of(ChunkLayout::v_shaped, shape, part + 1, 0);
    CHECK(std::abs(here.stage - next.stage) == (part == 3 ? 0 : 1));
  }
}

TEST_CASE("a written schedule does everything once and never waits for ever") {
  for (const WrittenPoint& c : written_cases()) {
    const ChunkLayout layout = schedule_of(c.id).layout;
    const Programs programs = programs_of(c.id, c.shape);
    REQUIRE(programs.size() == static_cast<std::size_t>(c.shape.stages));
    std::set<std::tuple<int, std::int64_t, std::int64_t>> seen;  // what, part, micro batch
    std::int64_t steps = 0;
    const auto deadlock =
        walk_programs(layout, c.shape, programs, [&](std::int64_t stage, const Step& s) {
          ++steps;
          const auto see = [&](int what, std::int64_t chunk, std::int64_t micro_batch) {
            const MicroBatchRange range = micro_batches_of(layout, c.shape, chunk);
            REQUIRE(micro_batch >= range.first);
            REQUIRE(micro_batch < range.end);
            const std::int64_t part = part_of(layout, c.shape, stage, chunk);
            REQUIRE(seen.insert({what, part, micro_batch}).second);
          };
          if (has_forward(s.kind)) see(0, s.chunk, s.micro_batch);
          if (has_input_gradient(s.kind)) see(1, backward_chunk(s), backward_micro_batch(s));
          if (has_weight_gradient(s.kind)) see(2, backward_chunk(s), backward_micro_batch(s));
        });
    CAPTURE(name_of(c.id));
    CHECK_FALSE(deadlock.has_value());
    CHECK(static_cast<std::int64_t>(seen.size()) ==
          3 * parts(layout, c.shape) * c.shape.micro_batches);
    std::int64_t written = 0;
    for (const Program& p : programs) written += static_cast<std::int64_t>(p.size());
    CHECK(steps == written);
  }
}

TEST_CASE("a stage that waits for ever is named") {
  Programs programs(2);
  programs[0] = {{StepKind::forward, 0, 0}, {StepKind::backward, 0, 0}};
  programs[1] = {{StepKind::backward, 0, 0}, {StepKind::forward, 0, 0}};
  const auto deadlock =
      walk_programs(ChunkLayout::looped, {2, 1, 1}, programs, [](std::int64_t, const Step&) {});
  REQUIRE(deadlock.has_value());
  CHECK(deadlock->stage == 0);
  CHECK(deadlock->position == 1);
  CHECK(deadlock->missing == Result{false, 1, 0});
}

TEST_CASE("ZB-H1 puts off as many weight gradients as there are stages before") {
  const Programs programs = programs_of(ScheduleId::zb_h1, {3, 1, 4});
  CHECK(parts_text(programs[0]) == "F0.0 F0.1 F0.2 B0.0 W0.0 F0.3 B0.1 W0.1 B0.2 W0.2 B0.3 W0.3");
  CHECK(parts_text(programs[2]) == "F0.0 B0.0 F0.1 B0.1 F0.2 B0.2 W0.0 F0.3 B0.3 W0.1 W0.2 W0.3");
}

TEST_CASE("the published bubbles") {
  for (const std::int64_t p : {2, 4, 6, 8, 16}) {
    for (const std::int64_t m : {2 * p, 3 * p, 6 * p}) {
      const auto formula = [](const WrittenPoint& c, const Times& t) {
        return schedule_of(c.id).bubble(c.shape, t.step_times()).si();
      };
      // W ≤ B; with W ≤ F for ZB-H2.
      for (const Times& t : {Times{1, 1, 1, 3}, Times{10, 11, 9, 30}, Times{8, 10, 6, 24}}) {
        const WrittenPoint h1{ScheduleId::zb_h1, {p, 1, m}};
        CHECK(play(h1, t).from_the_beginning == formula(h1, t));
        CHECK(play(h1, t).from_the_first_step == formula(h1, t));
        const WrittenPoint h2{ScheduleId::zb_h2, {p, 1, m}};
        CHECK(play(h2, t).from_the_first_step == formula(h2, t));
      }
      CHECK(play({ScheduleId::zb_v, {p, 2, m}}, {1, 1, 1, 3}).from_the_first_step == 0);
      // F = B ≥ W, whatever of a pair overlaps.
      for (const Times& t : {Times{1, 1, 1, 3}, Times{10, 10, 8, 28}, Times{10, 10, 8, 20}}) {
        const WrittenPoint dual{ScheduleId::dualpipe,
                                shape_of_pipeline(ScheduleId::dualpipe, p, 1, m)};
        CHECK(play(dual, t).from_the_beginning == formula(dual, t));
        const WrittenPoint folded{ScheduleId::dualpipev, {p, 2, m}};
        CHECK(play(folded, t).from_the_beginning == formula(folded, t));
      }
    }
  }
}

TEST_CASE("without validating after the fact, zero bubble waits for the pipeline to fill") {
  const Times t{1, 1, 1, 3};
  CHECK(play({ScheduleId::zb_h2, {8, 1, 32}}, t).from_the_beginning == 7);
  CHECK(play({ScheduleId::zb_v, {8, 2, 32}}, t).from_the_beginning == 7);
}

TEST_CASE("as much is in flight as the papers promise") {
  for (std::int64_t p = 2; p <= 16; ++p) {
    const std::int64_t m = 4 * p;
    // In units of a whole stage.
    CHECK(most_held({ScheduleId::zb_h1, {p, 1, m}}, true) == p);
    CHECK(most_held({ScheduleId::zb_h2, {p, 1, m}}, true) == 2 * p - 1);
    // In units of one of two chunks: 1F1B's p micro batches are 2p, V-Half's p, V-Min's 2p/3,
    // rounded up, and a constant.
    CHECK(most_held({ScheduleId::zb_v, {p, 2, m}}, true) == 2 * p);
    CHECK(most_held({ScheduleId::v_half, {p, 2, m}}, false) <= p + 1);
    CHECK(most_held({ScheduleId::v_min, {p, 2, m}}, false) <= ceil_of(2 * p, 3) + 2);
    CHECK(most_held({ScheduleId::v_half, {p, 2, m}}, true) <= p + 3);
    CHECK(most_held({ScheduleId::v_min, {p, 2, m}}, true) <= ceil_of(2 * p, 3) + 2);
    CHECK(most_held({ScheduleId::dualpipev, {p, 2, m}}, true) == 2 * p + 1);
    if (p % 2 == 0) CHECK(most_held({ScheduleId::dualpipe, {p, 2, m}}, true) == p + 1);
  }
}

// arXiv:2405.15362, section 3: both wait less than 1F1B, V-Min more than V-Half.
TEST_CASE("V-Half and V-Min wait between zero and 1F1B") {
  for (const std::int64_t p : {4, 6, 8, 9, 16}) {
    const Times t{1, 1, 1, 3};
    const double half = play({ScheduleId::v_half, {p, 2, 4 * p}}, t).from_the_first_step;
    const double least = play({ScheduleId::v_min, {p, 2, 4 * p}}, t).from_the_first_step;
    const auto of_1f1b = static_cast<double>(6 * (p - 1));
    CHECK(half <= of_1f1b / 2);
    CHECK(least > half);
    CHECK(least < of_1f1b * 3 / 4);
  }
}
