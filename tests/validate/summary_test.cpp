// SPDX-License-Identifier: Apache-2.0
#include "validate/summary.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "support/about.h"
#include "validate/report.h"

namespace orrery {
namespace {

// Predicted, measured and what one constant would start from, in seconds.
JudgedRow row(const std::string& group, double predicted, double measured, double ideal,
              RowTier tier = RowTier::a) {
  JudgedRow r;
  r.row.source.group = group;
  r.row.tier = tier;
  r.node = "node";
  r.framework = "framework";
  r.answer.step_time = Seconds(predicted);
  r.answer.interval_low = Seconds(0.9 * predicted);
  r.answer.interval_high = Seconds(1.1 * predicted);
  r.answer.hardware_flops = Flops(ideal);
  r.answer.peak_rate = FlopsPerSecond(1);
  r.published = {Basis::step_time, Seconds(measured)};
  return r;
}

const Summary& scope(const std::vector<Summary>& all, const std::string& name) {
  for (const Summary& s : all) {
    if (s.scope == name) return s;
  }
  FAIL("no scope " << name);
  return all.front();
}

TEST_CASE("quantiles interpolate between neighbours") {
  CHECK(interpolated_quantile({3, 1, 2}, 0.5) == 2);
  CHECK(interpolated_quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(interpolated_quantile({1, 2, 3, 4, 5}, 0.9) == testing::about(4.6));
  CHECK(interpolated_quantile({7}, 0.9) == 7);
}

TEST_CASE("sizes are summed up, bias keeps its sign") {
  const ErrorSummary s = summarise({-0.3, -0.1, 0.05, -0.2});
  CHECK(s.count == 4);
  CHECK(s.median == testing::about(0.15));
  CHECK(s.mean == testing::about(0.1625));
  CHECK(s.bias == testing::about(-0.15));
  CHECK(s.within_10 == testing::about(0.5));
}

TEST_CASE("one factor takes away what a source has in common") {
  const std::vector<Summary> all = summaries_of(
      {row("slow", 2, 1, 1), row("slow", 4, 2, 1), row("fast", 1, 2, 1), row("fast", 2, 4, 1)});
  CHECK(scope(all, "tier A").error.median == testing::about(0.75));
  CHECK(scope(all, "tier A").one_factor.p90 == testing::about(0));
}

TEST_CASE("one constant is fitted on the source it is shown for") {
  const std::vector<Summary> all =
      summaries_of({row("a", 1, 10, 5), row("a", 1, 20, 10), row("b", 1, 4, 1)});
  CHECK(scope(all, "all").one_constant.p90 == testing::about(0));
  CHECK(scope(all, "source a, tier A").one_constant.count == 2);
}

TEST_CASE("tiers, rows with an assumed batch and refused rows are counted apart") {
  JudgedRow assumed = row("a", 1, 1, 1);
  assumed.assumed = {"training.global_batch 8"};
  JudgedRow refused = row("a", 1, 1, 1);
  refused.refusal = "no";
  const std::vector<Summary> all =
      summaries_of({row("a", 1, 1, 1), row("a", 1, 1, 1, RowTier::b), assumed, refused});
  CHECK(scope(all, "tier A").rows == 2);
  CHECK(scope(all, "tier A").refused == 1);
  CHECK(scope(all, "tier A").error.count == 1);
  CHECK(scope(all, "tier B").rows == 1);
  CHECK(scope(all, "global batch assumed").rows == 1);
}

TEST_CASE("the interval holds what lies within") {
  const std::vector<Summary> all = summaries_of({row("a", 1, 1.05, 1), row("a", 1, 1.2, 1)});
  CHECK(scope(all, "all").in_interval == testing::about(0.5));
}

TEST_CASE("what fits is judged both ways") {
  JudgedRow seen = row("a", 1, 1, 1);
  seen.row.measured.out_of_memory = true;
  seen.published.basis = Basis::none;
  seen.answer.reason = Reason::device_memory;
  JudgedRow missed = seen;
  missed.answer.reason = Reason::fits;
  JudgedRow wrong = row("a", 1, 1, 1);
  wrong.answer.reason = Reason::device_memory;
  const FitSummary f = fit_summary_of({seen, missed, wrong, row("a", 1, 1, 1)});
  CHECK(f.out_of_memory == 2);
  CHECK(f.out_of_memory_seen == 1);
  CHECK(f.ran == 2);
  CHECK(f.ran_but_refused == 1);
}

// Layouts of one model that one source measured.
std::vector<JudgedRow> layouts(std::initializer_list<std::pair<double, double>> times) {
  std::vector<JudgedRow> rows;
  for (const auto& [predicted, measured] : times) {
    rows.push_back(row("site", predicted, measured, 1));
    rows.back().row.run = Json{{"model", "one"}};
  }
  return rows;
}

TEST_CASE("the pick is the layout predicted fastest among those predicted to fit") {
  std::vector<JudgedRow> rows = layouts({{1, 4}, {2, 2}, {3, 3}, {4, 5}, {5, 6}, {6, 7}});
  CHECK(sweeps_of(rows).front().regret == testing::about(1));
  CHECK(sweeps_of(rows).front().regret_of_three == 0);
  rows[0].answer.reason = Reason::device_memory;
  CHECK(sweeps_of(rows).front().regret == 0);
}

TEST_CASE("a pick that ran out of memory is counted, and the next one is judged") {
  std::vector<JudgedRow> rows = layouts({{1, 1}, {2, 3}, {3, 2}, {4, 5}, {5, 6}, {6, 7}, {7, 8}});
  rows[0].published = {};
  rows[0].row.measured.out_of_memory = true;
  const std::vector<Sweep> sweeps = sweeps_of(rows);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].rows == 6);
  CHECK(sweeps[0].picks_out_of_memory);
  CHECK(sweeps[0].regret == testing::about(0.5));
  const RegretSummary all = regret_summary_of(sweeps);
  CHECK(all.sweeps == 1);
  CHECK(all.picks_out_of_memory == 1);
  CHECK(all.worst == testing::about(0.5));
}

TEST_CASE("runs of tier B do not stand among layouts of a source with tier A") {
  std::vector<JudgedRow> rows = layouts({{2, 2}, {3, 3}, {4, 5}, {5, 6}, {1, 9}});
  rows.back().row.tier = RowTier::b;
  CHECK(sweeps_of(rows).front().rows == 4);
  CHECK(sweeps_of(rows).front().regret == 0);
}

}  // namespace
}  // namespace orrery
