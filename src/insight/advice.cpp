// SPDX-License-Identifier: Apache-2.0
#include "insight/advice.h"

#include <algorithm>
#include <array>
#include <limits>

#include "estimate/classes.h"
#include "estimate/fits_at_risk.h"
#include "estimate/least_recompute.h"
#include "estimate/links.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "estimate/workspace.h"
#include "explore/axes_json.h"
#include "explore/recommend.h"
#include "insight/shown_bytes.h"
#include "parallel/rules.h"
#include "parallel/strategy_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// Tokens from which people split a sequence at all, and over a whole node [judgement].
constexpr std::int64_t kSplitFrom = 8192;
constexpr std::int64_t kSpreadFrom = 32768;

bool twice(std::int64_t& n) {
  n *= 2;
  return true;
}

bool half(std::int64_t& n) {
  if (n % 2 != 0) return false;
  n /= 2;
  return true;
}

// To the next kind that the framework has; from some layers to all.
bool step_recompute(Run& r, int by) {
  if (by > 0 && recompute_choice(r.strategy) == RecomputeChoice::layers) {
    r.strategy.recompute_layers = 0;
    return true;
  }
  int level = static_cast<int>(r.strategy.recompute) + by;
  const auto is_kind = [&] { return level >= 0 && level < static_cast<int>(kCountOf<Recompute>); };
  while (is_kind() && !has_recompute(r.framework, static_cast<RecomputeChoice>(level))) level += by;
  if (!is_kind()) return false;
  r.strategy.recompute = static_cast<Recompute>(level);
  r.strategy.recompute_layers = 0;
  return true;
}

// To the last kind that the framework has, where one step does not reach it.
bool leap_recompute(Run& r, int by) {
  int steps = 0;
  while (step_recompute(r, by)) ++steps;
  return steps > 1;
}

// States with a sharding rule of their own stay as they are.
bool is_plain_zero(const Strategy& s) {
  return s.partition == partition_of(s.zero, dense_replicas(s));
}

bool step_zero(Run& r, std::int64_t by) {
  Strategy& s = r.strategy;
  if (!is_plain_zero(s) || s.zero + by < 0 || s.zero + by > 3 || s.dp * s.cp == 1) return false;
  s.zero += by;
  return true;
}

// dp takes the GPUs that are left, micro batches what is left of the batch.
bool settle_degrees(const Run& run, Strategy& s) {
  const std::int64_t shard = s.tp * s.cp * s.pp;
  if (shard > run.cluster.gpus || run.cluster.gpus % shard != 0) return false;
  s.dp = run.cluster.gpus / shard;
  const std::int64_t counted = run.training.buckets.micro_batch;  // global_batch counts by it
  if (counted > 0 && s.micro_batch != counted) return false;
  const std::int64_t at_once = s.dp * s.micro_batch;
  if (run.training.global_batch % at_once != 0) return false;
  s.micro_batches = run.training.global_batch / at_once;
  return true;
}

bool settle_partition(const Strategy& before, Strategy& s) {
  if (s.partition != before.partition) return s.dp * s.cp == before.dp * before.cp;  // a move's own
  if (before.partition == partition_of(before.zero, dense_replicas(before))) {
    s.partition = partition_of(s.zero, dense_replicas(s));
    return true;
  }
  return s.dp * s.cp == before.dp * before.cp;
}

// Open, etp is tp where that is legal, else 1.
bool follows_tp(const Strategy& before, Run run) {
  if (before.etp == before.tp) return true;
  run.strategy = before;
  run.strategy.etp = before.tp;
  return before.etp == 1 && is_moe(run.model) && !is_legal(run);
}

bool settle(const Strategy& before, Run& run) {
  Strategy& s = run.strategy;
  if (s.listed_stages && s.pp * s.vpp != before.pp * before.vpp) return false;
  if (!settle_degrees(run, s) || !settle_partition(before, s)) return false;
  if (s.tp == 1) s.sequence_parallel = false;
  if (s.tp > 1 && is_moe(run.model)) s.sequence_parallel = true;  // no other is legal
  if (s.tp > 1 && before.tp == 1 && run.framework.sequence_parallel) s.sequence_parallel = true;
  if (s.pp == 1 && s.schedule == ScheduleId::interleaved) return false;
  if (!follows_tp(before, run)) return is_legal(run);
  s.etp = s.tp;
  if (is_legal(run)) return true;
  s.etp = 1;
  return is_legal(run);
}

