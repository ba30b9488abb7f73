// SPDX-License-Identifier: Apache-2.0
#include "validate/accuracy_page.h"

#include "validate/report_tables.h"
#include "validate/residual_tables.h"
#include "validate/work_table.h"

namespace orrery {
namespace {

constexpr const char* kAccuracyHead =
    "# Accuracy\n\n"
    "What Orrery's predictions are held to, what they reach, and where the rest of the error sits. "
    "Rows and their errors one by one: [validation.md](validation.md). This page is generated; "
    "what "
    "is written by hand in it stands in [validation/bars.json](../validation/bars.json) and "
    "[validation/doubts.json](../validation/doubts.json). Do not edit it:\n\n"
    "```\nscripts/check-validation --update        # this page and validation.md\n"
    "orrery validate --accuracy               # this page alone\n```\n\n";

constexpr const char* kBarsLegend =
    "*Left out*: each source is predicted by constants fitted on the others alone. *Form* is what "
    "is left after one factor a source. Where a bar speaks of runs that are kept elsewhere, the "
    "public rows left out stand in for them. *aim* and *reach*: all numbers of the line are within "
    "it; *no public row*: nobody published what the line asks for.\n\n";

std::string percent(double share) { return decimals(100 * share, 1); }

std::string limit_text(BarWhat what, const BarRange& range) {
  if (what != BarWhat::coverage) return decimals(100 * range.highest, range.highest < 0.1 ? 1 : 0);
  return decimals(100 * range.lowest, 0) + "–" + decimals(100 * range.highest, 0);
}

template <class Text>
std::string joined(const Bar& bar, const Text& text) {
  std::string out;
  for (const BarValue& v : bar.values) out += (out.empty() ? "" : " / ") + text(v);
  return out + " %";
}

std::string reached_text(const Bar& bar, const BarReports& reports) {
  return joined(bar, [&](const BarValue& v) {
    const std::optional<double> value = value_of(v, reports);
    return value ? percent(*value) : std::string("–");
  });
}

std::string state_text(const Bar& bar, const BarReports& reports) {
  return std::string(name_of(reached(bar, reports)));
}

std::vector<Cells> bar_table(const std::vector<Bar>& bars, const BarReports& reports) {
  std::vector<Cells> table = {{"bar", "reach", "aim", "reached", "which is", "printed by"}};
  for (const Bar& b : bars) {
    table.push_back({b.name,
                     joined(b, [](const BarValue& v) { return limit_text(v.what, v.reach); }),
                     joined(b, [](const BarValue& v) { return limit_text(v.what, v.aim); }),
                     reached_text(b, reports), state_text(b, reports), "`" + b.command + "`"});
  }
  return table;
}

std::string listed(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return title + ": nothing is written of it.\n\n";
  std::string out = title + ":\n\n";
  for (const std::string& line : lines) out += "- " + line + "\n";
  return out + "\n";
}

std::string missed_bars(const std::vector<Bar>& bars, const BarReports& reports) {
  std::string out;
  for (const Bar& b : bars) {
    if (reached(b, reports) != Reached::missed) continue;
    out += "### " + b.name + "\n\nReached " + reached_text(b, reports) + ", to reach " +
           joined(b, [](const BarValue& v) { return limit_text(v.what, v.reach); }) + ".\n\n" +
           listed("What is left", b.left) + listed("What was tried", b.tried);
  }
  return out.empty() ? "" : "## What is missed, and why\n\n" + out;
}

std::string page_part(const std::string& title, const std::vector<Cells>& table,
                      const std::string& legend) {
  if (table.size() < 2) return "";
  return "### " + title + "\n\n" + markdown_table(table) + "\n" +
         (legend.empty() ? "" : legend + "\n\n");
}

// Errors above the p90 that tier A, left out, is to reach; nothing where no bar says one.
std::string large_errors(const std::vector<Bar>& bars, const ValidationReport& report) {
  const std::optional<double> beyond =
      strictest_reach(bars, BarReport::left_out, "tier A", BarWhat::p90);
  if (!beyond) return "";
  return page_part(
      "Errors above " + share_text(*beyond) + ", tier A", blame_table(report, RowTier::a, *beyond),
      "Whose they are believed to be; the evidence stands in "
      "[validation/doubts.json](../validation/doubts.json) and, of the worst twenty, in "
      "[validation.md](validation.md#the-worst-rows).");
}

std::string where_it_sits(const ValidationReport& report) {
  const WorkTable work = work_table(report, RowTier::a);
  return "## Where the error sits\n\nAll of it with the source left out.\n\n" +
         page_part(
             "By source, tier A", source_table(report, RowTier::a),
             "*Level* is the median predicted/measured − 1; the last column is the p90 of tier A "
             "were the source not in it. " +
                 level_sentence(report, RowTier::a)) +
         page_part("By source, tier B", source_table(report, RowTier::b),
                   level_sentence(report, RowTier::b)) +
         page_part(
             "By part of the step, tier A", part_table(report, RowTier::a),
             "Rows in which the part takes a tenth of the predicted step or more, after the level "
             "of their source is divided out: a bias here is a part priced too high (+) or too "
             "low (−) against the others.") +
         page_part("By kind of work, tier A", work.table,
                   "*Share*: the median elasticity of the step, so that bubbles and what is hidden "
                   "count; *priced too long by*: what a fit over all rows, with a level for each "
                   "source, would have that work cost less against matrix products, everywhere "
                   "alike, with its standard deviation. " +
                       work.sentence);
}

}  // namespace

std::string accuracy_page(const std::vector<Bar>& bars, const BarReports& reports) {
  return kAccuracyHead + markdown_table(bar_table(bars, reports)) + "\n" + kBarsLegend +
         missed_bars(bars, reports) + where_it_sits(reports.left_out) +
         large_errors(bars, reports.left_out) +
         page_part("Memory by source", memory_source_table(reports.shipped),
                   "The last column is the p90 of all memory rows were these not among them. " +
                       fit_sentence(reports.shipped)) +
         page_part("Fits or does not, the other way round", misjudged_table(reports.shipped), "") +
         "## What sources themselves scatter by\n\n" +
         page_part(
             "The same run, measured more than once", repeat_table(reports.shipped),
             "Runs that say the same to the letter, with different times: no model of these keys "
             "can be nearer to all of them than half of the fourth column.");
}

}  // namespace orrery
