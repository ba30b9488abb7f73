// SPDX-License-Identifier: Apache-2.0
#include "parallel/schedules/held.h"

#include <cstddef>

namespace orrery {
namespace {

class Moments {
 public:
  explicit Moments(std::int64_t chunks) : now_(static_cast<std::size_t>(chunks)) {}

  // A pair holds its forward's micro batch while it still holds its backward's.
  void step(const Step& s) {
    if (has_forward(s.kind)) {
      ++at(s.chunk).whole;
      note();
    }
    if (has_input_gradient(s.kind)) {
      --at(backward_chunk(s)).whole;
      ++at(backward_chunk(s)).for_weights;
      note_unless_done(s);
    }
    if (has_weight_gradient(s.kind)) --at(backward_chunk(s)).for_weights;
  }

  std::vector<HeldChunk> fullest() const { return all_; }

 private:
  HeldChunk& at(std::int64_t chunk) { return now_[static_cast<std::size_t>(chunk)]; }

  // There is no moment between the two gradients if both are one step.
  void note_unless_done(const Step& s) {
    if (!has_weight_gradient(s.kind)) note();
  }

  bool covers(const HeldChunk* a, const HeldChunk* b) const {
    for (std::size_t c = 0; c < now_.size(); ++c) {
      if (a[c].whole < b[c].whole || a[c].for_weights < b[c].for_weights) return false;
    }
    return true;
  }

  void note() {
    const std::size_t n = now_.size();
    for (std::size_t i = 0; i < all_.size(); i += n) {
      if (covers(&all_[i], now_.data())) return;
    }
    for (std::size_t i = all_.size(); i > 0; i -= n) {
      if (!covers(now_.data(), &all_[i - n])) continue;
      const auto first = all_.begin() + static_cast<std::ptrdiff_t>(i - n);
      all_.erase(first, first + static_cast<std::ptrdiff_t>(n));
    }
    all_.insert(all_.end(), now_.begin(), now_.end());
  }

  std::vector<HeldChunk> now_;
  std::vector<HeldChunk> all_;
};

}  // namespace

std::vector<HeldChunk> fullest_moments(const Program& program, std::int64_t chunks) {
  Moments moments(chunks);
  for (const Step& s : program) moments.step(s);
  return moments.fullest();
}

}  // namespace orrery