// A change: one move, or two.
struct Tried {
  std::array<Move, 2> moves{};
  std::size_t count = 0;
  bool fits = false;    // as surely as the run asks
  Seconds step_time{};  // where it fits
  Bytes peak{};
  Bytes host{};
  Bytes short_of{};  // of the memory that is short without it
  double fit_probability = 0;
  bool holds_recompute = false;  // that the run leaves open, as the run has it
  Strategy strategy{};           // of the run so changed
  bool fused_attention = false;

  std::span<const Move> all() const { return {moves.data(), count}; }
};

bool is_same_run(const Tried& a, const Tried& b) {
  return a.strategy == b.strategy && a.fused_attention == b.fused_attention;
}

bool is_better(const Tried& a, const Tried& b) {
  return a.fits ? a.step_time < b.step_time : a.short_of < b.short_of;
}

// The bytes that an answer needs of the memory for which a run does not fit.
Bytes needed(Reason why, const Answer& a) {
  return why == Reason::host_memory ? a.host_needed : a.memory.peak;
}

// Judges by bounds on the step and by memory, in the order of what they take, and finds the step of
// those that may be named. Where the run fits, one that is not faster is not named; else memory
// decides first.
class Adviser {
 public:
  Adviser(const ResolvedRun& run, const Answer& answer)
      : run_(run.run),
        keys_(run.parallel_keys),
        recompute_open_(run.recompute_open),
        framework_(framework_limits(run)),
        answer_(answer),
        fits_(answer.reason == Reason::fits && fits_at_risk(run.run, answer)),
        limit_(fits_ ? answer.step_time / kRecommendationBand
                     : Seconds(std::numeric_limits<double>::infinity())) {}

  std::vector<Advice> best() {
    for (const Move move : kMoves) consider_held({{move}, 1});
    if (!fits_ && !some_fit_) consider_pairs();
    for (const Move move : larger_) {
      for (const Move less : {moves::more_recompute, moves::most_recompute}) {
        consider({{move, less}, 2});
      }
    }
    std::vector<Advice> advice;
    for (const Tried& t : found_) advice.push_back(advice_of(t));
    return advice;
  }

 private:
  // Recompute that is open is chosen so that the changed run fits as likely as not: with the full
  // one, of the run that does not fit, it may be sure.
  void consider_held(Tried t) {
    const Strategy& own = run_.strategy;
    const bool is_full = own.recompute == Recompute::full && own.recompute_layers == 0;
    if (consider(t) || fits_ || !recompute_open_ || !is_full) return;
    t.holds_recompute = true;
    consider(t);
  }

  void consider_pairs() {
    for (std::size_t i = 0; i < kMoves.size(); ++i) {
      for (std::size_t j = i + 1; j < kMoves.size(); ++j)
        consider_held({{kMoves[i], kMoves[j]}, 2});
    }
  }

  // True where it fits as surely as the run asks; false too where it is not judged.
  bool consider(Tried t) {
    Run changed = run_;
    if (!make_neighbour(t.all(), changed)) return false;
    if (goes_beyond(framework_, run_.strategy, changed.strategy)) return false;
    fill_prices(changed, t.holds_recompute);
    if (fits_ && beats_blocks_of(changed)) return false;
    fill_parts<double>(changed, workspace_);
    if (fits_ && beats_layout_of(changed)) return false;
    judge(changed, t);
    return t.fits;
  }

  void judge(const Run& changed, Tried& t) {
    answer_memory(changed, workspace_, known_);
    t.fits = fits_at_risk(changed, known_);
    t.fit_probability = fit_probability(changed, known_);
    t.peak = shown_bytes(changed, known_);
    t.host = known_.host_needed;
    t.short_of = needed(answer_.reason, known_);
    t.strategy = changed.strategy;
    t.fused_attention = changed.training.fused_attention;
    // A change that fills the host in place of the device is no step towards fitting.
    const bool moves_on =
        known_.reason == Reason::host_memory && answer_.reason != Reason::host_memory;
    const bool nearer = !moves_on && t.short_of < needed(answer_.reason, answer_);
    const bool helps = t.fits || (!fits_ && !some_fit_ && nearer);
    const bool runs = answer_.reason == Reason::fits;
    if (runs && !t.fits && t.count == 1) larger_.push_back(t.moves[0]);
    if (!helps || (t.fits && !is_fast(changed, t))) return;
    if (t.fits && !some_fit_) found_.clear();
    some_fit_ = some_fit_ || t.fits;
    keep(t);
  }

