// SPDX-License-Identifier: Apache-2.0
#include "validate/bars.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "validate/accuracy_page.h"
#include "validate/residual_tables.h"

namespace orrery {
namespace {

JudgedRow bar_row(const std::string& group, const std::string& run, double predicted,
                  double measured) {
  JudgedRow r;
  r.row.id = group + run + std::to_string(measured);
  r.row.run = Json{{"model", run}};
  r.row.source.group = group;
  r.answer.step_time = Seconds(predicted);
  r.answer.breakdown[static_cast<std::size_t>(Term::compute)] = Seconds(predicted * 0.95);
  r.answer.breakdown[static_cast<std::size_t>(Term::tp_exposed)] = Seconds(predicted * 0.05);
  r.answer.interval_low = Seconds(0.9 * predicted);
  r.answer.interval_high = Seconds(1.1 * predicted);
  r.answer.hardware_flops = Flops(1);
  r.answer.peak_rate = FlopsPerSecond(1);
  r.published = {Basis::step_time, Seconds(measured)};
  return r;
}

// One source 10 % too short throughout, one exact but for a row twice too long.
ValidationReport bar_report() {
  return report_of(
      {bar_row("low", "d", 0.9, 1), bar_row("low", "e", 1.8, 2), bar_row("low", "f", 2.7, 3),
       bar_row("even", "a", 1, 1), bar_row("even", "b", 2, 2), bar_row("even", "b", 2, 1),
       bar_row("even", "c", 3, 3)},
      true);
}

BarValue bar_value(const std::string& scope, BarWhat what, double reach, double aim) {
  return {BarReport::left_out, scope, what, {0, reach}, {0, aim}};
}

std::string bars_refusal(const std::string& text) {
  try {
    read_bars(text, "bars.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const Cells* line_of(const std::vector<Cells>& table, const std::string& name) {
  for (const Cells& cells : table) {
    if (cells.front() == name) return &cells;
  }
  return nullptr;
}

TEST_CASE("a bar is as good as the worst of its values, and silent where no row speaks") {
  const ValidationReport left_out = bar_report();
  const BarReports reports{left_out, left_out};
  const auto state = [&](const std::vector<BarValue>& values) {
    return reached({"bar", "command", values, {}, {}}, reports);
  };
  const std::string low = "source low, tier A";
  CHECK(state({bar_value(low, BarWhat::median, 0.2, 0.11)}) == Reached::aim);
  CHECK(state({bar_value(low, BarWhat::median, 0.2, 0.05)}) == Reached::reach);
  CHECK(state({bar_value(low, BarWhat::median, 0.09, 0.05)}) == Reached::missed);
  CHECK(state({bar_value(low, BarWhat::form_median, 0.01, 0.001)}) == Reached::aim);
  CHECK(state({bar_value(low, BarWhat::median, 0.2, 0.11),
               bar_value(low, BarWhat::p90, 0.05, 0.01)}) == Reached::missed);
  CHECK(state({bar_value("memory allocated", BarWhat::median, 0.2, 0.1)}) == Reached::unknown);
  CHECK(state({bar_value("memory allocated", BarWhat::median, 0.2, 0.1),
               bar_value(low, BarWhat::median, 0.2, 0.05)}) == Reached::reach);
  CHECK(state({bar_value("low", BarWhat::regret, 0.1, 0.1)}) == Reached::unknown);  // no sweep
}

TEST_CASE("coverage has to lie between two bounds") {
  const ValidationReport left_out = bar_report();
  const BarReports reports{left_out, left_out};
  const auto state = [&](BarRange range) {
    const BarValue v{BarReport::shipped, "source even, tier A", BarWhat::coverage, range, range};
    return reached({"bar", "command", {v}, {}, {}}, reports);
  };
  CHECK(state({0.7, 0.8}) == Reached::aim);  // 3 of 4
  CHECK(state({0.8, 0.9}) == Reached::missed);
  CHECK(state({0.5, 0.7}) == Reached::missed);
}

TEST_CASE("bars are read whole, and what is wrong with them is said") {
  const std::vector<Bar> bars = read_bars(
      R"([{"name": "n", "command": "c", "left": ["l"], "tried": ["t"], "values": [
          {"of": "left out", "scope": "all", "what": "coverage", "reach": [0.7, 0.9], "aim": [0.75, 0.85]},
          {"of": "shipped", "scope": "all", "what": "form p90", "reach": 0.1, "aim": 0.05}]}])",
      "bars.json");
  REQUIRE(bars.size() == 1);
  REQUIRE(bars[0].values.size() == 2);
  CHECK(bars[0].values[0].reach.lowest == 0.7);
  CHECK(bars[0].values[1].what == BarWhat::form_p90);
  CHECK(bars[0].values[1].of == BarReport::shipped);
  const auto with = [](const std::string& v) {
    return R"([{"name": "n", "command": "c", "values": [)" + v + "]}]";
  };
  CHECK(bars_refusal(with("")).find("[0].values") != std::string::npos);
  CHECK(bars_refusal(with(R"({"of": "shiped"})")).find("did you mean \"shipped\"") !=
        std::string::npos);
  CHECK(bars_refusal(with(R"({"of": "shipped", "scope": "all", "what": "coverage", "reach": 0.7,
                         "aim": 0.7})"))
            .find("reach") != std::string::npos);
  CHECK(bars_refusal(
            with(R"({"of": "shipped", "scope": "all", "what": "p90", "reach": 0.7, "aim": 0.7,
                         "goal": 1})"))
            .find("goal: found an unknown key") != std::string::npos);
}

