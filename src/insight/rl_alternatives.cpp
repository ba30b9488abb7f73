// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_text.h"
#include "estimate/rl_keys.h"
#include "estimate/training_keys.h"
#include "explore/axes_json.h"
#include "insight/rl_report.h"
#include "parallel/strategy_keys.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

using Settings = std::vector<Setting>;

constexpr double kWorthATry = 0.97;  // of the step: what a prediction tells apart from another
constexpr std::size_t kMostShown = 6;
constexpr std::uint64_t kSpreadSeed = 1;  // that of `simulate` where it is given none
constexpr double kCutShare = 0.98;        // of the answers that an earlier cap leaves whole

// A change to try.
struct RlChange {
  RlChangeKind kind;
  std::string words;
  Settings settings;
  bool shortens_tail = false;
};
using RlChanges = std::vector<RlChange>;

std::string number(std::int64_t n) { return std::to_string(n); }

// The learner yields nothing on GPUs of its own.
Settings apart(PlacementKind kind, std::int64_t rollout_gpus) {
  using P = PlacementRequest;
  return {{key_path<&P::kind>, std::string(name_of(kind))},
          {key_path<&P::rollout_gpus>, number(rollout_gpus)},
          {key_path<&P::offload_weights>, "null"},
          {key_path<&P::offload_optimizer>, "null"},
          {key_path<&P::sleep_level>, "null"}};
}

Settings together() {
  using P = PlacementRequest;
  return {{key_path<&P::kind>, "colocated"},       {key_path<&P::rollout_gpus>, "null"},
          {key_path<&P::staleness>, "null"},       {key_path<&P::partial>, "null"},
          {key_path<&P::offload_weights>, "true"}, {key_path<&P::offload_optimizer>, "true"}};
}

// In turn, each waits for the other; async, answers are of older weights.
void add_apart(std::int64_t gpus, RlChanges& out) {
  const std::string words = number(gpus) + " GPUs that generate";
  out.push_back({RlChangeKind::placement, "split, " + words, apart(PlacementKind::split, gpus)});
  out.push_back({RlChangeKind::answers, "async, " + words, apart(PlacementKind::async, gpus)});
}

// GPUs that generate, in eighths of all, whole engines each.
void add_splits(const RlRun& rl, RlChanges& out) {
  const std::int64_t engine = gpus_of(rl.generator.layout);
  const bool colocated = rl.placement.kind == PlacementKind::colocated;
  std::set<std::int64_t> tried = {rl.all_gpus};
  if (!colocated) tried.insert(rl.placement.rollout_gpus);
  for (std::int64_t eighths = colocated ? 2 : 1; eighths < 8; eighths += colocated ? 2 : 1) {
    const std::int64_t gpus = rl.all_gpus * eighths / 8 / engine * engine;
    if (gpus == 0 || !tried.insert(gpus).second) continue;
    if (colocated) {
      add_apart(gpus, out);
      continue;
    }
    out.push_back(
        {RlChangeKind::split,
         number(gpus) + " instead of " + number(rl.placement.rollout_gpus) + " GPUs that generate",
         {{key_path<&PlacementRequest::rollout_gpus>, number(gpus)}},
         gpus > rl.placement.rollout_gpus});
  }
}

void add_engines(const RlRun& rl, RlChanges& out) {
  using R = RolloutRequest;
  const std::int64_t tp = rl.generator.layout.tp;
  const auto add_tp = [&](std::int64_t n) {
    out.push_back({RlChangeKind::engine,
                   "engines of tp " + number(n) + ", not " + number(tp),
                   {{key_path<&R::tp>, number(n)}},
                   n > tp});
  };
  if (rl.generator.layout.ep == 1) {
    if (rl.work.engines > 1) add_tp(tp * 2);
    if (tp > 1) add_tp(tp / 2);
  }
  if (!rl.generator.graphs) {
    out.push_back(
        {RlChangeKind::engine, "with CUDA graphs", {{key_path<&R::graphs>, "true"}}, true});
  }
  for (const double share : {0.7, 0.9}) {
    if (share <= rl.work.share) continue;
    out.push_back({RlChangeKind::engine,
                   "a share of " + brief(Json(share)) + " for the engine",
                   {{key_path<&R::memory_share>, brief(Json(share))}},
                   false});
  }
}

void add_placements(const RlRun& rl, RlChanges& out) {
  using P = PlacementRequest;
  const RlPlacement& p = rl.placement;
  const bool is_async = p.kind == PlacementKind::async;  // whose answers are of older weights
  if (p.kind != PlacementKind::colocated) {
    out.push_back({is_async ? RlChangeKind::answers : RlChangeKind::placement, "colocated",
                   together(), false});
  }
  if (p.kind == PlacementKind::split) {
    out.push_back({RlChangeKind::answers,
                   "async, one update behind",
                   {{key_path<&P::kind>, "async"}},
                   false});
  }
  if (is_async && !p.partial) {
    out.push_back(
        {RlChangeKind::answers, "partial answers", {{key_path<&P::partial>, "true"}}, true});
  }
}

