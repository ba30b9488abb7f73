// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "core/units.h"
#include "validate/columns.h"
#include "validate/report.h"

namespace orrery {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Cells predicted_cells(const JudgedRow& r) {
  if (!is_estimated(r)) return {"", "", "", "", "", "", "", ""};
  const std::optional<double> time = time_error(r);
  const std::optional<double> memory = memory_error(r);
  return {std::string(name_of(r.published.basis)),
          shortest(r.answer.step_time.si()),
          time ? shortest(r.published.time.si()) : "",
          time ? shortest(*time) : "",
          shortest(predicted_memory(r) / kGiB),
          memory ? shortest(*r.row.measured.peak_memory / kGiB) : "",
          memory ? shortest(*memory) : "",
          fits(r) ? "true" : "false"};
}

std::string line(const Cells& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + quoted(cells[i]);
  return out + "\n";
}

}  // namespace

std::string validation_csv(const ValidationReport& report) {
  std::string out =
      line({"id", "tier", "source", "node", "framework", "judged_by", "predicted_step_time_s",
            "measured_step_time_s", "step_time_error", "predicted_memory_gib",
            "measured_memory_gib", "memory_error", "feasible", "refused"});
  for (const JudgedRow& r : report.rows) {
    Cells cells = {r.row.id, std::string(name_of(r.row.tier)), r.row.source.group, r.node,
                   r.framework};
    const Cells predicted = predicted_cells(r);
    cells.insert(cells.end(), predicted.begin(), predicted.end());
    cells.push_back(r.refusal);
    out += line(cells);
  }
  return out;
}

}  // namespace orrery
