// SPDX-License-Identifier: Apache-2.0
//
// Programs of no schedule: random orders of random passes, played. Facts that hold for any order,
// and some that do not: the anomalies of lists of work that share something (Graham, Bounds on
// Multiprocessing Timing Anomalies, 1969).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "property/random_run.h"
#include "sim/play.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr Effects kQuiet{false, false, true};
constexpr Effects kContended{true, false, true};

struct PlayedProgram {
  OwnOrder order;
  StepPlan plan;

  PassGraph graph() const { return make_graph({ScheduleId::own, &order}, order.shape); }
};

// Each step is drawn among those that can run next, so the program is legal by construction.
class Drawer {
 public:
  Drawer(Dice& dice, OwnOrder& order) : dice_(dice), o_(order) {
    const auto n = static_cast<std::size_t>(parts() * o_.shape.micro_batches);
    forward_.assign(n, false);
    gradient_.assign(n, false);
    weight_.assign(n, false);
    o_.programs.resize(static_cast<std::size_t>(o_.shape.stages));
  }

  void draw() {
    for (std::vector<std::pair<std::int64_t, Step>> ready = possible(); !ready.empty();
         ready = possible()) {
      const auto& [stage, step] = pick(dice_, ready);
      o_.programs[static_cast<std::size_t>(stage)].push_back(step);
      mark(stage, step);
    }
  }

 private:
  std::int64_t parts() const { return virtual_stages(o_.shape); }
  std::size_t at(std::int64_t part, std::int64_t m) const {
    return static_cast<std::size_t>(m * parts() + part);
  }

  // Half of the micro batches have a backward of two steps.
  static bool splits(std::int64_t m) { return m % 2 == 1; }

  std::vector<std::pair<std::int64_t, Step>> possible() const {
    std::vector<std::pair<std::int64_t, Step>> found;
    for (std::int64_t part = 0; part < parts(); ++part) {
      const Seat seat = seat_of(o_.layout, o_.shape, part, 0);
      for (std::int64_t m = 0; m < o_.shape.micro_batches; ++m) {
        if (const auto kind = next(part, m)) {
          found.push_back({seat.stage, Step{*kind, seat.chunk, m}});
        }
      }
    }
    return found;
  }

  std::optional<StepKind> next(std::int64_t part, std::int64_t m) const {
    const std::size_t i = at(part, m);
    if (!forward_[i]) {
      if (part > 0 && !forward_[at(part - 1, m)]) return {};
      return StepKind::forward;
    }
    if (!gradient_[i]) {
      if (part + 1 < parts() && !gradient_[at(part + 1, m)]) return {};
      return splits(m) ? StepKind::input_gradient : StepKind::backward;
    }
    if (!weight_[i]) return StepKind::weight_gradient;
    return {};
  }

  void mark(std::int64_t stage, const Step& step) {
    const std::size_t i = at(part_of(o_.layout, o_.shape, stage, step.chunk), step.micro_batch);
    if (has_forward(step.kind)) forward_[i] = true;
    if (has_input_gradient(step.kind)) gradient_[i] = true;
    if (has_weight_gradient(step.kind)) weight_[i] = true;
  }

  Dice& dice_;
  OwnOrder& o_;
  std::vector<bool> forward_, gradient_, weight_;
};

PlayedProgram random_program(Dice& dice) {
  PlayedProgram p;
  p.order.layout = dice.chance(0.5) ? ChunkLayout::looped : ChunkLayout::v_shaped;
  p.order.shape = {dice.integer(2, 5), dice.integer(1, 3), dice.integer(1, 6)};
  Drawer(dice, p.order).draw();
  StepPlan& plan = p.plan;
  plan.schedule = {ScheduleId::own, &p.order};
  plan.shape = p.order.shape;
  const auto time = [&dice](double most) { return Seconds(dice.real(0, most)); };
  for (std::int64_t cell = 0; cell < virtual_stages(plan.shape); ++cell) {
    PassPlan pass;
    pass.forward = time(1);
    pass.weight = time(1);
    pass.backward = pass.weight + time(1);
    pass.forward_terms[Term::compute] = pass.forward;
    pass.backward_terms[Term::compute] = pass.backward;
    plan.passes.push_back(pass);
    plan.sends.push_back({time(2), time(2), 1, 1});
  }
  for (std::int64_t i = 0; i < plan.shape.stages; ++i) {
    StagePlan stage;
    stage.gradients = {time(1), time(2)};
    stage.tier = 1;
    plan.stages.push_back(stage);
  }
  plan.begins.assign(plan.stages.size(), Seconds());
  if (dice.chance(0.3)) plan.save = {time(1), time(5), time(5), dice.real(0, 1)};
  return p;
}

