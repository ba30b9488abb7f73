// SPDX-License-Identifier: Apache-2.0
#include "generate/tool_waits.h"

#include <cmath>

#include "generate/counts.h"
#include "generate/lengths.h"

namespace orrery {
namespace {

// 1/p² and 1/p, p the plastic number (M. Roberts, The unreasonable effectiveness of quasirandom
// sequences, 2018): strides of their own, so that an answer's waits do not follow its length.
constexpr double kStride = 0.5698402909980532;
constexpr double kStrideOfHung = 0.7548776662466927;

}  // namespace

ToolWait wait_at(const ToolWaits& w, double p, bool is_hung) {
  ToolWait out{w.mean, is_hung ? w.timeout : Seconds()};
  if (w.spread > 0) out.each = w.mean * lognormal_quantile(w.spread, p);
  return out;
}

std::vector<ToolWait> waits_of(const ToolWaits& w, std::int64_t n) {
  if (!w.differ()) return {wait_at(w, 0.5, false)};
  const std::vector<std::int64_t> body = dealt_order(n, kStride);
  const std::vector<std::int64_t> hung = dealt_order(n, kStrideOfHung);
  const std::int64_t hang = std::llround(w.hung * as_number(n));
  std::vector<ToolWait> out;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.push_back(wait_at(w, (as_number(body[at]) + 0.5) / as_number(n), hung[at] < hang));
  }
  return out;
}

}  // namespace orrery
