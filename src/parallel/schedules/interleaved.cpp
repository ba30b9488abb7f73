// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/interleaved.h"

#include <algorithm>

namespace orrery {
namespace {

// How far a sequence of positions has come: whole rounds of p·v positions, and into the next.
struct Reached {
  std::int64_t rounds = 0;
  std::int64_t rest = 0;
};

Reached reached(const PipelineShape& s, std::int64_t n) {
  const std::int64_t round = virtual_stages(s);
  return {n / round, n % round};
}

// k ≤ p·v positions on.
Reached further(const PipelineShape& s, const Reached& r, std::int64_t k) {
  const std::int64_t over = r.rest + k - virtual_stages(s);
  return over < 0 ? Reached{r.rounds, r.rest + k} : Reached{r.rounds + 1, over};
}

// The number of these positions that belong to the `turn`-th chunk of a round.
std::int64_t micro_batches_among(const PipelineShape& s, const Reached& r, std::int64_t turn) {
  return r.rounds * s.stages + std::clamp<std::int64_t>(r.rest - turn * s.stages, 0, s.stages);
}

// Positions of chunk c.
std::int64_t held_of(const PipelineShape& s, const Reached& forward, const Reached& backward,
                     std::int64_t c) {
  return micro_batches_among(s, forward, c) - micro_batches_among(s, backward, s.chunks - 1 - c);
}

// The chunks that weigh other than the middle one, and by how much.
struct OddChunks {
  explicit OddChunks(std::span<const double> weight) : weight_(weight) {
    middle_ = weight[weight.size() / 2];
    while (first_ < weight.size() && weight[first_] == middle_) ++first_;
    while (end_ > first_ && weight[end_ - 1] == middle_) --end_;
  }

  bool none() const { return first_ == end_; }

  // Beyond what as many of the middle chunk would weigh.
  double weight_held(const PipelineShape& s, const Reached& forward,
                     const Reached& backward) const {
    double sum = 0;
    for (std::size_t c = first_; c < end_; ++c) {
      const double more = weight_[c] - middle_;
      if (more == 0) continue;
      const auto held = held_of(s, forward, backward, static_cast<std::int64_t>(c));
      sum += static_cast<double>(held) * more;
    }
    return sum;
  }

 private:
  std::span<const double> weight_;
  double middle_ = 0;
  std::size_t first_ = 0;
  std::size_t end_ = weight_.size();
};

}  // namespace

// The stage is fullest after one of its forward steps, `first` + k with k backward steps done. From
// one k to the next the weight changes by the same amount until forward or backward reaches another
// chunk, every p steps, so the largest is at such a k. After p·v steps all repeats. `first` micro
// batches are held at every k, so that only chunks that weigh other than the rest decide.
void Interleaved::fullest(const PipelineShape& s, std::int64_t stage,
                          std::span<const double> weight, std::span<std::int64_t> held) {
  const std::int64_t first = in_flight(s, stage);
  const std::int64_t last_k = std::min(virtual_stages(s), steps_each_way(s) - first);
  std::int64_t best_k = 0;
  const OddChunks odd(weight);
  const Reached at_first = reached(s, first);
  double best = odd.weight_held(s, at_first, {});
  const auto consider = [&](std::int64_t k) {
    const double here = odd.weight_held(s, further(s, at_first, k), further(s, {}, k));
    if (here <= best) return;
    best = here;
    best_k = k;
  };
  if (!odd.none()) {
    for (std::int64_t k = s.stages; k < last_k; k += s.stages) consider(k);
    for (std::int64_t k = s.stages - first % s.stages; k < last_k; k += s.stages) consider(k);
    consider(std::max<std::int64_t>(last_k, 0));
  }
  for (std::int64_t c = 0; c < s.chunks; ++c) {
    held[static_cast<std::size_t>(c)] =
        held_of(s, further(s, at_first, best_k), further(s, {}, best_k), c);
  }
}

}  // namespace orrery
