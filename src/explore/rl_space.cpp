// SPDX-License-Identifier: Apache-2.0
#include "explore/rl_space.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/open_run.h"
#include "estimate/rl_keys.h"
#include "estimate/run_keys.h"
#include "explore/axes_json.h"
#include "explore/space_json.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"
#include "rl/phase_times.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostSplits = 32;
constexpr std::int64_t kMostStaleness = 2;
constexpr std::int64_t kMostNodesApart = 8;  // that share the experts of an engine

using P = PlacementRequest;
using R = RolloutRequest;

template <auto Member>
void put(Json& keys, const Json& value) {
  set_at(keys, key_path<Member>, value);
}

// The engine's degrees that a choice varies.
struct EngineDegrees {
  std::int64_t tp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
};

struct Split {
  PlacementKind kind = PlacementKind::colocated;
  std::int64_t generating = 0;
  std::int64_t learning = 0;
};

class SpaceMaker {
 public:
  SpaceMaker(const Json& run, const std::string& file, const ConfigLookup& lookup,
             const HoldsKey& holds, RlDegrees degrees)
      : run_(run), file_(file), lookup_(lookup), holds_(holds), degrees_(degrees) {}

  RlSpace make() {
    const OpenRun first = open_first();
    all_ = first.resolved.rl->all_gpus;
    node_ = first.resolved.rl->generator.cluster.devices_per_node;
    generates_ = first.resolved.rl->generates;
    for (const Split& split : splits()) add_engines(split, first.resolved.rl->generator);
    sort_choices();
    for (RlLearners& l : out_.learners) add_layouts(l);
    const bool has_layouts = std::any_of(out_.learners.begin(), out_.learners.end(),
                                         [](const RlLearners& l) { return !l.layouts.empty(); });
    if (!has_layouts && refusal_) throw InputError(*refusal_);
    if (out_.learners.empty() && engine_refusal_) throw InputError(*engine_refusal_);
    return std::move(out_);
  }

 private:
  bool is_given(const char* path) const { return holds_(path) && !value_at(run_, path).is_null(); }
  template <auto Member>
  std::optional<std::int64_t> given() const {
    if (!is_given(key_path<Member>)) return {};
    return value_at(run_, key_path<Member>).template get<std::int64_t>();
  }

  // The run as it is, or on half of its GPUs where a placement needs to know them.
  OpenRun open_first() {
    Json run = run_;
    const std::int64_t all = value_at(run, key_path<&ClusterRequest::gpus>).get<std::int64_t>();
    const PlacementKind kind = all > 1 ? PlacementKind::split : PlacementKind::colocated;
    if (!is_given(key_path<&P::kind>)) put<&P::kind>(run, name_of(kind));
    const bool apart = value_at(run, key_path<&P::kind>) != name_of(PlacementKind::colocated);
    if (apart && !is_given(key_path<&P::rollout_gpus>) && all > 1) {
      put<&P::rollout_gpus>(run, all / 2);
    }
    put_engine(run, {1, 1, 1});
    return resolve_open_learner(run, file_, lookup_);
  }

  void put_engine(Json& keys, const EngineDegrees& e) const {
    if (!is_given(key_path<&R::tp>)) put<&R::tp>(keys, e.tp);
    if (!is_given(key_path<&R::dp>)) put<&R::dp>(keys, e.dp);
    if (!is_given(key_path<&R::ep>)) put<&R::ep>(keys, e.ep);
  }

  std::vector<PlacementKind> kinds() const {
    std::vector<PlacementKind> all(kAllOf<PlacementKind>.begin(), kAllOf<PlacementKind>.end());
    if (!generates_) return {PlacementKind::colocated};
    if (is_given(key_path<&P::kind>)) {
      std::erase_if(
          all, [&](PlacementKind k) { return value_at(run_, key_path<&P::kind>) != name_of(k); });
    }
    const bool other_device = !value_at(run_, key_path<&R::node>).is_null();
    if (other_device) std::erase(all, PlacementKind::colocated);
    return all;
  }

  std::vector<Split> splits() const {
    std::vector<Split> out;
    const std::int64_t step = std::max<std::int64_t>(1, all_ / kMostSplits);
    for (const PlacementKind kind : kinds()) {
      if (kind == PlacementKind::colocated) {
        out.push_back({kind, all_, all_});
        continue;
      }
      if (const auto n = given<&P::rollout_gpus>()) {
        out.push_back({kind, *n, all_ - *n});
        continue;
      }
      for (std::int64_t n = step; n < all_; n += step) out.push_back({kind, n, all_ - n});
    }
    return out;
  }

