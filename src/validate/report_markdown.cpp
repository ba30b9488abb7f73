// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr std::size_t kWorst = 20;
constexpr std::size_t kWorstOfMemory = 10;

constexpr const char* kMarkdownHead =
    "# Validation\n\n"
    "How far predictions are off, on the published runs in [validation/runs](../validation/runs). "
    "Every row there carries its own source. What this comes to, held against its bars: "
    "[accuracy.md](accuracy.md). This page is generated; do not edit it:\n\n"
    "```\norrery validate --markdown -o docs/validation.md\n```\n\n";

constexpr const char* kLeftOutLegend =
    "Each source is predicted by constants fitted on the other sources alone (`orrery validate "
    "--cross`); the intervals of *in 80 %* rest on residuals of the other sources only. *Three "
    "rows "
    "observed*: the level of each source's stack is set from three of its own rows, and the others "
    "are judged.\n\n";

constexpr const char* kHeadLeftOut =
    "# Validation on sources left out\n\n"
    "Every row is predicted by constants fitted without its source.\n\n";

constexpr const char* kMarkdownLegend =
    "Error is predicted/measured − 1; median, p90 and mean are of its size, bias is the signed "
    "median. Rows are judged by step time: as published, else from tokens/s, else from FLOP/s by "
    "the formula of the source. Tier A rows state every setting that moves time by more than a few "
    "percent; tier B rows leave some out and take a default. *Form* and the p90 beside it are the "
    "error after the median ratio of each source and tier is divided out. *Constant* and the "
    "mean "
    "beside it are the error of FLOPs/(peak · e) with one efficiency a source and tier, fitted on "
    "the very rows it is shown for. *In 80 %* are the rows measured within the interval that "
    "`estimate` prints.\n\n";

std::string markdown_section(const std::string& title, const std::vector<Cells>& rows) {
  return rows.size() > 1 ? "## " + title + "\n\n" + markdown_table(rows) + "\n" : "";
}

using RowError = std::optional<double> (*)(const JudgedRow&);

std::vector<const JudgedRow*> worst_rows(const ValidationReport& report, RowError error,
                                         bool all_rows, std::size_t most) {
  std::vector<const JudgedRow*> rows;
  for (const JudgedRow& r : report.rows) {
    if (error(r) && (all_rows || counts(r))) rows.push_back(&r);
  }
  std::stable_sort(rows.begin(), rows.end(), [=](const JudgedRow* a, const JudgedRow* b) {
    return std::abs(std::log1p(*error(*a))) > std::abs(std::log1p(*error(*b)));
  });
  rows.resize(std::min(most, rows.size()));
  return rows;
}

Cells worst_cells(const ValidationReport& report, const JudgedRow& r, DoubtOf of,
                  const std::string& predicted, const std::string& measured, double error) {
  const Doubt* doubt = doubt_of(report.doubts, of, r.row.id);
  return {r.row.id,
          std::string(name_of(r.row.tier)),
          predicted,
          measured,
          signed_share_text(error),
          doubt == nullptr ? "unknown" : std::string(name_of(doubt->whose)),
          doubt == nullptr ? "" : doubt->why};
}

std::vector<Cells> worst_heading() {
  return {{"row", "tier", "predicted", "measured", "error", "whose", "believed wrong"}};
}

std::vector<Cells> worst_table(const ValidationReport& report) {
  std::vector<Cells> table = worst_heading();
  for (const JudgedRow* r : worst_rows(report, time_error, false, kWorst)) {
    table.push_back(worst_cells(report, *r, DoubtOf::time,
                                decimals(r->answer.step_time.si(), 3) + " s",
                                decimals(r->published.time.si(), 3) + " s", *time_error(*r)));
  }
  return table;
}

std::vector<Cells> worst_memory_table(const ValidationReport& report) {
  std::vector<Cells> table = worst_heading();
  for (const JudgedRow* r : worst_rows(report, memory_error, true, kWorstOfMemory)) {
    table.push_back(
        worst_cells(report, *r, DoubtOf::memory, decimals(predicted_memory(*r) / kGiB, 1) + " GiB",
                    decimals(*r->row.measured.peak_memory / kGiB, 1) + " GiB", *memory_error(*r)));
  }
  return table;
}

// Of the sources left out: all of it, and each source.
std::vector<Cells> left_out_table(const ValidationReport& report) {
  std::vector<Cells> all = time_table(report);
  std::vector<Cells> table = {all.front()};
  const auto begins = [](const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
  };
  for (const Cells& cells : all) {
    for (const char* kept : {"tier ", "mean over", "framework seen", "three rows", "source "}) {
      if (begins(cells.front(), kept)) table.push_back(cells);
    }
  }
  return table;
}

std::string extra_sections(const MarkdownExtras& extras) {
  std::string out =
      markdown_section("Sources left out", left_out_table(extras.left_out)) + kLeftOutLegend +
      markdown_section("Choice of layout, sources left out", sweep_table(extras.left_out));
  for (const auto& [title, table] : extras.tables) out += markdown_section(title, table);
  return out;
}

}  // namespace

std::string validation_markdown(const ValidationReport& report, const MarkdownExtras* extras) {
  return (report.left_out ? kHeadLeftOut : kMarkdownHead) +
         markdown_section("Step time", time_table(report)) + kMarkdownLegend +
         (extras == nullptr ? "" : extra_sections(*extras)) +
         markdown_section("Choice of layout", sweep_table(report)) +
         markdown_section("Peak memory", memory_table(report)) + fit_sentence(report) + "\n\n" +
         markdown_section("The worst rows", worst_table(report)) +
         markdown_section("The worst rows of memory", worst_memory_table(report)) +
         markdown_section("Rows without an estimate", refusal_table(report));
}

}  // namespace orrery
