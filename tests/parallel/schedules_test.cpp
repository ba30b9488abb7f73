// SPDX-License-Identifier: Apache-2.0
//
// The orders of the schedules: legal, as their papers draw them, and as much in flight as stated.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "parallel/schedules/table.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

Program program_of(ScheduleId id, const PipelineShape& shape, std::int64_t stage) {
  Program steps;
  walk_stage(id, shape, stage, [&](const Step& s) { steps.push_back(s); });
  return steps;
}

// "F0 F1 B0 …", with the chunk before the micro batch where there are several: "F1.0".
std::string order_text(const Program& program, bool chunks = false) {
  std::string text;
  for (const Step& s : program) {
    if (!text.empty()) text += ' ';
    text += s.kind == StepKind::forward ? 'F' : 'B';
    if (chunks) text += std::to_string(s.chunk) + '.';
    text += std::to_string(s.micro_batch);
  }
  return text;
}

struct SchedulePoint {
  ScheduleId id;
  PipelineShape shape;
};

std::vector<SchedulePoint> classic_cases() {
  std::vector<SchedulePoint> cases;
  for (std::int64_t p = 1; p <= 9; ++p) {
    for (std::int64_t m = 1; m <= 20; ++m) {
      cases.push_back({ScheduleId::gpipe, {p, 1, m}});
      cases.push_back({ScheduleId::one_f_one_b, {p, 1, m}});
      cases.push_back({ScheduleId::deepspeed, {p, 1, m}});
      if (m >= p) cases.push_back({ScheduleId::breadth_first, {p, 1, m}});
    }
    if (p == 1) continue;
    for (std::int64_t v = 2; v <= 4; ++v) {
      for (std::int64_t groups = 1; groups <= 5; ++groups) {
        cases.push_back({ScheduleId::interleaved, {p, v, p * groups}});
        cases.push_back({ScheduleId::breadth_first, {p, v, p + groups - 1}});
      }
    }
  }
  return cases;
}

// Micro batches a stage holds of every chunk after each of its steps.
std::vector<std::vector<std::int64_t>> held_after_steps(const SchedulePoint& c,
                                                        std::int64_t stage) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(c.shape.chunks), 0);
  std::vector<std::vector<std::int64_t>> history;
  for (const Step& s : program_of(c.id, c.shape, stage)) {
    held[static_cast<std::size_t>(s.chunk)] += s.kind == StepKind::forward ? 1 : -1;
    history.push_back(held);
  }
  return history;
}

double weighed(const std::vector<std::int64_t>& held, const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t c = 0; c < held.size(); ++c) sum += static_cast<double>(held[c]) * weight[c];
  return sum;
}

}  // namespace

TEST_CASE("the table is in the order of ScheduleId") {
  for (const ScheduleId id : kAllOf<ScheduleId>) {
    CHECK(kSchedules[id].id == id);
  }
}

TEST_CASE("GPipe runs all forward steps and then backward from the last micro batch") {
  CHECK(order_text(program_of(ScheduleId::gpipe, {4, 1, 4}, 2)) == "F0 F1 F2 F3 B3 B2 B1 B0");
}