  std::vector<EngineDegrees> engines(std::int64_t gpus, const Generator& g) const {
    std::vector<EngineDegrees> out;
    const auto held_tp = given<&R::tp>();
    const bool experts_held = is_given(key_path<&R::ep>) || is_given(key_path<&R::dp>);
    for (const std::int64_t tp : held_tp ? divisors(1) : divisors(std::min(node_, gpus))) {
      const std::int64_t n = held_tp.value_or(tp);
      if (g.model.heads % n != 0 || gpus % n != 0) continue;
      out.push_back({n, 1, 1});
      if (!is_moe(g.model) || experts_held) continue;
      for (std::int64_t dp = n > 1 ? 1 : 2; n * dp <= std::min(gpus, kMostNodesApart * node_);
           dp *= 2) {
        const bool whole = g.model.moe.experts % (n * dp) == 0 && gpus % (n * dp) == 0;
        if (whole) out.push_back({n, dp, n * dp});
      }
    }
    return out;
  }

  void add_engines(const Split& split, const Generator& g) {
    for (const EngineDegrees& e : engines(split.generating, g)) {
      Json keys = Json::object();
      put<&P::kind>(keys, name_of(split.kind));
      if (split.kind != PlacementKind::colocated) put<&P::rollout_gpus>(keys, split.generating);
      if (generates_) put_engine(keys, e);
      Json run = run_;
      merge_over(run, keys);
      try {
        const OpenRun open = resolve_open_learner(run, file_, lookup_);
        add_shares(split, keys, *open.resolved.rl);
      } catch (const InputError& error) {
        ++out_.refused_engines;
        if (!engine_refusal_) engine_refusal_ = error;
      }
    }
  }

  // Shares of the device that the engine may take.
  std::vector<double> shares(const Split& split, const RlRun& rl) const {
    if (holds_(key_path<&R::memory_share>) || !generates_) return {rl.work.share};
    const double of_engine = rl.generator.engine.memory.share;
    if (split.kind != PlacementKind::colocated) return {of_engine};
    std::set<double> all = {rl.work.share, of_engine};
    for (int tenths = 3; tenths <= 9; ++tenths) all.insert(tenths / 10.0);
    return {all.begin(), all.end()};
  }

  void add_shares(const Split& split, const Json& keys, const RlRun& rl) {
    for (const double share : shares(split, rl)) {
      Json with = keys;
      RlRun changed = rl;
      changed.work.share = share;
      if (generates_ && !holds_(key_path<&R::memory_share>)) put<&R::memory_share>(with, share);
      const std::size_t rollout = rollout_of(changed);
      if (generates_ && !out_.rollouts[rollout].fits) continue;
      add_offloads(split, with, changed, rollout);
    }
  }

  // Played once for a layout, its engines and a share.
  std::size_t rollout_of(const RlRun& rl) {
    const EngineLayout& l = rl.generator.layout;
    const auto key = std::make_tuple(l.tp, l.pp, l.ep, l.dp, rl.work.engines, rl.work.share);
    const auto [at, is_new] = played_.try_emplace(key, out_.rollouts.size());
    if (is_new)
      out_.rollouts.push_back(rl.generates ? play_rollout(rl.generator, rl.work) : Rollout());
    return at->second;
  }

  template <auto Member, class Next>
  void with_both(bool is_free, bool RlPlacement::*member, Json& keys, RlRun& rl,
                 const Next& next) const {
    if (!is_free || holds_(key_path<Member>)) return next();
    for (const bool on : {false, true}) {
      put<Member>(keys, on);
      rl.placement.*member = on;
      next();
    }
  }

  void add_offloads(const Split& split, Json keys, RlRun rl, std::size_t rollout) {
    const bool yields = split.kind == PlacementKind::colocated && generates_;
    with_both<&P::offload_reference>(rl.reference, &RlPlacement::offload_reference, keys, rl, [&] {
      with_both<&P::offload_optimizer>(yields, &RlPlacement::offload_optimizer, keys, rl, [&] {
        with_both<&P::offload_weights>(yields, &RlPlacement::offload_weights, keys, rl,
                                       [&] { add_stale(split, keys, rl, rollout); });
      });
    });
  }

  void add_stale(const Split& split, Json& keys, RlRun& rl, std::size_t rollout) {
    if (split.kind != PlacementKind::async || holds_(key_path<&P::staleness>)) {
      return add(split, keys, rl, rollout);
    }
    for (std::int64_t s = 1; s <= kMostStaleness; ++s) {
      put<&P::staleness>(keys, s);
      rl.placement.staleness = s;
      add(split, keys, rl, rollout);
    }
  }