  // Recompute that the run leaves open is what the changed run would have, unless it is held.
  void fill_prices(Run& changed, bool holds_recompute) {
    workspace_.end_traffics.clear();
    const bool is_same = recompute_choice(changed.strategy) == recompute_choice(run_.strategy);
    if (recompute_open_ && is_same && !holds_recompute) {
      predict_recompute(changed, workspace_);
    }
    price<double>(changed, workspace_.scratch, workspace_.prices);
  }

  void fill_memory(Run& changed, bool holds_recompute) {
    fill_prices(changed, holds_recompute);
    fill_parts<double>(changed, workspace_);
    answer_memory(changed, workspace_, known_);
  }

  // Whether no step with these blocks is as fast as the limit, however they are laid out.
  bool beats_blocks_of(const Run& changed) const {
    const BlockCounts blocks = blocks_of(Strategy(), changed.model, 0);
    const Seconds least = least_of_blocks(changed, workspace_.prices, blocks);
    return least_step(changed, least) * (1 - kBoundRounding) > limit_;
  }

  bool beats_layout_of(const Run& changed) {
    fill_costs<double>(changed, workspace_);
    answer_least(changed, workspace_, least_pipeline(changed, workspace_), 1 - kBoundRounding,
                 known_);
    return known_.step_time > limit_;
  }

  // Fills in the step, unless it is surely above the limit.
  bool is_fast(const Run& changed, Tried& t) {
    if (!fits_ && beats_layout_of(changed)) return false;
    t.step_time = finish(changed, workspace_).step_time;
    return t.step_time <= limit_;
  }

  // The best few, in the order of trial where they are equal.
  void keep(const Tried& t) {
    const auto is_known = [&](const Tried& known) { return is_same_run(known, t); };
    if (std::any_of(found_.begin(), found_.end(), is_known)) return;
    found_.insert(std::upper_bound(found_.begin(), found_.end(), t, is_better), t);
    if (found_.size() > kMostAdvice) found_.pop_back();
    if (some_fit_ && found_.size() == kMostAdvice) {
      limit_ = std::min(limit_, found_.back().step_time);
    }
  }

  // Names the recompute that a change brings where the run leaves it open; that of some layers
  // follows from the rest.
  std::vector<Setting> settings_of(const Run& changed, bool holds_recompute) {
    Run predicted = changed;
    fill_prices(predicted, holds_recompute);
    const bool by_layers = recompute_choice(predicted.strategy) == RecomputeChoice::layers;
    std::vector<Setting> all = differences(run_, by_layers ? changed : predicted, keys_);
    if (holds_recompute) {
      all.push_back({key_path<&StrategyRequest::recompute>,
                     std::string(name_of(changed.strategy.recompute))});
    }
    return all;
  }

  Advice advice_of(const Tried& t) {
    Run changed = run_;
    make_neighbour(t.all(), changed);
    Advice a{settings_of(changed, t.holds_recompute),
             t.fits,
             t.step_time,
             t.peak,
             t.host,
             t.fit_probability};
    if (t.fits) return a;
    fill_memory(changed, t.holds_recompute);
    fill_costs<double>(changed, workspace_);
    a.step_time = finish(changed, workspace_).step_time;
    return a;
  }

  const Run& run_;
  const std::vector<std::string>& keys_;
  bool recompute_open_;
  FrameworkLimits framework_;
  const Answer& answer_;
  bool fits_;      // as surely as the run asks
  Seconds limit_;  // what is slower is not named
  bool some_fit_ = false;
  std::vector<Move> larger_;  // that may be faster, and fit with more recompute at most
  Workspace workspace_;
  Answer known_;  // of the change at hand
  std::vector<Tried> found_;
};

}  // namespace

