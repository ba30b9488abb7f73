// SPDX-License-Identifier: Apache-2.0
// Every shipped row through the whole chain.
#include "shipped_runs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "explore/recommend.h"

namespace orrery {
namespace {

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), 1e-12); }

TEST_CASE("nearly every row has an estimate, and the others a named refusal") {
  const ValidationReport& report = testing::shipped_report();
  std::size_t estimated = 0;
  for (const JudgedRow& r : report.rows) {
    CAPTURE(r.row.id);
    if (is_estimated(r)) {
      ++estimated;
    } else {
      CHECK(r.refusal.find(r.row.id) != std::string::npos);
      CHECK(r.refusal.find("; allowed: ") != std::string::npos);
    }
  }
  CHECK(estimated >= report.rows.size() * 95 / 100);
}

TEST_CASE("the breakdown sums to the step and the memory lines to the peak, on every row") {
  for (const JudgedRow& r : testing::shipped_report().rows) {
    if (!is_estimated(r)) continue;
    CAPTURE(r.row.id);
    double step = 0;
    for (const Seconds& term : r.answer.breakdown) {
      CHECK(term.si() >= 0);
      step += term.si();
    }
    CHECK(close(r.answer.step_time.si(), step));
    double peak = 0;
    for (const Bytes& line : r.answer.memory.lines) {
      CHECK(line.si() >= 0);
      peak += line.si();
    }
    CHECK(close(r.answer.memory.peak.si(), peak));
  }
}

TEST_CASE("no prediction is beyond what the hardware can do") {
  for (const JudgedRow& r : testing::shipped_report().rows) {
    if (!is_estimated(r)) continue;
    CAPTURE(r.row.id);
    CHECK(std::isfinite(r.answer.step_time.si()));
    // The convention counts masked pairs, half of all, which very long sequences consist of.
    const double counted = r.run.training.sequence >= 131072 ? 0.5 : 1;
    CHECK(r.answer.hardware_flops * counted < r.answer.peak_rate * r.answer.step_time);
  }
}

TEST_CASE("every row that publishes time or FLOP/s is judged by it") {
  for (const JudgedRow& r : testing::shipped_report().rows) {
    if (!is_estimated(r) || r.row.measured.out_of_memory) continue;
    CAPTURE(r.row.id);
    CHECK((time_error(r).has_value() || r.row.measured.peak_memory.has_value()));
    CHECK(memory_error(r).has_value() == r.row.measured.peak_memory.has_value());
  }
}

// arXiv:2205.05198, table 5; nothing is fitted on these rows.
TEST_CASE("Korthikanti's eight rows are met within ten percent on average") {
  double sum = 0;
  int count = 0;
  for (const JudgedRow& r : testing::shipped_report().rows) {
    if (r.row.source.group != "korthikanti") continue;
    sum += std::abs(time_error(r).value_or(1));
    ++count;
  }
  CHECK(count == 8);
  CHECK(sum / count < 0.10);
}

// An estimate of ours must beat what a user has without one: one efficiency for each source.
TEST_CASE("tier A is predicted better than by one constant fitted on it") {
  for (const Summary& s : testing::shipped_report().summaries) {
    if (s.scope != "tier A") continue;
    CHECK(s.error.median < s.one_constant.median);
    CHECK(s.error.mean < s.one_constant.mean);
  }
}

// In the mean over sources, as one source has a third of the rows.
TEST_CASE("a switch called rare is used by less than a tenth of the published runs that could") {
  for (const RareSwitch& s : all_rare_switches()) {
    std::map<std::string, std::pair<double, double>> uses;  // of those that can, by source
    for (const JudgedRow& r : testing::shipped_report().rows) {
      if (!is_estimated(r) || !s.can(r.run)) continue;
      auto& [users, able] = uses[r.row.source.group];
      users += s.uses(r.run) ? 1 : 0;
      able += 1;
    }
    double share = 0;
    for (const auto& [source, n] : uses) {
      share += n.first / n.second / static_cast<double>(uses.size());
    }
    CAPTURE(std::string(s.name));
    CHECK(uses.size() >= 3);
    CHECK(share < kRareShare);
  }
}

}  // namespace
}  // namespace orrery