// The order's address lies in the plan.
void point(PlayedProgram& p) { p.plan.schedule = {ScheduleId::own, &p.order}; }

template <class Check>
void for_programs(std::uint64_t seed, int programs, Check&& check) {
  Dice dice(seed);
  for (int i = 0; i < programs; ++i) {
    PlayedProgram p = random_program(dice);
    point(p);
    CAPTURE(i);
    check(p, dice);
  }
}

StepPlan with_bandwidth(StepPlan plan, double factor) {
  for (SendPlan& s : plan.sends) s.forward = s.forward / factor, s.backward = s.backward / factor;
  for (StagePlan& s : plan.stages) {
    s.gradients.hidden = s.gradients.hidden / factor;
    s.gradients.exposed = s.gradients.exposed / factor;
  }
  return plan;
}

Speeds with_straggler(const PlayedProgram& p, Dice& dice) {
  Speeds speeds;
  const auto n = static_cast<std::size_t>(p.order.shape.stages);
  speeds.compute.assign(n, 1);
  speeds.compute[static_cast<std::size_t>(dice.integer(0, p.order.shape.stages - 1))] =
      dice.real(1, 3);
  return speeds;
}

}  // namespace

TEST_CASE("events and sweep agree to the bit on any order of any passes") {
  for_programs(41, 400, [](const PlayedProgram& p, Dice&) {
    const PassGraph graph = p.graph();
    const StepClock swept = sweep_step(p.plan, graph, kQuiet, Keep::passes);
    const StepClock played = play_step(p.plan, graph, kQuiet, {}, Keep::passes).times;
    CHECK(swept.step == played.step);
    CHECK(swept.pass_begin == played.pass_begin);
    CHECK(swept.arrival == played.arrival);
  });
}

TEST_CASE("on a quiet network nothing made faster makes any program longer") {
  for_programs(42, 400, [](const PlayedProgram& p, Dice& dice) {
    const PassGraph graph = p.graph();
    const double step = play_step(p.plan, graph, kQuiet, {}).times.step.si();
    const StepPlan faster = with_bandwidth(p.plan, dice.real(1, 8));
    CHECK(play_step(faster, graph, kQuiet, {}).times.step.si() <= step * (1 + 1e-12));
    const Speeds slow = with_straggler(p, dice);
    CHECK(play_step(p.plan, graph, kQuiet, slow).times.step.si() >= step * (1 - 1e-12));
  });
}

TEST_CASE("sharing links is no gift, and its anomalies stay small") {
  int faster_is_longer = 0;
  int slower_is_shorter = 0;
  double worst = 0;
  for_programs(43, 1500, [&](const PlayedProgram& p, Dice& dice) {
    const PassGraph graph = p.graph();
    const double quiet = play_step(p.plan, graph, kQuiet, {}).times.step.si();
    const double step = play_step(p.plan, graph, kContended, {}).times.step.si();
    CHECK(step >= quiet * (1 - 1e-12));
    const StepPlan faster = with_bandwidth(p.plan, 2);
    const double gain = play_step(faster, graph, kContended, {}).times.step.si() / step;
    const double loss =
        play_step(p.plan, graph, kContended, with_straggler(p, dice)).times.step.si() / step;
    faster_is_longer += gain > 1 + 1e-9 ? 1 : 0;
    slower_is_shorter += loss < 1 - 1e-9 ? 1 : 0;
    worst = std::max({worst, gain - 1, 1 - loss});
  });
  MESSAGE("of 1,500 programs twice the bandwidth made "
          << faster_is_longer << " longer, a straggler made " << slower_is_shorter
          << " shorter, by at most " << worst);
  CHECK(worst < 0.2);
}
