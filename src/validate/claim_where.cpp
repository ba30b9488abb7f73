// SPDX-License-Identifier: Apache-2.0
#include "validate/claim_where.h"

#include <iterator>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

// Whether its labels are numbers that rise.
bool is_scale(const ClaimAxis& axis) {
  std::optional<double> before;
  for (const ClaimValue& v : axis.values) {
    const std::optional<double> number = parse_number(v.label);
    if (!number || (before && *number <= *before)) return false;
    before = number;
  }
  return true;
}

// "at most 26", "30 to 40", "at least 100" of neighbours on a scale; else all of them.
std::string values_text(const ClaimAxis& axis, const std::set<std::size_t>& values) {
  const std::string& first = axis.values[*values.begin()].label;
  const std::string& last = axis.values[*values.rbegin()].label;
  const bool neighbours = *values.rbegin() - *values.begin() + 1 == values.size();
  if (values.size() > 1 && neighbours && is_scale(axis)) {
    if (*values.begin() == 0) return "at most " + last;
    if (*values.rbegin() + 1 == axis.values.size()) return "at least " + first;
    return first + " to " + last;
  }
  std::vector<std::string> labels;
  for (const std::size_t i : values) labels.push_back(axis.values[i].label);
  return alternatives(labels);
}

using Points = std::vector<const ClaimPoint*>;

// "layout: three-level, and micro batch: 1 or 2" where the points are all combinations of some
// values of the axes from `first` on, "" where of all values; nothing where they are not.
std::optional<std::string> as_combinations(const Claim& claim, const Points& points,
                                           std::size_t first) {
  std::size_t combinations = 1;
  std::string words;
  for (std::size_t a = first; a < claim.axes.size(); ++a) {
    std::set<std::size_t> values;
    for (const ClaimPoint* p : points) values.insert(p->at[a]);
    combinations *= values.size();
    if (values.size() == claim.axes[a].values.size()) continue;
    words += (words.empty() ? "" : ", and ") + claim.axes[a].name + ": " +
             values_text(claim.axes[a], values);
  }
  if (combinations != points.size()) return {};
  return words;
}

// The same for each value of the first axis: "layout: a, with micro batch: 1; b".
std::optional<std::string> by_first_axis(const Claim& claim, const Points& points) {
  const ClaimAxis& axis = claim.axes[0];
  std::string words;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    Points with_value;
    std::copy_if(points.begin(), points.end(), std::back_inserter(with_value),
                 [&](const ClaimPoint* p) { return p->at[0] == i; });
    if (with_value.empty()) continue;
    const std::optional<std::string> rest = as_combinations(claim, with_value, 1);
    if (!rest) return {};
    words += (words.empty() ? axis.name + ": " : "; ") + axis.values[i].label +
             (rest->empty() ? "" : ", with " + *rest);
  }
  return words;
}

}  // namespace

std::string where_it_holds(const Claim& claim, const std::vector<ClaimPoint>& points,
                           std::size_t check) {
  Points holding;
  std::size_t computed = 0;
  for (const ClaimPoint& p : points) {
    computed += p.refusal.empty() ? 1 : 0;
    if (p.refusal.empty() && p.holds[check]) holding.push_back(&p);
  }
  const std::string count =
      std::to_string(holding.size()) + " of " + std::to_string(computed) + " points of the map";
  std::optional<std::string> words = as_combinations(claim, holding, 0);
  if (!words) words = by_first_axis(claim, holding);
  return words.value_or("").empty() ? count : *words + " (" + count + ")";
}

}  // namespace orrery
