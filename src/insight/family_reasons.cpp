// SPDX-License-Identifier: Apache-2.0
#include "insight/family_reasons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/units.h"
#include "document/words.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

// The name of a difference in a term.
constexpr EnumTable<Term, const char*> kTermWords = {
    "compute",        "recompute", "tensor parallel", "context parallel", "expert parallel",
    "pipeline sends", "bubble",    "data parallel",   "optimizer",        "offload",
    "other"};

// Less is not worth a word.
constexpr double kGrowthWorthSaying = 0.005;

std::string signed_seconds(Seconds t) {
  return (t < Seconds() ? "−" : "+") + pretty(Seconds(std::abs(t.si())), 3);
}

class Reasons {
 public:
  explicit Reasons(const SearchReport& r) : r_(r) {}

  std::vector<FamilyReport> all() {
    std::vector<FamilyReport> list;
    for (const Family& f : r_.answer.families) {
      if (varies(f.axis)) list.push_back(of(f));
    }
    return list;
  }

 private:
  // An axis that follows from others says nothing of its own.
  bool is_asked(std::size_t a) const {
    const auto axis = static_cast<SearchAxis>(a);
    if (axis != SearchAxis::zero_shard_group && axis != SearchAxis::recompute_modules) return true;
    const AxisValues& values = r_.request.space.axes[axis];
    return values.open || !values.is_free();
  }

  bool varies(std::size_t a) const {
    if (!is_asked(a)) return false;
    return std::count_if(r_.answer.families.begin(), r_.answer.families.end(),
                         [a](const Family& f) { return f.axis == a; }) > 1;
  }

  FamilyReport of(const Family& f) {
    FamilyReport report = {f, 0, ""};
    if (f.legal == 0) {
      report.reason = rule_text(f);
    } else if (f.feasible == 0) {
      report.reason = does_not_fit(f.nearest);
    } else if (f.best.place.unit < 0) {
      report.reason = "refused by the constraints";
    } else {
      const Answer& winner = r_.best[0].answer;
      report.slowdown = f.best.step_time / winner.step_time - 1;
      report.reason = report.slowdown == 0 ? "" : lost(f, winner);
    }
    return report;
  }

  std::string does_not_fit(const Found& nearest) {
    const Answer a = answer_of(nearest);
    if (a.reason == Reason::host_memory) {
      return "does not fit: " + gib_text(a.host_needed, 1) + " > " + gib_text(a.host_capacity, 1) +
             " of the host of a node";
    }
    return "does not fit: " + gib_text(a.memory.peak, 1) + " > " + gib_text(a.capacity, 1) +
           " on stage " + std::to_string(a.memory_stage) + " at least";
  }

  // Those that no rule rejects were legal before the constraints.
  static std::string rule_text(const Family& f) {
    const std::int64_t rejected =
        std::accumulate(f.rejected.begin(), f.rejected.end(), std::int64_t{0});
    if (rejected < f.candidates) return "refused by the constraints";
    const auto most = std::max_element(f.rejected.begin(), f.rejected.end());
    const Rule& rule = rule_of(static_cast<RuleId>(most - f.rejected.begin()));
    return "illegal: " + std::string(rule.allowed);
  }

  const Run& base_of(const Found& f) const { return r_.request.space.bases[f.place.base].run; }

  Answer answer_of(const Found& f) {
    Run run = base_of(f);
    run.strategy = f.strategy;
    return estimate<double>(run, workspace_);
  }

  std::string lost(const Family& f, const Answer& winner) {
    const std::string text = difference_in_words(answer_of(f.best), winner);
    const std::int64_t node = base_of(f.best).cluster.devices_per_node;
    const bool crosses = f.axis == static_cast<std::size_t>(SearchAxis::tp) && f.value > node &&
                         r_.best[0].resolved.run.strategy.tp <= node;
    return crosses ? "crosses the node; " + text : text;
  }

  const SearchReport& r_;
  Workspace workspace_;
};

}  // namespace

std::string difference_in_words(const Answer& a, const Answer& winner) {
  std::array<std::size_t, kTerms> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto growth = [&](std::size_t i) { return a.breakdown[i] - winner.breakdown[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return growth(x) > growth(y); });
  std::vector<std::string> parts;
  const auto add = [&](std::size_t i) {
    if (std::abs(growth(i) / winner.step_time) < kGrowthWorthSaying) return;
    parts.push_back(std::string(kTermWords.values[i]) + " " + signed_seconds(growth(i)));
  };
  add(order[0]);
  add(order[1]);
  add(order[kTerms - 1]);
  return joined(parts, ", ");
}

std::vector<FamilyReport> family_reports(const SearchReport& report) {
  return Reasons(report).all();
}

}  // namespace orrery