  void add(const Split& split, const Json& keys, const RlRun& rl, std::size_t rollout) {
    auto& all = out_.learners;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const RlLearners& l) { return l.gpus == split.learning; });
    if (at == all.end()) {
      all.push_back({split.learning, {}, {}});
      at = all.end() - 1;
    }
    at->choices[split.kind].push_back(out_.choices.size());
    out_.choices.push_back({keys, rl, rollout, generation_time(rl, out_.rollouts[rollout])});
  }

  void sort_choices() {
    for (RlLearners& l : out_.learners) {
      for (auto& of_kind : l.choices) {
        std::stable_sort(of_kind.begin(), of_kind.end(), [&](std::size_t a, std::size_t b) {
          return out_.choices[a].generate < out_.choices[b].generate;
        });
      }
    }
  }

  // The run states it, or all that the framework can run.
  std::vector<std::int64_t> degrees(const char* path, SearchAxis axis, std::int64_t gpus) const {
    const Json& value = value_at(run_, path);
    if (value.is_number_integer()) return {value.get<std::int64_t>()};
    std::vector<std::int64_t> all = divisors(gpus);
    const std::vector<std::int64_t>& runnable = framework_.runnable[axis];
    std::erase_if(all, [&](std::int64_t n) {
      return !runnable.empty() && std::find(runnable.begin(), runnable.end(), n) == runnable.end();
    });
    return all;
  }

  void limit_degrees(const Json& run) {
    if (degrees_ == RlDegrees::all) return;
    try {
      framework_ = framework_limits(resolve_open_learner(run, file_, lookup_).resolved);
    } catch (const InputError&) {
      framework_ = {};  // each layout says itself what is wrong with it
    }
  }

  // Batch and padded length follow from tp, cp and pp, so each set of them is a run of its own.
  void add_layouts(RlLearners& l) {
    const Json run = with_choice(run_, out_.choices[any_of(l)]);
    limit_degrees(run);
    using enum SearchAxis;
    for (const std::int64_t n : degrees(key_path<&StrategyRequest::tp>, tp, l.gpus)) {
      for (const std::int64_t m : degrees(key_path<&StrategyRequest::cp>, cp, l.gpus)) {
        for (const std::int64_t k : degrees(key_path<&StrategyRequest::pp>, pp, l.gpus)) {
          if (n * m * k <= l.gpus && l.gpus % (n * m * k) == 0) add_layout(l, run, n, m, k);
        }
      }
    }
  }

  static std::size_t any_of(const RlLearners& l) {
    for (const auto& of_kind : l.choices) {
      if (!of_kind.empty()) return of_kind.front();
    }
    return 0;
  }

  void add_layout(RlLearners& l, Json run, std::int64_t tp, std::int64_t cp, std::int64_t pp) {
    put<&StrategyRequest::tp>(run, tp);
    put<&StrategyRequest::cp>(run, cp);
    put<&StrategyRequest::pp>(run, pp);
    try {
      const OpenRun open = resolve_open_learner(run, file_, lookup_);
      // Most sets of degrees break a rule before anything is priced.
      if (tp > open.resolved.run.model.heads || pp > open.resolved.run.model.layers) return;
      l.layouts.push_back(narrowed(space_around(open)));
    } catch (const InputError& error) {
      if (!refusal_) refusal_ = error;
    }
  }

  // Axes that the search of a step leaves as the run or its framework has them.
  static Space narrowed(Space space) {
    const auto hold = [&](SearchAxis a, std::int64_t value) {
      if (space.axes[a].is_free()) space.axes[a].listed = {value};
    };
    hold(SearchAxis::vpp, 1);
    hold(SearchAxis::schedule, static_cast<std::int64_t>(ScheduleId::one_f_one_b));
    AxisValues& recompute = space.axes[SearchAxis::recompute];
    if (recompute.is_free()) recompute.highest = static_cast<std::int64_t>(RecomputeChoice::full);
    return space;
  }

  const Json& run_;
  const std::string& file_;
  const ConfigLookup& lookup_;
  const HoldsKey& holds_;
  RlDegrees degrees_;
  std::int64_t all_ = 0;
  std::int64_t node_ = 1;
  bool generates_ = true;
  FrameworkLimits framework_;  // of the learner at hand
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double>,
           std::size_t>
      played_;
  std::optional<InputError> refusal_;  // of a learner's layout
  std::optional<InputError>
      engine_refusal_;  // some splits have no engine: it counts where none has
  RlSpace out_;
};

}  // namespace

std::vector<std::string> rl_free_paths() {
  return {key_path<&P::kind>,
          key_path<&P::rollout_gpus>,
          key_path<&P::staleness>,
          key_path<&P::offload_weights>,
          key_path<&P::offload_optimizer>,
          key_path<&P::offload_reference>,
          key_path<&R::tp>,
          key_path<&R::dp>,
          key_path<&R::ep>,
          key_path<&R::memory_share>};
}

RlSpace rl_space(const Json& run, const std::string& file, const ConfigLookup& lookup,
                 const HoldsKey& holds, RlDegrees degrees) {
  return SpaceMaker(run, file, lookup, holds, degrees).make();
}

Json with_choice(Json run, const RlChoice& choice) {
  merge_over(run, *choice.keys);
  return run;
}

}  // namespace orrery