namespace moves {

bool less_recompute(Run& r) { return step_recompute(r, -1); }
bool more_recompute(Run& r) { return step_recompute(r, 1); }
bool least_recompute(Run& r) { return leap_recompute(r, -1); }
bool most_recompute(Run& r) { return leap_recompute(r, 1); }
bool double_micro_batch(Run& r) { return twice(r.strategy.micro_batch); }
bool halve_micro_batch(Run& r) { return half(r.strategy.micro_batch); }
bool double_tp(Run& r) { return twice(r.strategy.tp); }
bool halve_tp(Run& r) { return half(r.strategy.tp); }
bool double_pp(Run& r) { return twice(r.strategy.pp); }
bool halve_pp(Run& r) { return half(r.strategy.pp); }
bool double_cp(Run& r) {
  const bool is_short = r.strategy.cp == 1 && r.training.sequence < kSplitFrom;
  return !is_short && twice(r.strategy.cp);
}
bool halve_cp(Run& r) { return half(r.strategy.cp); }

// One long sequence over all GPUs of a node, which one doubling does not reach.
bool spread_sequence(Run& r) {
  const std::int64_t ranks = r.cluster.devices_per_node / r.strategy.tp;
  if (r.training.sequence < kSpreadFrom || ranks <= 2 * r.strategy.cp) return false;
  r.strategy.cp = ranks;
  return true;
}

bool interleave(Run& r) {
  const bool plain = r.strategy.schedule == ScheduleId::one_f_one_b;
  if (!plain && r.strategy.schedule != ScheduleId::interleaved) return false;
  r.strategy.schedule = ScheduleId::interleaved;
  return twice(r.strategy.vpp);
}

bool do_not_interleave(Run& r) {
  if (r.strategy.schedule != ScheduleId::interleaved) return false;
  r.strategy.schedule = ScheduleId::one_f_one_b;
  r.strategy.vpp = 1;
  return true;
}

bool shard_more(Run& r) { return step_zero(r, 1); }
bool shard_less(Run& r) { return step_zero(r, -1); }

// ZeRO 3 from 0 or 1 and back, which one step does not reach.
bool shard_weights(Run& r) { return r.strategy.zero < 2 && step_zero(r, 3 - r.strategy.zero); }
bool replicate_weights(Run& r) { return r.strategy.zero == 3 && step_zero(r, -2); }
bool replicate_states(Run& r) { return r.strategy.zero > 1 && step_zero(r, -r.strategy.zero); }

// Weights over the GPUs of a node and copies of them across nodes: FSDP's HYBRID_SHARD (PyTorch
// FSDP, arXiv:2304.11277, section 3.2.2), torchtitan's data_parallel_replicate_degree, DeepSpeed's
// MiCS.
bool shard_in_node(Run& r) {
  Strategy& s = r.strategy;
  const std::int64_t group = r.cluster.devices_per_node / s.tp;
  if (!is_plain_zero(s) || s.zero < 3 || group < 2) return false;
  if (group >= dense_replicas(s) || dense_replicas(s) % group != 0) return false;
  s.partition = partition_of(s.zero, group);
  return true;
}

bool sequence_parallel(Run& r) {
  if (r.strategy.sequence_parallel || r.strategy.tp == 1) return false;
  r.strategy.sequence_parallel = true;
  return true;
}

bool flash_attention(Run& r) {
  if (r.training.fused_attention) return false;
  r.training.fused_attention = true;
  return true;
}

bool offload_optimizer(Run& r) {
  if (r.strategy.offload.optimizer != OffloadTarget::none) return false;
  r.strategy.offload.optimizer = OffloadTarget::host;
  return true;
}

// Stacks that shard weights keep the shards on the host: DeepSpeed's offload_param is of ZeRO 3
// alone, FSDP's CPUOffload of its full shard. On one GPU blocks come in turn, beside an adapter and
// where all is trained (blocks_to_swap of kohya-ss/sd-scripts, library/custom_offloading_utils.py,
// flux_train.py).
bool offload_parameters(Run& r) {
  Offload& o = r.strategy.offload;
  const bool swaps_blocks = r.cluster.gpus == 1;
  if (o.parameters != OffloadTarget::none || (r.strategy.zero < 3 && !swaps_blocks)) return false;
  o.parameters = OffloadTarget::host;
  return true;
}

bool offload_activations(Run& r) {
  Offload& o = r.strategy.offload;
  if (o.activations != OffloadTarget::none || r.strategy.pp > 1) return false;
  o.activations = OffloadTarget::host;
  return true;
}

}  // namespace moves

bool make_neighbour(std::span<const Move> moves, Run& run) {
  const Strategy before = run.strategy;
  for (const Move move : moves) {
    if (!move(run)) return false;
  }
  return settle(before, run);
}

const Advice* first_that_fits(const std::vector<Advice>& advice) {
  const auto found =
      std::find_if(advice.begin(), advice.end(), [](const Advice& a) { return a.fits; });
  return found == advice.end() ? nullptr : &*found;
}

std::vector<Advice> advise(const ResolvedRun& run, const Answer& answer) {
  return Adviser(run, answer).best();
}

}  // namespace orrery
