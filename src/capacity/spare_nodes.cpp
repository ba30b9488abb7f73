// SPDX-License-Identifier: Apache-2.0
#include "capacity/spare_nodes.h"

#include <algorithm>

namespace orrery {
namespace {

// The mean number of nodes away of the losses of so many at once.
struct Load {
  std::size_t nodes = 1;
  double away = 0;  // a·b
};

std::vector<Load> loads_of(const std::vector<NodeLoss>& losses) {
  std::vector<Load> all;
  for (const NodeLoss& l : losses) {
    const auto nodes = static_cast<std::size_t>(l.nodes);
    const double away = l.rate * l.repair * static_cast<double>(l.nodes);
    if (away <= 0) continue;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Load& x) { return x.nodes == nodes; });
    if (same == all.end()) {
      all.push_back({nodes, away});
    } else {
      same->away += away;
    }
  }
  return all;
}

// The head of the header's recursion, one spare more at a time. Weights are q(n) up to a factor.
class NodesAway {
 public:
  explicit NodesAway(const std::vector<NodeLoss>& losses) : loads_(loads_of(losses)) {
    for (const Load& l : loads_) most_ = std::max(most_, l.nodes);
  }

  bool is_none() const { return loads_.empty(); }

  void add_spare() {
    weights_.push_back(weight(weights_.size()));
    sum_ += weights_.back();
    keep_in_range();
  }

  double waiting() const {
    double beyond = 0;
    for (std::size_t n = weights_.size(); n < weights_.size() + most_; ++n) beyond += weight(n);
    return beyond / (sum_ + beyond);
  }

 private:
  // From the states that do not wait.
  double weight(std::size_t n) const {
    double sum = 0;
    for (const Load& l : loads_) {
      if (n >= l.nodes && n - l.nodes < weights_.size()) sum += l.away * weights_[n - l.nodes];
    }
    return sum / static_cast<double>(n);
  }

  void keep_in_range() {
    constexpr double kLarge = 1e200;
    if (sum_ < kLarge) return;
    for (double& w : weights_) w /= kLarge;
    sum_ /= kLarge;
  }

  std::vector<Load> loads_;
  std::size_t most_ = 0;
  std::vector<double> weights_ = {1};  // of 0 to S nodes away
  double sum_ = 1;
};

}  // namespace

PerSecond rate_of(const std::vector<NodeLoss>& losses) {
  PerSecond rate;
  for (const NodeLoss& l : losses) rate += l.rate;
  return rate;
}

double waiting_share(const std::vector<NodeLoss>& losses, std::int64_t spares) {
  NodesAway away(losses);
  if (away.is_none()) return 0;
  for (std::int64_t s = 0; s < spares; ++s) away.add_spare();
  return away.waiting();
}

std::int64_t spares_for(const std::vector<NodeLoss>& losses, double share, std::int64_t most) {
  NodesAway away(losses);
  if (away.is_none()) return 0;
  std::int64_t spares = 0;
  while (spares < most && away.waiting() >= share) {
    away.add_spare();
    ++spares;
  }
  return spares;
}

}  // namespace orrery
