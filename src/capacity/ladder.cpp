// SPDX-License-Identifier: Apache-2.0
#include "capacity/ladder.h"

#include <algorithm>
#include <limits>
#include <map>

#include "capacity/option.h"
#include "estimate/open_run.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostGpus = std::int64_t{1} << 18U;

// 1, 2, 3, 4, 6, 8, … nodes: what divides a batch that has factors of two and three.
std::vector<std::int64_t> rungs(std::int64_t node) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n * node <= kMostGpus; n *= 2) {
    sizes.push_back(n * node);
    if (n > 1) sizes.push_back(n / 2 * 3 * node);
  }
  return sizes;
}

std::int64_t node_size(const OptionPlan& option, const PlanContext& context) {
  Json run = option.phases.front().run;
  if (run["cluster"].is_object()) run["cluster"]["gpus"] = 1;
  return resolve_open(run, option.phases.front().file, context.lookup)
      .resolved.run.cluster.devices_per_node;
}

bool lacks_nothing(const Requirement& q, const OptionAnswer& o) {
  return standing(q, o) != Standing::misses;
}

class Climb {
 public:
  Climb(const CapacityPlan& plan, const OptionPlan& option, const PlanContext& context)
      : plan_(plan), option_(option), context_(context), node_(node_size(option, context)) {}

  std::vector<OptionAnswer> found() {
    climb();
    if (fitting_.empty()) return std::move(refused_);
    std::vector<std::int64_t> sizes;
    for (const Requirement& q : plan_.requirements) sizes.push_back(smallest(q));
    if (sizes.empty()) sizes.push_back(fitting_.begin()->first);
    if (sizes.size() == 1 && plan_.options.size() == 1) add_size_below(sizes);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<OptionAnswer> answers;
    for (const std::int64_t n : sizes) answers.push_back(std::move(fitting_.at(n)));
    return answers;
  }

 private:
  // Nothing where the size is refused.
  const OptionAnswer* tried(std::int64_t gpus) {
    OptionAnswer o = answer_option(plan_, option_, gpus, context_);
    if (o.status == OptionStatus::fits) return &(fitting_[gpus] = std::move(o));
    refused_.clear();
    refused_.push_back(std::move(o));
    return nullptr;
  }

  const std::pair<const std::int64_t, OptionAnswer>* first_that_meets(const Requirement& q) const {
    for (const auto& entry : fitting_) {
      if (lacks_nothing(q, entry.second)) return &entry;
    }
    return nullptr;
  }

  void climb() {
    const auto is_met = [&](const Requirement& q) { return first_that_meets(q) != nullptr; };
    for (const std::int64_t gpus : rungs(node_)) {
      rungs_.push_back(gpus);
      if (tried(gpus) == nullptr) continue;
      if (std::all_of(plan_.requirements.begin(), plan_.requirements.end(), is_met)) return;
    }
  }

  std::int64_t smallest(const Requirement& q) {
    const auto* met = first_that_meets(q);
    if (met == nullptr) return nearest(q);
    const auto rung = std::lower_bound(rungs_.begin(), rungs_.end(), met->first);
    if (rung == rungs_.begin() || rung == rungs_.end()) return met->first;
    const std::int64_t below = *(rung - 1) / node_;
    const std::int64_t above = met->first / node_;
    const std::int64_t step = std::max<std::int64_t>(1, (above - below) / kMostBetween);
    for (std::int64_t n = below + step; n < above; n += step) {
      const OptionAnswer* o = tried(n * node_);
      if (o != nullptr && lacks_nothing(q, *o)) return n * node_;
    }
    return met->first;
  }

  std::int64_t nearest(const Requirement& q) const {
    std::int64_t size = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [gpus, o] : fitting_) {
      const double factor = shortfall(q, o).factor;
      if (factor >= least) continue;
      least = factor;
      size = gpus;
    }
    return size;
  }

  void add_size_below(std::vector<std::int64_t>& sizes) const {
    const auto at = fitting_.find(sizes.front());
    if (at != fitting_.begin()) sizes.push_back(std::prev(at)->first);
  }

  const CapacityPlan& plan_;
  const OptionPlan& option_;
  const PlanContext& context_;
  std::int64_t node_;
  std::vector<std::int64_t> rungs_;  // that were tried
  std::map<std::int64_t, OptionAnswer> fitting_;
  std::vector<OptionAnswer> refused_;  // the last one
};

}  // namespace

std::vector<OptionAnswer> smallest_sizes(const CapacityPlan& plan, const OptionPlan& option,
                                         const PlanContext& context) {
  return Climb(plan, option, context).found();
}

}  // namespace orrery
