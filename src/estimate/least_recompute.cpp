// SPDX-License-Identifier: Apache-2.0
#include "estimate/least_recompute.h"

#include "estimate/estimate.h"

namespace orrery {
namespace {

bool fits(const Run& run) { return estimate(run).reason != Reason::device_memory; }

// The fewest layers of a chunk that fit when they are recomputed in full; `most` where none do.
std::int64_t fewest_layers(Run& run, std::int64_t most) {
  std::int64_t low = 1;
  std::int64_t high = most;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    run.strategy.recompute_layers = middle;
    if (fits(run)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Full recompute of as few layers of each chunk as fit; of all where that does not.
void recompute_fewest_layers(Run& run) {
  Strategy& s = run.strategy;
  s.recompute = Recompute::full;
  s.recompute_method = RecomputeMethod::block;
  const std::int64_t chunks = s.pp * s.vpp;
  s.recompute_layers = fewest_layers(run, (run.model.layers + chunks - 1) / chunks);
  if (fits(run)) return;
  s.recompute_method = RecomputeMethod::uniform;
  s.recompute_layers = 0;
}

}  // namespace

std::string choose_least_recompute(Run& run) {
  Strategy& s = run.strategy;
  s.recompute = Recompute::none;
  if (!fits(run)) s.recompute = Recompute::selective;
  if (!fits(run)) recompute_fewest_layers(run);
  std::string text(name_of(s.recompute));
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    text += ", recompute_method block, recompute_layers " + std::to_string(s.recompute_layers);
  }
  return text;
}

}  // namespace orrery
