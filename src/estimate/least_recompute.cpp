// SPDX-License-Identifier: Apache-2.0
#include "estimate/least_recompute.h"

#include <array>
#include <optional>
#include <utility>

#include "estimate/classes.h"
#include "estimate/estimate.h"
#include "estimate/exposed_exchange.h"
#include "estimate/links.h"
#include "estimate/price.h"
#include "estimate/risk.h"
#include "estimate/run.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// Asks for the memory alone, since the step plays no part. `share` of the device may be needed.
class Chooser {
 public:
  Chooser(Run& run, Workspace& workspace, double share) : run_(run), w_(workspace), share_(share) {}

  // True if what the framework does by itself fits.
  bool take_default() {
    const auto by_default = static_cast<RecomputeChoice>(run_.framework.recompute.by_default);
    return has_recompute(run_.framework, by_default) && set(by_default) && fits();
  }

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
    return answer_.reason != Reason::device_memory && answer_.needed <= answer_.capacity * share_;
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

  // Full recompute of as few layers of each chunk as fit; false where that is all of them, as full
  // recompute is.
  bool recompute_fewest_layers() {
    Strategy& s = run_.strategy;
    s.recompute = Recompute::full;
    s.recompute_method = RecomputeMethod::block;
    const std::int64_t most = most_layers_of_chunk(s, run_.model);
    s.recompute_layers = fewest_layers(most);
    while (s.recompute_layers < most && !has_recompute_of(run_.framework, s.recompute_layers, most))
      ++s.recompute_layers;
    const bool is_full =
        s.recompute_layers == most && has_recompute(run_.framework, RecomputeChoice::full);
    return !is_full && has_recompute_of(run_.framework, s.recompute_layers, most);
  }

  Run& run_;
  Workspace& w_;
  double share_;
  std::optional<std::pair<ModuleMask, bool>> priced_;
  Answer answer_;
};

constexpr double kWholeDevice = 1;  // a prediction that fills it fits as likely as not
constexpr const char* kMost = "the most there is, and it may not fit";

enum class Basis : std::uint8_t { by_default, least, most };

Basis predict(Run& run, Workspace& workspace) {
  Chooser chooser(run, workspace, kWholeDevice);
  if (chooser.take_default()) return Basis::by_default;
  return chooser.choose() ? Basis::least : Basis::most;
}

std::string why(Basis basis, const Run& run) {
  switch (basis) {
    case Basis::by_default:
      return std::string(run.framework.name.view()) + "'s default";
    case Basis::least:
      return "the least that fits as likely as not";
    case Basis::most:
      return kMost;
  }
  return "";
}

// "none", "full of 4 layers a chunk"
std::string taken_words(const Strategy& s) {
  const std::string kind(name_of(s.recompute));
  return s.recompute_layers == 0
             ? kind
             : kind + " of " + std::to_string(s.recompute_layers) + " layers a chunk";
}

// A value of the key with the weight of a run that fits for sure.
Alternative alternative(const Run& taken, const Answer& answer, Recompute value,
                        Workspace& workspace) {
  Run other = taken;
  other.strategy.recompute = value;
  other.strategy.recompute_layers = 0;
  other.strategy.recompute_method = RecomputeMethod::uniform;
  const Answer a = estimate<double>(other, workspace);
  return {std::string(name_of(value)),
          taken.framework.recompute.shares[value] * fit_probability(other, a),
          a.step_time / answer.step_time, a.memory.peak / answer.memory.peak};
}

void weigh(double own, std::vector<Alternative>& alternatives) {
  double sum = own;
  for (const Alternative& a : alternatives) sum += a.weight;
  for (Alternative& a : alternatives) a.weight = sum > 0 ? a.weight / sum : 0;
}

}  // namespace

std::vector<Fact> recompute_facts(const Run& run, const Fact& origin) {
  const Strategy& s = run.strategy;
  std::vector<Fact> facts;
  const auto add = [&](const char* path, std::string value) {
    facts.push_back({path, std::move(value), origin.why, origin.known, origin.where});
  };
  add(key_path<&Strategy::recompute>, std::string(name_of(s.recompute)));
  if (s.recompute != Recompute::full || s.recompute_layers == 0) return facts;
  add(key_path<&Strategy::recompute_method>, std::string(name_of(s.recompute_method)));
  add(key_path<&Strategy::recompute_layers>, std::to_string(s.recompute_layers));
  return facts;
}

std::vector<Fact> choose_least_recompute(Run& run, Workspace& workspace) {
  const bool fits = Chooser(run, workspace, run.memory_risk.share).choose();
  return recompute_facts(run, {"", "", fits ? "chosen to fit" : kMost, Known::chosen, kOurDefault});
}

void predict_recompute(Run& run, Workspace& workspace) { predict(run, workspace); }

OpenKey open_recompute(Run& run, Workspace& workspace) {
  const Basis basis = predict(run, workspace);
  const Strategy& s = run.strategy;
  OpenKey key{key_path<&Strategy::recompute>, taken_words(s), why(basis, run), {}};
  const Answer answer = estimate<double>(run, workspace);
  for (const Recompute value : kAllOf<Recompute>) {
    const bool has = has_recompute(run.framework, static_cast<RecomputeChoice>(value));
    if ((value == s.recompute && s.recompute_layers == 0) || !has) continue;
    key.alternatives.push_back(alternative(run, answer, value, workspace));
  }
  weigh(run.framework.recompute.shares[s.recompute] * fit_probability(run, answer),
        key.alternatives);
  return key;
}

}  // namespace orrery
