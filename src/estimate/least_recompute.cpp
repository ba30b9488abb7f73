// SPDX-License-Identifier: Apache-2.0
#include "estimate/least_recompute.h"

#include <array>
#include <optional>
#include <utility>

#include "estimate/classes.h"
#include "estimate/exposed_exchange.h"
#include "estimate/links.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// Asks for the memory alone, since the step plays no part.
class Chooser {
 public:
  Chooser(Run& run, Workspace& workspace) : run_(run), w_(workspace) {}

  // True if the chosen strategy fits.
  bool choose() {
    constexpr std::array kLeastFirst = {RecomputeChoice::none, RecomputeChoice::selective,
                                        RecomputeChoice::layers, RecomputeChoice::full};
    for (const RecomputeChoice c : kLeastFirst) {
      if (!has_recompute(run_.framework, c) || !set(c)) continue;
      if (fits()) return true;
    }
    return false;
  }

 private:
  // False where the framework has no such recompute of few enough layers.
  bool set(RecomputeChoice c) {
    Strategy& s = run_.strategy;
    s.recompute_method = RecomputeMethod::uniform;
    s.recompute_layers = 0;
    switch (c) {
      case RecomputeChoice::none:
        s.recompute = Recompute::none;
        return true;
      case RecomputeChoice::selective:
        s.recompute = Recompute::selective;
        return true;
      case RecomputeChoice::layers:
        return recompute_fewest_layers();
      case RecomputeChoice::full:
        s.recompute = Recompute::full;
        return true;
    }
    return false;
  }

  bool fits() {
    price_modules();
    fill_parts<double>(run_, w_);
    answer_memory(run_, w_, answer_);
    return answer_.reason != Reason::device_memory &&
           answer_.needed <= answer_.capacity * run_.memory_risk.share;
  }

  // Prices depend on nothing else of what is tried here (estimate/price.h).
  void price_modules() {
    const std::pair now = {recomputed_modules(run_.strategy), hides_experts(run_)};
    if (priced_ == now) return;
    price<double>(run_, w_.scratch, w_.prices);
    priced_ = now;
  }

  // The fewest layers of a chunk that fit when they are recomputed in full; `most` where none do.
  std::int64_t fewest_layers(std::int64_t most) {
    std::int64_t low = 1;
    std::int64_t high = most;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      run_.strategy.recompute_layers = middle;
      if (fits()) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // Full recompute of as few layers of each chunk as fit; of all of them where that does not.
  bool recompute_fewest_layers() {
    Strategy& s = run_.strategy;
    s.recompute = Recompute::full;
    s.recompute_method = RecomputeMethod::block;
    const std::int64_t most = most_layers_of_chunk(s, run_.model);
    s.recompute_layers = fewest_layers(most);
    while (s.recompute_layers < most && !has_recompute_of(run_.framework, s.recompute_layers, most))
      ++s.recompute_layers;
    return has_recompute_of(run_.framework, s.recompute_layers, most);
  }

  Run& run_;
  Workspace& w_;
  std::optional<std::pair<ModuleMask, bool>> priced_;
  Answer answer_;
};

}  // namespace

Fact choose_least_recompute(Run& run, Workspace& workspace) {
  const bool chosen_to_fit = Chooser(run, workspace).choose();
  const Strategy& s = run.strategy;
  std::string text(name_of(s.recompute));
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    text += ", recompute_method block, recompute_layers " + std::to_string(s.recompute_layers);
  }
  return {key_path<&Strategy::recompute>, text,
          chosen_to_fit ? "chosen to fit" : "the most there is, and it may not fit", Known::chosen,
          kOurDefault};
}

}  // namespace orrery
