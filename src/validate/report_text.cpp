// SPDX-License-Identifier: Apache-2.0
#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr const char* kLegend =
    "error = predicted/measured - 1; median, p90 and mean are of its size, bias is its median.\n"
    "form, p90: median and p90 after the median ratio of each source and tier is divided out.\n"
    "constant, mean: median and mean of FLOPs/(peak x e), e fitted on the source and tier itself.\n"
    "regret: measured time of the layout predicted fastest over the least measured, less one.\n"
    "in 80 %: rows measured within the interval that estimate prints.\n";

constexpr const char* kLeftOut =
    "Every row is predicted by constants fitted without its source (rows without a measured time: "
    "by the shipped ones).\n";

std::string table(const std::vector<Cells>& rows) {
  return rows.size() > 1 ? aligned(rows) + "\n" : "";
}

}  // namespace

std::string validation_text(const ValidationReport& report) {
  return table(row_table(report)) + table(refusal_table(report)) + table(time_table(report)) +
         table(sweep_table(report)) + table(memory_table(report)) + fit_sentence(report) + "\n" +
         (report.left_out ? kLeftOut : "") + kLegend;
}

}  // namespace orrery
