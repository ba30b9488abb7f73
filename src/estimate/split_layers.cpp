// SPDX-License-Identifier: Apache-2.0
#include "estimate/split_layers.h"

#include <algorithm>
#include <limits>

namespace orrery {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Splitter {
 public:
  Splitter(std::size_t parts, std::int64_t layers, const PartTime& time)
      : parts_(parts), n_(static_cast<std::size_t>(layers)), times_(parts * (n_ + 1) * (n_ + 1)) {
    for (std::size_t i = 0; i < parts; ++i) {
      for (std::size_t a = 0; a <= (i == 0 ? 0 : n_); ++a) {
        for (std::size_t b = i + 1 == parts ? n_ : a; b <= n_; ++b) fill(i, a, b, time);
      }
    }
    std::sort(limits_.begin(), limits_.end());
    limits_.erase(std::unique(limits_.begin(), limits_.end()), limits_.end());
  }

  const std::vector<double>& limits() const { return limits_; }

  // The least sum with no part above the limit.
  double least(double limit) {
    before_.assign(n_ + 1, kNever);
    before_[0] = 0;
    from_.assign(parts_ * (n_ + 1), 0);
    for (std::size_t i = 0; i < parts_; ++i) advance(i, limit);
    return before_[n_];
  }

  // The split that the last call of least() found.
  std::vector<std::int16_t> layers() const {
    std::vector<std::int16_t> out(parts_);
    std::size_t b = n_;
    for (std::size_t i = parts_; i-- > 0;) {
      const std::size_t a = from_[i * (n_ + 1) + b];
      out[i] = static_cast<std::int16_t>(b - a);
      b = a;
    }
    return out;
  }

 private:
  double& at(std::size_t i, std::size_t a, std::size_t b) {
    return times_[(i * (n_ + 1) + a) * (n_ + 1) + b];
  }

  void fill(std::size_t i, std::size_t a, std::size_t b, const PartTime& time) {
    const std::optional<double> t =
        time(i, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    at(i, a, b) = t.value_or(kNever);
    if (t) limits_.push_back(*t);
  }

  void advance(std::size_t i, double limit) {
    std::vector<double> now(n_ + 1, kNever);
    for (std::size_t a = 0; a <= (i == 0 ? 0 : n_); ++a) {
      if (before_[a] == kNever) continue;
      for (std::size_t b = i + 1 == parts_ ? n_ : a; b <= n_; ++b) {
        const double t = at(i, a, b);
        if (t > limit || !(before_[a] + t < now[b])) continue;
        now[b] = before_[a] + t;
        from_[i * (n_ + 1) + b] = a;
      }
    }
    before_ = std::move(now);
  }

  std::size_t parts_;
  std::size_t n_;
  std::vector<double> times_;
  std::vector<double> limits_;
  std::vector<double> before_;
  std::vector<std::size_t> from_;
};

}  // namespace

SplitLayers split_layers(std::size_t parts, std::int64_t layers, std::int64_t micro_batches,
                         const PartTime& time) {
  Splitter s(parts, layers, time);
  const std::vector<double>& limits = s.limits();
  SplitLayers best;
  if (limits.empty() || s.least(limits.back()) == kNever) return best;
  const double least_sum = s.least(limits.back());
  // The least limit that has a split.
  const auto first = std::partition_point(limits.begin(), limits.end(),
                                          [&](double t) { return s.least(t) == kNever; });
  const auto rest = static_cast<double>(micro_batches - 1);
  double cost = kNever;
  for (auto t = first; t != limits.end() && rest * *t + least_sum < cost; ++t) {
    const double sum = s.least(*t);
    if (!(sum + rest * *t < cost)) continue;
    cost = sum + rest * *t;
    best = {s.layers(), sum, *t};
  }
  return best;
}

}  // namespace orrery
