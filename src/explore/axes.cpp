// SPDX-License-Identifier: Apache-2.0
#include "explore/axes.h"

#include <algorithm>
#include <string>

namespace orrery {
namespace {

std::int64_t recompute_choice(const Strategy& s) {
  const bool some = s.recompute == Recompute::full && s.recompute_layers > 0;
  return some ? kLayersChoice : static_cast<std::int64_t>(s.recompute);
}

}  // namespace

std::vector<std::int64_t> chosen(const AxisValues& axis, const std::vector<std::int64_t>& free) {
  if (!axis.is_free()) return axis.listed;
  std::vector<std::int64_t> values;
  for (const std::int64_t v : free) {
    if (v >= axis.lowest && v <= axis.highest) values.push_back(v);
  }
  return values;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d * d != n) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

std::int64_t value_of(const Strategy& s, SearchAxis a) {
  switch (a) {
    case SearchAxis::tp:
      return s.tp;
    case SearchAxis::pp:
      return s.pp;
    case SearchAxis::vpp:
      return s.vpp;
    case SearchAxis::cp:
      return s.cp;
    case SearchAxis::ep:
      return s.ep;
    case SearchAxis::etp:
      return s.etp;
    case SearchAxis::dp:
      return s.dp;
    case SearchAxis::micro_batch:
      return s.micro_batch;
    case SearchAxis::sequence_parallel:
      return s.sequence_parallel ? 1 : 0;
    case SearchAxis::zero:
      return s.zero;
    case SearchAxis::schedule:
      return static_cast<std::int64_t>(s.schedule);
    case SearchAxis::recompute:
      return recompute_choice(s);
  }
  return 0;
}

std::string text_of(SearchAxis a, std::int64_t value) {
  const auto i = static_cast<std::size_t>(value);
  if (a == SearchAxis::sequence_parallel) return value != 0 ? "true" : "false";
  if (a == SearchAxis::schedule) return std::string(kScheduleNames[i]);
  if (a == SearchAxis::recompute) return std::string(kRecomputeChoices[i]);
  return std::to_string(value);
}

}  // namespace orrery