TEST_CASE("1F1B fills, alternates and drains") {
  const PipelineShape shape{4, 1, 6};
  const ScheduleId id = ScheduleId::one_f_one_b;
  CHECK(order_text(program_of(id, shape, 3)) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
  CHECK(order_text(program_of(id, shape, 1)) == "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  CHECK(order_text(program_of(id, {4, 1, 2}, 0)) == "F0 F1 B0 B1");
}

TEST_CASE("runs of a schedule follow each other, with their micro batches numbered through") {
  CHECK(order_text(program_of(ScheduleId::one_f_one_b, {2, 1, 6, 2}, 0)) ==
        "F0 F1 B0 F2 B1 B2 F3 F4 B3 F5 B4 B5");
  CHECK(order_text(program_of(ScheduleId::gpipe, {2, 1, 4, 2}, 1)) == "F0 F1 B1 B0 F2 F3 B3 B2");
  const Programs written = programs_of(ScheduleId::zb_h1, {2, 1, 4, 2});
  const Programs one = programs_of(ScheduleId::zb_h1, {2, 1, 2});
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(written[i].size() == 2 * one[i].size());
    for (std::size_t at = 0; at < one[i].size(); ++at) {
      CHECK(written[i][at] == one[i][at]);
      Step later = one[i][at];
      later.micro_batch += 2;
      CHECK(written[i][one[i].size() + at].micro_batch == later.micro_batch);
      CHECK(written[i][one[i].size() + at].kind == later.kind);
    }
  }
}

TEST_CASE("interleaved has the order of Megatron-LM's get_schedule_table") {
  // p 2, v 2, m 4, microbatch_group_size_per_vp_stage 2: warm-up 2(p − 1 − i) + (v − 1)p steps.
  const PipelineShape shape{2, 2, 4};
  const ScheduleId id = ScheduleId::interleaved;
  CHECK(order_text(program_of(id, shape, 0), true) ==
        "F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 F1.3 B0.1 B1.2 B1.3 B0.2 B0.3");
  CHECK(order_text(program_of(id, shape, 1), true) ==
        "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

TEST_CASE("interleaved warms up as many steps as Megatron-LM") {
  for (std::int64_t stage = 0; stage < 8; ++stage) {
    const Program program = program_of(ScheduleId::interleaved, {8, 3, 16}, stage);
    const auto first_backward = std::find_if(
        program.begin(), program.end(), [](const Step& s) { return s.kind == StepKind::backward; });
    // Warm-up, then the forward step of the first pair.
    CHECK(first_backward - program.begin() == 2 * (8 - 1 - stage) + 2 * 8 + 1);
  }
}

TEST_CASE("every stage does every step of every chunk once") {
  for (const SchedulePoint& c : classic_cases()) {
    for (std::int64_t stage = 0; stage < c.shape.stages; ++stage) {
      std::set<std::tuple<int, std::int64_t, std::int64_t>> seen;
      const Program program = program_of(c.id, c.shape, stage);
      for (const Step& s : program) {
        REQUIRE(s.chunk >= 0);
        REQUIRE(s.chunk < c.shape.chunks);
        REQUIRE(s.micro_batch >= 0);
        REQUIRE(s.micro_batch < c.shape.micro_batches);
        seen.insert({static_cast<int>(s.kind), s.chunk, s.micro_batch});
      }
      REQUIRE(program.size() == static_cast<std::size_t>(2 * steps_each_way(c.shape)));
      REQUIRE(seen.size() == program.size());
    }
  }
}

TEST_CASE("a walk over all stages keeps the order of each and visits nothing before its cause") {
  for (const SchedulePoint& c : classic_cases()) {
    std::vector<Program> programs(static_cast<std::size_t>(c.shape.stages));
    std::set<std::tuple<int, std::int64_t, std::int64_t>> done;  // kind, virtual stage, micro batch
    const std::int64_t last = virtual_stages(c.shape) - 1;
    bool legal = true;
    walk(c.id, c.shape, [&](std::int64_t stage, const Step& s) {
      const std::int64_t j = s.chunk * c.shape.stages + stage;
      if (s.kind == StepKind::forward) {
        legal &= j == 0 || done.count({0, j - 1, s.micro_batch}) == 1;
      } else {
        legal &= done.count({0, j, s.micro_batch}) == 1;
        legal &= j == last || done.count({1, j + 1, s.micro_batch}) == 1;
      }
      done.insert({static_cast<int>(s.kind), j, s.micro_batch});
      programs[static_cast<std::size_t>(stage)].push_back(s);
    });
    CHECK(legal);
    for (std::int64_t stage = 0; stage < c.shape.stages; ++stage) {
      CHECK(programs[static_cast<std::size_t>(stage)] == program_of(c.id, c.shape, stage));
    }
  }
}

// The sweep of a pipeline reads a neighbour's result before the neighbour has the next one.
TEST_CASE("waves have the order of each stage, and each step after its cause") {
  for (const SchedulePoint& c : classic_cases()) {
    std::vector<Program> programs(static_cast<std::size_t>(c.shape.stages));
    std::set<std::tuple<bool, std::int64_t, std::int64_t>> done;  // forward, part, micro batch
    const std::int64_t last = virtual_stages(c.shape) - 1;
    bool legal = true;
    const auto visit = [&](StepKind kind, std::int64_t stage, std::int64_t chunk,
                           std::int64_t micro_batch) {
      const std::int64_t j = chunk * c.shape.stages + stage;
      const bool forward = kind == StepKind::forward;
      if (forward) {
        legal &= j == 0 || done.count({true, j - 1, micro_batch}) == 1;
      } else {
        legal &= done.count({true, j, micro_batch}) == 1;
        legal &= j == last || done.count({false, j + 1, micro_batch}) == 1;
      }
      done.insert({forward, j, micro_batch});
      programs[static_cast<std::size_t>(stage)].push_back(Step{kind, chunk, micro_batch});
    };
    with_rounds_of(c.id, [&]<class Order>() {
      walk_waves<Order>(
          c.shape,
          [&](auto stage, auto chunk, auto m) { visit(StepKind::forward, stage, chunk, m); },
          [&](auto stage, auto chunk, auto m) { visit(StepKind::backward, stage, chunk, m); });
    });
    CHECK(legal);
    for (std::int64_t stage = 0; stage < c.shape.stages; ++stage) {
      CHECK(programs[static_cast<std::size_t>(stage)] == program_of(c.id, c.shape, stage));
    }
  }
}

TEST_CASE("as many micro batches are in flight as the order brings about") {
  for (const SchedulePoint& c : classic_cases()) {
    for (std::int64_t stage = 0; stage < c.shape.stages; ++stage) {
      const std::vector<double> ones(static_cast<std::size_t>(c.shape.chunks), 1.0);
      double most = 0;
      for (const auto& held : held_after_steps(c, stage))
        most = std::max(most, weighed(held, ones));
      CHECK(static_cast<double>(schedule_of(c.id).in_flight(c.shape, stage)) == most);
    }
  }
}

TEST_CASE("the fullest moment is found for chunks of any size") {
  std::mt19937 random(7);
  for (const SchedulePoint& c : classic_cases()) {
    const auto chunks = static_cast<std::size_t>(c.shape.chunks);
    for (std::int64_t stage = 0; stage < c.shape.stages; ++stage) {
      std::vector<double> weight(chunks);
      for (double& w : weight) w = static_cast<double>(random() % 5);
      double most = 0;
      const auto history = held_after_steps(c, stage);
      for (const auto& held : history) most = std::max(most, weighed(held, weight));
      std::vector<std::int64_t> held(chunks);
      schedule_of(c.id).fullest(c.shape, stage, weight, held);
      CHECK(weighed(held, weight) == most);
      CHECK(std::find(history.begin(), history.end(), held) != history.end());
    }
  }
}

// Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2.3: the first stage of 1F1B keeps the
// activations of L layers, of interleaved L·(1 + (p − 1)/(p·v)).
TEST_CASE("the first stage holds the layers the paper says") {
  const std::int64_t p = 8;
  const std::int64_t layers = 96;
  const auto held_layers = [&](ScheduleId id, std::int64_t v, std::int64_t m) {
    const PipelineShape shape{p, v, m};
    return static_cast<double>(schedule_of(id).in_flight(shape, 0) * layers) /
           static_cast<double>(virtual_stages(shape));
  };
  CHECK(held_layers(ScheduleId::one_f_one_b, 1, 8) == 96.0);
  CHECK(held_layers(ScheduleId::one_f_one_b, 1, 64) == 96.0);
  CHECK(held_layers(ScheduleId::interleaved, 3, 64) == 96.0 * (1.0 + 7.0 / 24.0));
  CHECK(held_layers(ScheduleId::interleaved, 3, 16) == 96.0 * (1.0 + 7.0 / 24.0));
}
