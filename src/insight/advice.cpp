// SPDX-License-Identifier: Apache-2.0
#include "insight/advice.h"

#include <algorithm>
#include <array>

#include "estimate/resolve.h"
#include "estimate/workspace.h"
#include "insight/neighbours.h"

namespace orrery {
namespace {

// Less is not worth an advice.
constexpr double kWorthwhile = 0.005;

class Adviser {
 public:
  Adviser(const ResolvedRun& run, const Answer& answer)
      : run_(run.run), keys_(run.parallel_keys), answer_(answer) {}

  std::vector<Advice> best() {
    const bool fits = answer_.reason == Reason::fits;
    for (const Move move : kMoves) try_moves({&move, 1});
    if (!fits && !any_fits()) try_pairs();
    if (fits) drop_slower();
    const auto better = [](const Advice& a, const Advice& b) {
      if (a.fits != b.fits) return a.fits;
      return a.fits ? a.step_time < b.step_time : a.peak < b.peak;
    };
    std::stable_sort(found_.begin(), found_.end(), better);
    const bool some_fit = any_fits();
    const auto useless = [&](const Advice& a) { return a.fits != some_fit; };
    found_.erase(std::remove_if(found_.begin(), found_.end(), useless), found_.end());
    if (found_.size() > kMostAdvice) found_.resize(kMostAdvice);
    return found_;
  }

 private:
  bool any_fits() const {
    return std::any_of(found_.begin(), found_.end(), [](const Advice& a) { return a.fits; });
  }

  void try_pairs() {
    for (std::size_t i = 0; i < kMoves.size(); ++i) {
      for (std::size_t j = i + 1; j < kMoves.size(); ++j) {
        const std::array<Move, 2> pair = {kMoves[i], kMoves[j]};
        try_moves(pair);
      }
    }
  }

  void try_moves(std::span<const Move> moves) {
    Run changed = run_;
    if (!make_neighbour(moves, changed)) return;
    const Answer a = estimate<double>(changed, workspace_);
    const bool helps = answer_.reason == Reason::fits || a.reason == Reason::fits ||
                       a.memory.peak < answer_.memory.peak;
    if (!helps) return;
    found_.push_back(
        {differences(run_, changed, keys_), a.reason == Reason::fits, a.step_time, a.memory.peak});
  }

  void drop_slower() {
    const Seconds limit = answer_.step_time * (1 - kWorthwhile);
    const auto slower = [&](const Advice& a) { return !a.fits || a.step_time > limit; };
    found_.erase(std::remove_if(found_.begin(), found_.end(), slower), found_.end());
  }

  const Run& run_;
  const std::vector<std::string>& keys_;
  const Answer& answer_;
  Workspace workspace_;
  std::vector<Advice> found_;
};

}  // namespace

std::vector<Advice> advise(const ResolvedRun& run, const Answer& answer) {
  return Adviser(run, answer).best();
}

}  // namespace orrery
