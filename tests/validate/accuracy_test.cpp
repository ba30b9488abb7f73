// SPDX-License-Identifier: Apache-2.0
// Intervals from published runs, levels from a user's own steps, and what rows say of themselves.
#include "estimate/accuracy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "estimate/resolve.h"
#include "shipped_runs.h"
#include "support/about.h"
#include "support/sanitized.h"
#include "validate/consistency.h"
#include "validate/cross.h"
#include "validate/observed.h"

namespace orrery {
namespace {

StackKind kind(const char* framework, const char* stack_class, const char* generation) {
  return {framework, stack_class, generation, false};
}

// Two sources run fsdp within 10 %, three others are unknown stacks within 30 %.
Residuals some_residuals() {
  Residuals out;
  for (int i = 0; i < 40; ++i) {
    const double x = 0.005 * (i - 20);
    for (const char* source : {"one", "two"}) {
      out.time.push_back({kind("fsdp", "eager", "ampere"), source, x});
    }
    for (const char* source : {"one", "two", "three"}) {
      out.time.push_back({kind("", "eager", "ampere"), source, 2 * x});
    }
    out.time.push_back({kind("", "fused", "hopper"), "four", 3 * x});
  }
  return out;
}

TEST_CASE("the less is known of a stack, the wider its interval") {
  const Accuracy table = read_accuracy(accuracy_json(accuracy_from(some_residuals())), "a.json");
  const AccuracyCell* own = cell_of(table.cells, kind("fsdp", "eager", "ampere"));
  const AccuracyCell* elsewhere = cell_of(table.cells, kind("fsdp", "eager", "hopper"));
  const AccuracyCell* alike = cell_of(table.cells, kind("mine", "eager", "ampere"));
  const AccuracyCell* strange = cell_of(table.cells, kind("mine", "compiled", "volta"));
  REQUIRE(own != nullptr);
  REQUIRE(elsewhere != nullptr);
  REQUIRE(alike != nullptr);
  REQUIRE(strange != nullptr);
  CHECK(own->of.framework == "fsdp");
  CHECK(elsewhere->of.generation.empty());
  CHECK(elsewhere->of.framework.empty());  // nobody measured an eager stack there
  CHECK(alike->of.stack_class == "eager");
  CHECK(strange->of.stack_class.empty());
  CHECK(own->high < alike->high);
  CHECK(alike->high <= strange->high);
  CHECK(own->high <= elsewhere->high);
  CHECK(own->low == testing::about(1 / own->high).epsilon(1e-3));
}

TEST_CASE("how an error changes with the GPUs is taken from series, and cells name their largest") {
  Residuals residuals;
  // One source's error changes by 0.2 in two doublings and by 0.1 in one: √((0.02 + 0.01) / 2).
  residuals.time = {{kind("", "fused", "hopper"), "one", 0.0, 8, "a"},
                    {kind("", "fused", "hopper"), "one", 0.2, 32, "a"},
                    {kind("", "fused", "hopper"), "one", 0.1, 64, "a"},
                    {kind("", "fused", "hopper"), "one", 0.3, 512, "another model"}};
  const Accuracy table = read_accuracy(accuracy_json(accuracy_from(residuals)), "a.json");
  CHECK(table.scale_spread == doctest::Approx(std::sqrt(0.015)).epsilon(1e-3));
  CHECK(cell_of(table.cells, kind("", "fused", "hopper"))->gpus == 512);
}

TEST_CASE("one source with many rows counts as one, and makes no narrow interval") {
  Residuals residuals = some_residuals();
  const double before =
      cell_of(accuracy_from(residuals).cells, kind("mine", "eager", "ampere"))->high;
  for (int i = 0; i < 1000; ++i) {
    residuals.time.push_back({kind("", "eager", "ampere"), "many", 0.001});
  }
  const Accuracy table = accuracy_from(residuals);
  const AccuracyCell* c = cell_of(table.cells, kind("mine", "eager", "ampere"));
  CHECK(c->sources == 4);
  CHECK(c->high > 1 + 0.7 * (before - 1));
}

TEST_CASE("an interval holds eight of ten of its own runs") {
  Residuals residuals = some_residuals();
  StackKind far = kind("", "fused", "volta");
  for (int i = 1; i <= 20; ++i) residuals.time.push_back({far, "far", 0.05 * i});
  const Accuracy table = accuracy_from(residuals);
  CHECK(std::log(cell_of(table.cells, far)->high) > 0.75);
}

TEST_CASE("a mixture of experts does not take a dense model's interval") {
  Residuals residuals = some_residuals();
  StackKind experts = kind("", "fused", "hopper");
  experts.mixture = true;
  for (const char* source : {"five", "six"}) residuals.time.push_back({experts, source, 0.5});
  const Accuracy table = accuracy_from(residuals);
  const AccuracyCell* c = cell_of(table.cells, experts);
  REQUIRE(c != nullptr);
  CHECK(c->of.mixture);
  CHECK(c->high == testing::about(std::exp(0.5)));
  CHECK(cell_of(table.cells, kind("", "fused", "hopper"))->high < c->high);
  experts.framework = "fsdp";
  CHECK(cell_of(table.cells, experts)->of.framework.empty());
}

// Whether `less` has each key of `more`, or leaves it open.
bool knows_less(const StackKind& less, const StackKind& more) {
  return less.mixture >= more.mixture &&
         (less.framework.empty() || less.framework == more.framework) &&
         (less.generation.empty() || less.generation == more.generation) &&
         (less.stack_class.empty() || less.stack_class == more.stack_class);
}

TEST_CASE("no shipped interval is narrower than one of which more is known") {
  const Accuracy table =
      read_accuracy(testing::text_of(ORRERY_VALIDATION_DIR "/../configs/accuracy.json"), "a.json");
  for (const std::vector<AccuracyCell>* cells : {&table.cells, &table.memory}) {
    REQUIRE(cells->size() > 5);
    for (const AccuracyCell& less : *cells) {
      for (const AccuracyCell& more : *cells) {
        if (!knows_less(less.of, more.of)) continue;
        CHECK(less.high >= more.high);
        CHECK(less.low <= more.low);
      }
    }
  }
}

TEST_CASE("a level moves toward what was observed, the more the more steps say so") {
  const Accuracy table{0.08, 0.06, {}, {}};
  const StackLevel one = stack_level(table, {0.2});
  const StackLevel five = stack_level(table, {0.2, 0.2, 0.2, 0.2, 0.2});
  CHECK(one.factor > 1);
  CHECK(one.factor < std::exp(0.2));
  CHECK(five.factor > one.factor);
  CHECK(five.spread < one.spread);
  CHECK(stack_level(table, {}).factor == 1);
  CHECK(stack_level(table, {}).spread == testing::about(0.08));
}

TEST_CASE("steps unlike any published stack are believed, and stand in their own interval") {
  const Accuracy table{0.08, 0.06, {}, {}};
  const double far = std::log(1.5);
  const StackLevel three = stack_level(table, {far, far, far});
  const StepInterval i = interval_of(table, three);
  CHECK(three.factor * i.low < 1.5);
  CHECK(three.factor * i.high > 1.5);
  CHECK(three.factor < 1.5);
}

TEST_CASE("a level scales every term of the step and replaces the interval") {
  const Row& row = testing::shipped_report().rows.front().row;
  const ResolvedRun plain = resolve_run(*row.run, "run", testing::shipped_lookup());
  Json run = *row.run;
  run["stack"] = {{"factor", 1.25}, {"spread", 0.03}, {"steps", 3}};
  const ResolvedRun own = resolve_run(run, "run", testing::shipped_lookup());
  const Answer a = estimate(plain.run), b = estimate(own.run);
  CHECK(b.step_time.si() == testing::about(1.25 * a.step_time.si()));
  for (const Term term : kAllOf<Term>) {
    CHECK(b.breakdown[term].si() == testing::about(1.25 * a.breakdown[term].si()));
  }
  REQUIRE(a.comm_count > 0);
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    CHECK(b.comm[i].exposed.si() == testing::about(1.25 * a.comm[i].exposed.si()));
  }
  CHECK(own.interval.words.find("3 observed step times") != std::string::npos);
  CHECK(own.inputs->at("stack") == run["stack"]);
  CHECK(own.interval.high <= plain.interval.high);
}

TEST_CASE("the surer a level is, the narrower its interval") {
  const Accuracy table{0.08, 0.06, {}, {}};
  const StepInterval sure = interval_of(table, StackLevel{1.25, 0.03, 3});
  const StepInterval less_sure = interval_of(table, StackLevel{1.25, 0.1, 3});
  CHECK(sure.high < less_sure.high);
  CHECK(sure.low > less_sure.low);
}

TEST_CASE("an observed level prints no wider interval than none") {
  const Accuracy table =
      read_accuracy(testing::text_of(ORRERY_VALIDATION_DIR "/../configs/accuracy.json"), "a.json");
  for (const AccuracyCell& c : table.cells) {
    const StepInterval prior{c.low, c.high, c.rows, c.sources, ""};
    for (const std::vector<double>& logs :
         {std::vector<double>{0.3}, {-0.1, 0.1}, {0, 0, 2}, {1, 1, 1, 1, 1}}) {
      const StepInterval own = interval_of(table, stack_level(table, logs), prior);
      CHECK(own.low >= c.low);
      CHECK(own.high <= c.high);
      CHECK(own.low < 1);
      CHECK(own.high > 1);
    }
  }
}

TEST_CASE("one disturbed step among five does not set the level") {
  const Accuracy table{0.08, 0.06, {}, {}};
  const double clean = stack_level(table, {0.1, 0.1, 0.1, 0.1}).factor;
  const double disturbed = stack_level(table, {0.1, 0.1, 1.5, 0.1, 0.1}).factor;
  CHECK(disturbed / clean < 1.03);
  CHECK(stack_level(table, {0.1, 0.1, 0.4, 0.1}).factor > clean);
}

// Share of a source's rows within their interval, each source counting once.
double coverage(const std::vector<JudgedRow>& rows) {
  std::map<std::string, std::pair<double, double>> of;
  for (const JudgedRow& r : rows) {
    if (!time_error(r) || !counts(r)) continue;
    CHECK(r.answer.interval_low <= r.answer.step_time);
    CHECK(r.answer.interval_high >= r.answer.step_time);
    of[r.row.source.group].second += 1;
    if (r.published.time >= r.answer.interval_low && r.published.time <= r.answer.interval_high) {
      of[r.row.source.group].first += 1;
    }
  }
  double mean = 0;
  for (const auto& [source, n] : of) mean += n.first / n.second / static_cast<double>(of.size());
  return mean;
}

// The errors, nothing observed, of the very rows that three_observed() judges.
std::vector<double> errors_in_series(const std::vector<JudgedRow>& rows) {
  std::map<std::string, std::vector<double>> series;
  for (const JudgedRow& r : rows) {
    const std::optional<double> error = time_error(r);
    if (!error || !counts(r) || r.row.tier != RowTier::a) continue;
    const std::string model = r.row.run->at("model").dump();
    const std::string precision{name_of(r.run.training.precision)};
    series[r.row.source.group + r.framework + r.node + model + precision].push_back(*error);
  }
  std::vector<double> out;
  for (const auto& [name, errors] : series) {
    if (errors.size() >= 6) out.insert(out.end(), errors.begin(), errors.end());
  }
  return out;
}

TEST_CASE("80 percent intervals hold on sources left out, nested") {
  if (testing::kSanitized)
    return;  // minutes there; the other cases run the same code on fewer rows
  const auto& rows = testing::shipped_report().rows;
  const auto runs = fit_runs(
      rows, read_parameters(testing::text_of(ORRERY_VALIDATION_DIR "/parameters.json"), "p"));
  const LeftOut out = left_out_rows(rows, *runs, testing::shipped_lookup());
  CHECK(out.unknown.size() == rows.size());
  CHECK(out.known.size() < rows.size());
  for (const JudgedRow& r : out.known) CHECK(r.framework != "nanotron");
  const double known = coverage(out.known), unknown = coverage(out.unknown);
  MESSAGE("coverage " << known << " known, " << unknown << " unknown");
  CHECK(known >= 0.7);
  CHECK(known <= 0.92);
  CHECK(unknown >= 0.7);
  CHECK(unknown <= 0.92);
  const Accuracy table = accuracy_from(residuals_of(out));
  for (const std::vector<JudgedRow>* judged : {&out.known, &out.unknown}) {
    const Summary three = three_observed(*judged, table);
    const std::vector<double> unobserved = errors_in_series(*judged);
    CHECK(three.rows == static_cast<std::int64_t>(unobserved.size()));
    CHECK(three.error.median < summarise(unobserved).median);
  }
}

TEST_CASE("observed steps are read from runs and rows, and nothing else") {
  const auto runs = read_observed(R"([{"run": "a.json", "step_time": "12 s"}])", "o.json");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].time.si() == 12);
  const auto rows =
      read_observed(R"([{"id": "x", "run": {}, "measured": {"step_time_s": 2}}])", "o.json");
  CHECK(rows[0].time.si() == 2);
  CHECK_THROWS_AS(read_observed("nothing here", "x.log"), InputError);
  CHECK_THROWS_AS(read_observed("[]", "x.json"), InputError);
  CHECK_THROWS_AS(read_observed(R"([{"run": "a", "step_time": "12 GiB"}])", "x"), InputError);
  CHECK_THROWS_AS(read_observed(R"([{"run": "a", "step_tim": "12 s"}])", "x"), InputError);
}

TEST_CASE("a row whose seconds and tokens disagree is named") {
  std::vector<JudgedRow> rows = testing::shipped_report().rows;
  CHECK(check_rows(rows).compared > 500);
  const std::size_t before = check_rows(rows).contradictions.size();
  for (JudgedRow& r : rows) {
    if (r.row.source.group != "vtrain-multi") continue;
    r.row.measured.tokens_per_gpu = *r.row.measured.tokens_per_gpu * 1.05;
    break;
  }
  CHECK(check_rows(rows).contradictions.size() == before + 1);
}

TEST_CASE("a row that repeats another counts nowhere else") {
  int repeats = 0;
  for (const JudgedRow& r : testing::shipped_report().rows) {
    if (!r.row.repeats.empty()) ++repeats;
  }
  CHECK(repeats > 0);
  for (const Summary& s : testing::shipped_report().summaries) {
    if (s.scope == "repeats of other rows") CHECK(s.rows == repeats);
  }
  CHECK_THROWS_AS(
      read_rows(R"([{"id": "a", "repeats": "b", "run": {}, "measured": {"step_time_s": 1}}])", "f"),
      InputError);
}

}  // namespace
}  // namespace orrery
