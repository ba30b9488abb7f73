// SPDX-License-Identifier: Apache-2.0
#include "validate/report_tables.h"

namespace orrery {
namespace {

std::string seconds(Seconds t) {
  return decimals(t.si(), t.si() < 10 ? 3 : t.si() < 100 ? 2 : 1) + " s";
}

std::string gib_words(Bytes b) { return decimals(b / kGiB, 2) + " GiB"; }

Cells row_cells(const JudgedRow& r) {
  Cells cells = {r.row.id, std::string(name_of(r.row.tier))};
  if (const std::optional<double> error = time_error(r)) {
    cells.insert(cells.end(), {seconds(r.answer.step_time), seconds(r.published.time),
                               signed_share_text(*error)});
  } else {
    cells.insert(cells.end(), {seconds(r.answer.step_time), "", ""});
  }
  if (const std::optional<double> error = memory_error(r)) {
    cells.insert(cells.end(), {gib_words(predicted_memory(r)),
                               gib_words(*r.row.measured.peak_memory), signed_share_text(*error)});
  } else if (r.row.measured.out_of_memory) {
    cells.insert(cells.end(),
                 {gib_words(predicted_memory(r)), "does not fit", fits(r) ? "not seen" : "seen"});
  } else {
    cells.insert(cells.end(), {gib_words(predicted_memory(r)), "", ""});
  }
  cells.push_back(fits(r) ? "" : "does not fit");
  return cells;
}

Cells error_cells(const ErrorSummary& s) {
  if (s.count == 0) return {"", "", "", "", ""};
  return {share_text(s.median), share_text(s.p90), share_text(s.mean), signed_share_text(s.bias),
          share_text(s.within_10)};
}

void append(Cells& to, const Cells& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

std::vector<Cells> row_table(const ValidationReport& report) {
  std::vector<Cells> table = {{"row", "tier", "step predicted", "measured", "error",
                               "memory predicted", "measured", "error", "predicted to fit"}};
  for (const JudgedRow& r : report.rows) {
    if (is_estimated(r)) table.push_back(row_cells(r));
  }
  return table;
}

std::vector<Cells> refusal_table(const ValidationReport& report) {
  std::vector<Cells> table = {{"row refused", "why"}};
  for (const JudgedRow& r : report.rows) {
    if (is_estimated(r)) continue;
    const std::string where = r.row.file + ": " + r.row.id + ": ";
    const bool own = r.refusal.rfind(where, 0) == 0;
    table.push_back({r.row.id, own ? r.refusal.substr(where.size()) : r.refusal});
  }
  return table;
}

std::vector<Cells> time_table(const ValidationReport& report) {
  std::vector<Cells> table = {{"step time", "rows", "refused", "median", "p90", "mean", "bias",
                               "≤ 10 %", "form", "p90", "constant", "mean", "in 80 %"}};
  for (const Summary& s : report.summaries) {
    if (s.quantity != Judged::time) continue;
    Cells cells = {s.scope, std::to_string(s.error.count), std::to_string(s.refused)};
    append(cells, error_cells(s.error));
    if (s.error.count > 0) {
      append(cells, {share_text(s.one_factor.median), share_text(s.one_factor.p90),
                     share_text(s.one_constant.median), share_text(s.one_constant.mean),
                     share_text(s.in_interval)});
    } else {
      append(cells, {"", "", "", "", ""});
    }
    table.push_back(cells);
  }
  return table;
}

std::vector<Cells> memory_table(const ValidationReport& report) {
  std::vector<Cells> table = {
      {"peak memory", "rows", "refused", "median", "p90", "mean", "bias", "≤ 10 %"}};
  for (const Summary& s : report.summaries) {
    if (s.quantity != Judged::memory) continue;
    Cells cells = {s.scope, std::to_string(s.error.count), std::to_string(s.refused)};
    append(cells, error_cells(s.error));
    table.push_back(cells);
  }
  return table;
}

std::vector<Cells> sweep_table(const ValidationReport& report) {
  std::vector<Cells> table = {
      {"sweep", "rows", "Spearman", "regret of the pick", "of the best of three"}};
  for (const Sweep& s : report.sweeps) {
    table.push_back({s.source + ": " + s.name, std::to_string(s.rows), decimals(s.spearman, 2),
                     share_text(s.regret), share_text(s.regret_of_three)});
  }
  return table;
}

std::string fit_sentence(const ValidationReport& report) {
  const FitSummary& f = report.fit;
  return "Of " + std::to_string(f.out_of_memory) + " runs published as out of memory, " +
         std::to_string(f.out_of_memory_seen) + " are predicted not to fit; of " +
         std::to_string(f.ran) + " that ran, " + std::to_string(f.ran_but_refused) + ".";
}

}  // namespace orrery