void add_learner(const RlRun& rl, const Run& learner, RlChanges& out) {
  const std::int64_t micro_batch = learner.strategy.micro_batch;
  out.push_back({RlChangeKind::learner,
                 "micro batches of " + number(micro_batch * 2),
                 {{key_path<&TrainingRequest::micro_batch>, number(micro_batch * 2)}},
                 false});
  if (!rl.packs) {
    out.push_back({RlChangeKind::learner,
                   "answers packed into micro batches",
                   {{key_path<&RlRequest::packed_tokens>, number(learner.training.sequence)}},
                   false});
  }
  if (learner.strategy.recompute == Recompute::none) return;
  out.push_back({RlChangeKind::learner,
                 "no recompute",
                 {{key_path<&StrategyRequest::recompute>, "none"},
                  {key_path<&StrategyRequest::recompute_layers>, "null"},
                  {key_path<&StrategyRequest::recompute_method>, "null"},
                  {key_path<&StrategyRequest::recompute_modules>, "null"}},
                 false});
}

// The learner's states over its replicas, where its framework shards them so.
void add_sharding(const ResolvedRun& learner, RlChanges& out) {
  const Strategy& own = learner.run.strategy;
  Strategy sharded = own;
  sharded.zero = 3;
  if (own.zero == 3 || own.dp == 1) return;
  if (goes_beyond(framework_limits(learner), own, sharded)) return;
  out.push_back({RlChangeKind::learner,
                 "weights, gradients and optimizer sharded",
                 {{key_path<&StrategyRequest::zero>, "3"}}});
}

// A cap that leaves 98 of 100 answers whole, with the mean that they then have.
void add_cap(const RlRun& rl, RlChanges& out) {
  const AnswerLengths& lengths = rl.work.lengths;
  if (!lengths.listed.empty()) return;
  const std::int64_t n = rl.work.prompts * rl.work.group;
  const std::vector<std::int64_t> all = lengths_of(lengths, n);
  const auto at = static_cast<std::size_t>(kCutShare * static_cast<double>(n - 1));
  const std::int64_t cap = all[at];
  if (cap >= all.back()) return;
  double sum = 0;
  for (const std::int64_t length : all) sum += static_cast<double>(std::min(length, cap));
  const auto mean = static_cast<std::int64_t>(sum / static_cast<double>(n));
  out.push_back({RlChangeKind::answers,
                 "a cap of " + number(cap) + ", which cuts 2 % of the answers",
                 {{key_path<&ResponseRequest::cap>, number(cap)},
                  {key_path<&ResponseRequest::mean>, number(mean)},
                  {key_path<&ResponseRequest::at_cap>, "null"}},
                 true});
}

RlChanges changes_of(const ResolvedRun& learner) {
  const RlRun& rl = *learner.rl;
  RlChanges out;
  add_engines(rl, out);
  add_splits(rl, out);
  add_placements(rl, out);
  add_learner(rl, learner.run, out);
  add_sharding(learner, out);
  add_cap(rl, out);
  return out;
}

Json changed(Json run, const Settings& settings) {
  for (const Setting& s : settings) {
    s.value == "null" ? erase_at(run, s.path)
                      : static_cast<void>(set_at(run, s.path, json_or_text(s.value)));
  }
  return run;
}

class Alternatives {
 public:
  Alternatives(const Json& run, const std::string& file, const ConfigLookup& lookup)
      : run_(run), file_(file), lookup_(lookup) {}

  std::vector<RlAlternative> of(const RlReport& r) const {
    const RlRun& rl = *r.learner.resolved.rl;
    std::vector<RlAlternative> out;
    if (!rl.generates) return out;
    for (const RlChange& t : changes_of(r.learner.resolved)) {
      const auto step = step_with(t.settings);
      if (step) out.push_back({given(t.settings), *step, t.kind, t.words, t.shortens_tail});
    }
    const Seconds enough = r.step.step.value * kWorthATry;
    if (r.step.fits) {
      std::erase_if(out, [&](const RlAlternative& a) { return a.step > enough; });
    }
    std::stable_sort(out.begin(), out.end(), [](const RlAlternative& a, const RlAlternative& b) {
      return a.step < b.step;
    });
    if (out.size() > kMostShown) out.resize(kMostShown);
    return out;
  }

 private:
  // Keys that the run does not have need not be taken away.
  Settings given(Settings settings) const {
    std::erase_if(settings, [&](const Setting& s) {
      return s.value == "null" && value_at(run_, s.path).is_null();
    });
    return settings;
  }

  // Nothing where the change breaks a rule or does not fit.
  std::optional<Seconds> step_with(const Settings& s) const {
    try {
      const RlStep step = rl_step_alone(resolve_learner(changed(run_, s), file_, lookup_));
      if (step.fits) return step.step.value;
    } catch (const InputError&) {
    }
    return {};
  }

  const Json& run_;
  const std::string& file_;
  const ConfigLookup& lookup_;
};

}  // namespace

RlReport rl_report_with_alternatives(const Json& run, const std::string& file,
                                     const ConfigLookup& lookup, const std::vector<Fact>& changes) {
  RlReport r = rl_report_on(resolve_learner(run, file, lookup, changes));
  r.faster = Alternatives(run, file, lookup).of(r);
  const ResolvedRun& learner = r.learner.resolved;
  if (learner.rl->generates && r.step.rollout.fits) {
    r.spread = play_steps(learner, r.step, steps_worth_playing(*learner.rl), kSpreadSeed).spread;
  }
  return r;
}

}  // namespace orrery
