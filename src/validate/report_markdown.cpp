// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr std::size_t kWorst = 20;

constexpr const char* kMarkdownHead =
    "# Validation\n\n"
    "How far predictions are off, on the published runs in [validation/runs](../validation/runs). "
    "Every row there carries its own source. This page is generated; do not edit it:\n\n"
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
    "the formula of the source. Tier A rows lack nothing that moves time by more than a few "
    "percent; tier B rows lack something and take a default. *Form* and the p90 beside it are what "
    "is left after the median ratio of each source and tier is divided out. *Constant* and the "
    "mean "
    "beside it are the error of FLOPs/(peak · e) with one efficiency a source and tier, fitted on "
    "the very rows it is shown for. *In 80 %* are the rows measured within the interval that "
    "`estimate` prints.\n\n";

std::string markdown_section(const std::string& title, const std::vector<Cells>& rows) {
  return rows.size() > 1 ? "## " + title + "\n\n" + markdown_table(rows) + "\n" : "";
}

std::string name_of(Whose w) { return std::string(kWhoseNames[static_cast<std::size_t>(w)]); }

std::vector<Cells> worst_table(const ValidationReport& report) {
  std::vector<const JudgedRow*> rows;
  for (const JudgedRow& r : report.rows) {
    if (time_error(r) && counts(r)) rows.push_back(&r);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const JudgedRow* a, const JudgedRow* b) {
    return std::abs(std::log1p(*time_error(*a))) > std::abs(std::log1p(*time_error(*b)));
  });
  std::vector<Cells> table = {
      {"row", "tier", "predicted", "measured", "error", "whose", "believed wrong"}};
  for (std::size_t i = 0; i < std::min(kWorst, rows.size()); ++i) {
    const JudgedRow& r = *rows[i];
    const Doubt* doubt = doubt_of(report.doubts, r.row.id);
    table.push_back({r.row.id, std::string(kRowTierNames[static_cast<std::size_t>(r.row.tier)]),
                     decimals(r.answer.step_time.si(), 3) + " s",
                     decimals(r.published.time.si(), 3) + " s", signed_share_text(*time_error(r)),
                     doubt == nullptr ? "unknown" : name_of(doubt->whose),
                     doubt == nullptr ? "" : doubt->why});
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
         markdown_section("Rows without an estimate", refusal_table(report));
}

}  // namespace orrery
