// SPDX-License-Identifier: Apache-2.0
#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr const char* kLegend =
    "error = predicted/measured - 1; median, p90 and mean are of its size, bias is its median.\n"
    "one factor: after the median ratio of each source is divided out. one constant: FLOPs over "
    "the peak,\none efficiency a source, fitted on the rows it is shown for.\n";

std::string table(const std::vector<Cells>& rows) {
  return rows.size() > 1 ? aligned(rows) + "\n" : "";
}

}  // namespace

std::string validation_text(const ValidationReport& report) {
  return table(row_table(report)) + table(refusal_table(report)) + table(time_table(report)) +
         table(memory_table(report)) + fit_sentence(report) + "\n" + kLegend;
}

}  // namespace orrery
