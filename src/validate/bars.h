// SPDX-License-Identifier: Apache-2.0
//
// The accuracy that the product should reach (validation/bars.json), and the accuracy reached.
//
// A JSON array of {"name", "values", "command", "left", "tried"}. A value is {"of", "scope",
// "what", "reach", "aim"}: `of` the report it is read from, "shipped" (constants as in configs/) or
// "left out" (each source by a fit without it); `scope` the line of that report's summary, of
// "regret" the source whose sweeps are meant; `what` the statistic; `reach` and `aim` fractions, at
// most, of "coverage" two between which. `left` says what is left of the error and `tried` what was
// tried, by hand: the page prints them where a bar is missed. Units: fractions. Errors: InputError
// with file and path. A scope that can exist and has no row is no error: not every quantity is
// published.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "validate/report.h"

namespace orrery {

enum class BarReport : std::uint8_t { shipped, left_out };
constexpr EnumNames<BarReport> names_of(BarReport) { return {"shipped", "left out"}; }

enum class BarWhat : std::uint8_t {
  median,
  p90,
  mean,
  form_median,  // after one factor a source, as the next two
  form_p90,
  form_mean,
  coverage,  // share of rows measured inside their interval
  regret,    // the largest of a source's sweeps
};
constexpr EnumNames<BarWhat> names_of(BarWhat) {
  return {"median", "p90", "mean", "form median", "form p90", "form mean", "coverage", "regret"};
}

struct BarRange {
  double lowest = 0;
  double highest = 0;
};

struct BarValue {
  BarReport of = BarReport::left_out;
  std::string scope;
  BarWhat what = BarWhat::median;
  BarRange reach;
  BarRange aim;
};

struct Bar {
  std::string name;
  std::string command;
  std::vector<BarValue> values;
  std::vector<std::string> left;
  std::vector<std::string> tried;
};

enum class Reached : std::uint8_t { unknown, missed, reach, aim };
constexpr EnumNames<Reached> names_of(Reached) {
  return {"no public row", "missed", "reach", "aim"};
}

struct BarReports {
  const ValidationReport& shipped;
  const ValidationReport& left_out;
};

std::vector<Bar> read_bars(std::string_view text, const std::string& file);

// Errors: InputError where a scope is neither of the reports' rows nor one that any rows may have
// (summary.h), with the nearest name. For bars and rows that belong together, as those shipped do.
void check_scopes(const std::vector<Bar>& bars, const BarReports& reports, const std::string& file);

// The strictest that any bar sets for it; nothing where none does.
std::optional<double> strictest_reach(const std::vector<Bar>& bars, BarReport of,
                                      std::string_view scope, BarWhat what);

// Nothing where the report has no such scope.
std::optional<double> value_of(const BarValue& v, const BarReports& reports);

// The least that any of its values reaches; those that no row publishes say nothing.
Reached reached(const Bar& bar, const BarReports& reports);

}  // namespace orrery