TEST_CASE("a scope that no rows can have is refused with the nearest, one without rows is not") {
  const ValidationReport left_out = bar_report();
  const BarReports reports{left_out, left_out};
  const auto refusal = [&](const std::string& scope, BarWhat what) -> std::string {
    const BarValue fine = bar_value("all", BarWhat::median, 0.1, 0.1);
    try {
      check_scopes({{"n", "c", {fine}, {}, {}},
                    {"m", "c", {fine, bar_value(scope, what, 0.1, 0.1)}, {}, {}}},
                   reports, "bars.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* scope : {"all", "tier B", "memory allocated", "mean over sources, tier A",
                            "framework seen nowhere else, tier B", "source low, tier A",
                            "three rows of the source observed, tier A"}) {
    CHECK(refusal(scope, BarWhat::p90) == "");
  }
  CHECK(refusal("source lwo, tier A", BarWhat::mean) ==
        "bars.json: [1].values[1].scope: found \"source lwo, tier A\"; allowed: a scope of "
        "`orrery validate`; did you mean \"source low, tier A\"?");
  CHECK(refusal("memory alocated", BarWhat::p90).find("did you mean \"memory allocated\"") !=
        std::string::npos);
  CHECK(refusal("low", BarWhat::regret).find("a source with sweeps") != std::string::npos);
}

TEST_CASE("errors are large beyond the strictest p90 that tier A, left out, is to reach") {
  const ValidationReport left_out = bar_report();
  const BarReports reports{left_out, left_out};
  const auto page = [&](const std::vector<BarValue>& values) {
    return accuracy_page({{"b", "c", values, {}, {}}}, reports);
  };
  const std::string with = page({bar_value("tier A", BarWhat::p90, 0.4, 0.1),
                                 bar_value("tier A", BarWhat::p90, 0.3, 0.2),
                                 bar_value("all", BarWhat::p90, 0.05, 0.05)});
  CHECK(with.find("Errors above 30.0 %, tier A") != std::string::npos);
  const std::string without = page({bar_value("tier A", BarWhat::median, 0.4, 0.1)});
  CHECK(without.find("Errors above") == std::string::npos);
}

TEST_CASE("a source's level is apart from its form, and the rest is what is left without it") {
  const std::vector<Cells> table = source_table(bar_report(), RowTier::a);
  const Cells* low = line_of(table, "low");
  REQUIRE(low != nullptr);
  CHECK((*low)[2] == "-10.0 %");
  CHECK((*low)[5] == "0.0 %");
  const Cells* even = line_of(table, "even");
  REQUIRE(even != nullptr);
  CHECK((*even)[2] == "+0.0 %");
  CHECK((*even)[6] == "10.0 %");
}

TEST_CASE("parts below a tenth of a step say nothing of it") {
  const std::vector<Cells> table = part_table(bar_report(), RowTier::a);
  REQUIRE(line_of(table, "compute") != nullptr);
  CHECK((*line_of(table, "compute"))[1] == "7");
  CHECK(line_of(table, "tp_exposed") == nullptr);
}

TEST_CASE("only different times of one run are repeated measurements") {
  ValidationReport r = bar_report();
  r.rows.push_back(bar_row("even", "c", 3, 3));  // the same number, printed again
  const std::vector<Cells> table = repeat_table(r);
  REQUIRE(table.size() == 2);
  CHECK(table[1][1] == "even");
  CHECK(table[1][2] == "1.00, 2.00 s");
  CHECK(table[1][3] == "+100.0 %");
}

TEST_CASE("large errors are counted by whose they are") {
  ValidationReport r = bar_report();
  r.doubts = {{{"evenb1*"}, DoubtOf::memory, Whose::ours, "of memory alone"},
              {{"evenb1*"}, DoubtOf::time, Whose::theirs, "why"}};
  const std::vector<Cells> table = blame_table(r, RowTier::a, 0.17);
  REQUIRE(table.size() == 2);
  CHECK(table[1] == Cells{"even", "1", "0", "1", "0"});
}

TEST_CASE("a fit is misjudged either way") {
  ValidationReport r = bar_report();
  r.rows[0].row.measured.out_of_memory = true;  // predicted to fit
  r.rows[1].answer.reason = Reason::device_memory;
  r.rows[2].answer.reason = Reason::device_memory;
  r.rows[2].row.measured.out_of_memory = true;  // seen
  const std::vector<Cells> table = misjudged_table(r);
  REQUIRE(table.size() == 3);
  CHECK(table[1][0] == r.rows[0].row.id);
  CHECK(table[1][1] == "out of memory");
  CHECK(table[2][0] == r.rows[1].row.id);
  CHECK(table[2][1] == "ran");
}

TEST_CASE("the page says of a missed bar what is written of it, or that nothing is") {
  const ValidationReport left_out = bar_report();
  const BarReports reports{left_out, left_out};
  const BarValue miss = bar_value("source low, tier A", BarWhat::median, 0.01, 0.005);
  const std::string bare = accuracy_page({{"b", "c", {miss}, {}, {}}}, reports);
  CHECK(bare.find("| b | 1.0 % | 0.5 % | 10.0 % | missed | `c` |") != std::string::npos);
  CHECK(bare.find("nothing is written of it") != std::string::npos);
  const std::string said = accuracy_page({{"b", "c", {miss}, {"left of it"}, {"tried"}}}, reports);
  CHECK(said.find("- left of it\n") != std::string::npos);
  CHECK(said.find("nothing is written of it") == std::string::npos);
}

}  // namespace
}  // namespace orrery
