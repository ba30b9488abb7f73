// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr std::size_t kWorst = 20;

constexpr const char* kHead =
    "# Validation\n\n"
    "How far predictions are off, on the published runs in [validation/runs](../validation/runs). "
    "Every row there carries its own source. This page is generated; do not edit it:\n\n"
    "```\norrery validate --markdown -o docs/validation.md\n```\n\n";

constexpr const char* kHeadLeftOut =
    "# Validation on sources left out\n\n"
    "Every row is predicted by constants fitted without its source.\n\n";

constexpr const char* kLegend =
    "Error is predicted/measured − 1; median, p90 and mean are of its size, bias is the signed "
    "median. Rows are judged by step time: as published, else from tokens/s, else from FLOP/s by "
    "the formula of the source. Tier A rows lack nothing that moves time by more than a few "
    "percent; tier B rows lack something and take a default. *Form* and the p90 beside it are what "
    "is left after the median ratio of each source and tier is divided out. *Constant* and the "
    "mean "
    "beside it are the error of FLOPs/(peak · e) with one efficiency a source and tier, fitted on "
    "the very rows it is shown for. *In 80 %* are the rows measured within the interval that "
    "`estimate` prints.\n\n";

std::string section(const std::string& title, const std::vector<Cells>& rows) {
  return rows.size() > 1 ? "## " + title + "\n\n" + markdown_table(rows) + "\n" : "";
}

std::vector<Cells> worst_table(const ValidationReport& report) {
  std::vector<const JudgedRow*> rows;
  for (const JudgedRow& r : report.rows) {
    if (time_error(r) && r.assumed.empty()) rows.push_back(&r);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const JudgedRow* a, const JudgedRow* b) {
    return std::abs(std::log1p(*time_error(*a))) > std::abs(std::log1p(*time_error(*b)));
  });
  std::vector<Cells> table = {{"row", "tier", "predicted", "measured", "error"}};
  for (std::size_t i = 0; i < std::min(kWorst, rows.size()); ++i) {
    const JudgedRow& r = *rows[i];
    table.push_back({r.row.id, std::string(kRowTierNames[static_cast<std::size_t>(r.row.tier)]),
                     decimals(r.answer.step_time.si(), 3) + " s",
                     decimals(r.published.time.si(), 3) + " s", signed_share_text(*time_error(r))});
  }
  return table;
}

}  // namespace

std::string validation_markdown(const ValidationReport& report) {
  return (report.left_out ? kHeadLeftOut : kHead) + section("Step time", time_table(report)) +
         kLegend + section("Choice of layout", sweep_table(report)) +
         section("Peak memory", memory_table(report)) + fit_sentence(report) + "\n\n" +
         section("The worst rows", worst_table(report)) +
         section("Rows without an estimate", refusal_table(report));
}

}  // namespace orrery
