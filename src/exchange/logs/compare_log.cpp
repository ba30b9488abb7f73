// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/compare_log.h"

#include <cmath>
#include <optional>

namespace orrery {
namespace {

struct Nearest {
  std::size_t row = 0;
  double distance = 0;  // |ln| of the ratio of sizes
  bool is_share = false;
};

double distance(Bytes a, Bytes b) { return std::abs(std::log(a / b)); }

bool may_be_share(const CommLog& log, Collective c) {
  return log.form == CommLogForm::deepspeed &&
         (c == Collective::all_gather || c == Collective::reduce_scatter);
}

std::optional<Nearest> nearest(const MessageClass& m, const CommLog& log, double tolerance) {
  std::optional<Nearest> best;
  const auto consider = [&](std::size_t row, Bytes size, bool is_share) {
    const double d = distance(size, log.rows[row].size);
    if (d <= std::log1p(tolerance) && (!best || d < best->distance)) best = {row, d, is_share};
  };
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    if (log.rows[i].collective != m.line.collective) continue;
    consider(i, m.message, false);
    if (may_be_share(log, m.line.collective)) {
      consider(i, m.message / static_cast<double>(m.line.ranks), true);
    }
  }
  return best;
}

void add(ComparedMessages& c, const MessageClass& m, std::size_t index, bool is_share) {
  c.predicted.push_back(index);
  c.is_share = is_share;
  const Seconds sum = c.each * static_cast<double>(c.count) + m.line.time;
  c.count += m.line.count;
  c.each = sum / static_cast<double>(c.count);
}

}  // namespace

CommComparison compare(const MessageLog& predicted, const CommLog& measured,
                       double size_tolerance) {
  CommComparison result;
  std::vector<ComparedMessages> rows(measured.rows.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::optional<Nearest> found = nearest(predicted[i], measured, size_tolerance);
    if (found) {
      add(rows[found->row], predicted[i], i, found->is_share);
    } else {
      result.only_predicted.push_back(i);
    }
  }
  Seconds predicted_all{};
  Seconds measured_all{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparedMessages& c = rows[i];
    if (c.count == 0) {
      result.only_measured.push_back(i);
      continue;
    }
    const LoggedMessages& m = measured.rows[i];
    const auto count = static_cast<double>(m.count);
    c.measured = i;
    c.steps = count / static_cast<double>(c.count);
    c.error = c.each / m.each - 1;
    predicted_all += c.each * count;
    measured_all += m.each * count;
    result.matched.push_back(c);
  }
  if (!result.matched.empty()) result.error = predicted_all / measured_all - 1;
  return result;
}

}  // namespace orrery
