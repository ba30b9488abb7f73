// SPDX-License-Identifier: Apache-2.0
//
// Properties of the answer of any legal run.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "estimate/estimate.h"
#include "estimate/workspace.h"
#include "property/for_runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr int kRuns = 4000;

bool is_sound(double x) { return std::isfinite(x) && x >= 0; }

bool near(double a, double b, double relative = 1e-12) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

void check_times(const Answer& a) {
  double sum = 0;
  bool sound = is_sound(a.step_time.si());
  for (const Seconds& t : a.breakdown) {
    sum += t.si();
    sound = sound && is_sound(t.si());
  }
  CHECK(sound);
  CHECK(a.step_time.si() > 0);
  CHECK(near(sum, a.step_time.si()));
  CHECK(a.interval_low <= a.step_time);
  CHECK(a.interval_high >= a.step_time);
}

void check_memory(const StageMemory<double>& m) {
  double sum = 0;
  bool sound = true;
  for (const Bytes& line : m.lines) {
    sum += line.si();
    sound = sound && is_sound(line.si());
  }
  CHECK(sound);
  CHECK(near(sum, m.peak.si()));
  CHECK(m.allocated <= m.reserved);
  CHECK(m.reserved.si() <= m.peak.si() * (1 + 1e-12));  // all of it, without an allocator
  CHECK(is_sound(m.host.si()));
  CHECK(is_sound(m.bytes_per_parameter));
  CHECK(m.in_flight > 0);
}

void check_communication(const Answer& a) {
  CHECK(a.comm_count < kMaxCommLines);
  bool sound = true;
  bool shown = true;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& line = a.comm[i];
    sound = sound && line.count > 0 && line.ranks > 1 && line.bytes > Bytes() &&
            is_sound(line.time.si()) && is_sound(line.exposed.si()) &&
            line.algorithm != Algorithm::none && is_sound(line.bytes.si());
    const bool of_step = line.dimension == CommDimension::pp;  // exposes waiting too
    shown = shown && (of_step || line.exposed.si() <= line.time.si() * (1 + 1e-12));
  }
  CHECK(sound);
  CHECK(shown);
}

double sum_of(const Answer& a, std::initializer_list<CommDimension> dimensions) {
  double sum = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    for (const CommDimension d : dimensions) {
      if (a.comm[i].dimension == d) sum += a.comm[i].exposed.si();
    }
  }
  return sum;
}

bool same(const Answer& a, const Answer& b) {
  const auto bytes = [](const auto& x, const auto& y) {
    return std::memcmp(&x, &y, sizeof x) == 0;  // NOLINT(bugprone-suspicious-memory-comparison)
  };
  bool equal = bytes(a.step_time, b.step_time) && bytes(a.breakdown, b.breakdown) &&
               bytes(a.memory.lines, b.memory.lines) && bytes(a.memory.peak, b.memory.peak) &&
               a.comm_count == b.comm_count && bytes(a.hardware_flops, b.hardware_flops);
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    equal = equal && bytes(a.comm[i].bytes, b.comm[i].bytes) &&
            bytes(a.comm[i].time, b.comm[i].time) && bytes(a.comm[i].exposed, b.comm[i].exposed);
  }
  return equal;
}

}  // namespace

TEST_CASE("an answer is sound and its parts are the whole") {
  for_runs(1, kRuns, [](const Run& run) {
    const Answer a = estimate(run);
    check_times(a);
    check_memory(a.memory);
    check_communication(a);
    CHECK(a.model_flops > Flops());
    CHECK(a.hardware_flops > Flops());
    CHECK(is_sound(a.host_needed.si()));
  });
}

TEST_CASE("the answer's memory is of the fullest stage") {
  for_runs(2, 500, [](const Run& run) {
    const Answer a = estimate(run);
    const std::vector<StageMemory<double>> stages = memory_by_stage(run);
    REQUIRE(stages.size() == static_cast<std::size_t>(run.strategy.pp));
    for (const StageMemory<double>& m : stages) {
      check_memory(m);
      CHECK(m.peak <= a.memory.peak);
    }
    CHECK(stages[static_cast<std::size_t>(a.memory_stage)].peak == a.memory.peak);
  });
}

TEST_CASE("the breakdown is of the busiest stage") {
  for_runs(3, 500, [](const Run& run) {
    const Answer a = estimate(run);
    const std::vector<Seconds> busy = busy_by_stage(run);
    const double busiest = busy[static_cast<std::size_t>(a.busy_stage)].si();
    for (const Seconds& b : busy) CHECK(b.si() <= busiest * (1 + 1e-12));
    CHECK(busiest <= a.step_time.si() * (1 + 1e-12));
  });
}

TEST_CASE("the lines of an exchange expose what the breakdown says") {
  for_runs(4, 1000, [](const Run& run) {
    Answer a = estimate(run);
    CHECK(near(sum_of(a, {CommDimension::tp, CommDimension::etp}),
               a.breakdown[Term::tp_exposed].si(), 1e-9));
    CHECK(near(sum_of(a, {CommDimension::cp}), a.breakdown[Term::cp_exposed].si(), 1e-9));
    CHECK(near(sum_of(a, {CommDimension::ep}), a.breakdown[Term::ep_exposed].si(), 1e-9));
    CHECK(near(sum_of(a, {CommDimension::dp, CommDimension::edp}),
               a.breakdown[Term::dp_exposed].si(), 1e-9));
    CHECK(near(sum_of(a, {CommDimension::pp, CommDimension::embedding}),
               a.breakdown[Term::pp_exposed].si(), 1e-9));
  });
}

TEST_CASE("the same run gives the same bytes, whatever the workspace held before") {
  Workspace used;
  for_runs(5, 1000, [&used](const Run& run) {
    const Answer fresh = estimate(run);
    CHECK(same(fresh, estimate<double>(run, used)));
    CHECK(same(fresh, estimate(run)));
  });
}

TEST_CASE("a recorded estimate is the same estimate, and its tree gives its numbers again") {
  WorkspaceOf<Traced> workspace;
  for_runs(6, 200, [&workspace](const Run& run) {
    const Answer a = estimate(run);
    Tape tape;
    const Recording recording(tape);
    const AnswerOf<Traced> t = estimate<Traced>(run, workspace);
    CHECK(near(t.step_time.si().value, a.step_time.si()));
    CHECK(near(t.memory.peak.si().value, a.memory.peak.si()));
    bool equal = true;
    for (const Term term : kAllOf<Term>) {
      const double difference = t.breakdown[term].si().value - a.breakdown[term].si();
      equal = equal && std::abs(difference) <= 1e-12 * a.step_time.si();
    }
    CHECK(equal);
    for (const MemoryLine line : kAllOf<MemoryLine>) {
      CHECK(near(t.memory.lines[line].si().value, a.memory.lines[line].si()));
    }
    // Every node is computed on the way to the last one, but only that is returned: sample others.
    CHECK(evaluate_again(tape, t.step_time.si().node) == t.step_time.si().value);
    CHECK(evaluate_again(tape, t.memory.peak.si().node) == t.memory.peak.si().value);
    std::size_t names = 0;
    bool again = true;
    for (std::size_t i = 0; i < tape.nodes.size(); ++i) {
      if (tape.nodes[i].kind != NodeKind::name || names++ % 97 != 0) continue;
      const auto node = static_cast<std::int32_t>(i);
      again = again && evaluate_again(tape, node) == tape.nodes[i].value;
    }
    CHECK(again);
  });
}
