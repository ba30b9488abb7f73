// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/interleaved.h"

#include <algorithm>
#include <array>

#include "parallel/strategy.h"

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

// Micro batches of the chunks from `first` to before `end`.
std::int64_t held_of(const PipelineShape& s, const Reached& forward, const Reached& backward,
                     std::int64_t first, std::int64_t end) {
  const std::int64_t steps = (end - first) * s.stages;  // each way, of a round
  const std::int64_t begun = std::clamp<std::int64_t>(forward.rest - first * s.stages, 0, steps);
  const std::int64_t done =
      std::clamp<std::int64_t>(backward.rest - (s.chunks - end) * s.stages, 0, steps);
  return (forward.rounds - backward.rounds) * steps + begun - done;
}

// The chunks that weigh other than the middle one, and by how much: runs of neighbours that weigh
// the same.
class OddChunks {
 public:
  explicit OddChunks(std::span<const double> weight) {
    const double middle = weight[weight.size() / 2];
    for (std::size_t c = 0; c < weight.size();) {
      const std::size_t first = c;
      while (c < weight.size() && weight[c] == weight[first]) ++c;
      if (weight[first] == middle) continue;
      runs_[count_++] = {static_cast<std::int64_t>(first), static_cast<std::int64_t>(c),
                         weight[first] - middle};
    }
  }

  bool none() const { return count_ == 0; }

  // Beyond what as many of the middle chunk would weigh.
  double weight_held(const PipelineShape& s, const Reached& forward,
                     const Reached& backward) const {
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& [first, end, more] = runs_[i];
      sum += static_cast<double>(held_of(s, forward, backward, first, end)) * more;
    }
    return sum;
  }

 private:
  struct Run {
    std::int64_t first;
    std::int64_t end;
    double more;
  };

  std::array<Run, kMaxStages> runs_;
  std::size_t count_ = 0;
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
        held_of(s, further(s, at_first, best_k), further(s, {}, best_k), c, c + 1);
  }
}

}  // namespace orrery
