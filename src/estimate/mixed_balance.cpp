// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_balance.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "core/divide.h"
#include "estimate/classes.h"
#include "estimate/mixed_links.h"
#include "estimate/run.h"
#include "estimate/split_layers.h"
#include "estimate/stage_contents.h"

namespace orrery {
namespace {

// The time of one part of the model with these layers, on the slowest kind that holds it; none
// where it fits no device.
class PartTimes {
 public:
  PartTimes(const MixedRun& run, MixedWorkspace& w)
      : run_(run), w_(w), strategy_(run.kinds.front().strategy) {
    const Run& first = run.kinds.front();
    for (std::int64_t j = 0; j < parts(schedule_of(first).layout(), pipeline_shape(first)); ++j) {
      stage_of_.push_back(seat_of(schedule_of(first).layout(), pipeline_shape(first), j, 0).stage);
    }
    const Architecture& a = first.model;
    for (std::int64_t i = 1; i < a.layers; ++i) {
      uniform_ = uniform_ && layer_type(a, i) == layer_type(a, 0) &&
                 recompute_of_layer(strategy_, a, i) == recompute_of_layer(strategy_, a, 0);
    }
    for (const std::int64_t stage : stage_of_) kinds_.push_back(kinds_of_stage(run, stage));
    most_.resize(stage_of_.size());
  }

  std::size_t size() const { return stage_of_.size(); }

  std::optional<double> at(std::size_t part, std::int64_t begin, std::int64_t end) {
    if (!uniform_) return by_blocks(part, begin, end);
    const std::int64_t n = end - begin;
    if (n > most_layers(part)) return {};
    const bool last = part + 1 == size();
    double& known = by_count_[{kinds_[part], part == 0, last, n}];
    if (known == 0) known = time_of(part, begin, end);
    return known;
  }

 private:
  std::optional<double> by_blocks(std::size_t part, std::int64_t begin, std::int64_t end) {
    place(part, begin, end);
    const auto j = static_cast<std::int64_t>(part);
    const BlockCounts blocks = blocks_of(strategy_, run_.kinds.front().model, j);
    const RecomputedBlocks again = recomputed_of(strategy_, run_.kinds.front().model, j, blocks);
    const auto key = std::tuple{part, blocks.values, again.full.values, again.selective.values};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const double time = time_of(part, begin, end);
    return known_[key] = fits(part) ? std::optional(time) : std::nullopt;
  }

  // The most layers with which the part fits: more never need less.
  std::int64_t most_layers(std::size_t part) {
    if (most_[part]) return *most_[part];
    std::int64_t low = -1;
    std::int64_t high = run_.kinds.front().model.layers;
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      time_of(part, 0, middle);
      if (fits(part)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    most_[part] = low;
    return low;
  }

  void place(std::size_t part, std::int64_t begin, std::int64_t end) {
    strategy_.listed_stages = true;
    strategy_.stage_layers.fill(0);
    if (part > 0) strategy_.stage_layers[0] = static_cast<std::int16_t>(begin);
    strategy_.stage_layers[part] = static_cast<std::int16_t>(end - begin);
    if (part + 1 < size()) {
      strategy_.stage_layers[size() - 1] =
          static_cast<std::int16_t>(run_.kinds.front().model.layers - end);
    }
  }

  // Sets these layers on every kind of the part's stage.
  double time_of(std::size_t part, std::int64_t begin, std::int64_t end) {
    place(part, part == 0 ? 0 : begin, part == 0 ? end - begin : end);
    const Architecture& a = run_.kinds.front().model;
    const auto j = static_cast<std::int64_t>(part);
    const BlockCounts blocks = blocks_of(strategy_, a, j);
    const RecomputedBlocks again = recomputed_of(strategy_, a, j, blocks);
    double slowest = 0;
    for (const std::size_t k : kinds_[part]) {
      Workspace& w = w_.kinds[k];
      set_part(run_.kinds[k], j, blocks, again, w);
      slowest = std::max(slowest, (w.forward[part] + w.backward[part]).si());
    }
    return slowest;
  }

  // The layers that time_of() set last; where stages hold several chunks, their sum is not known
  // yet.
  bool fits(std::size_t part) {
    if (strategy_.vpp > 1) return true;
    for (const std::size_t k : kinds_[part]) {
      const Bytes needed = memory_on_kind<double>(run_, stage_of_[part], k, w_.kinds[k]).needed;
      if (needed > run_.kinds[k].cluster.device.memory_capacity) return false;
    }
    return true;
  }

  const MixedRun& run_;
  MixedWorkspace& w_;
  Strategy strategy_;
  std::vector<std::int64_t> stage_of_;
  bool uniform_ = true;  // every layer is like the first: its place does not matter
  std::vector<std::vector<std::size_t>> kinds_;    // by part
  std::vector<std::optional<std::int64_t>> most_;  // layers that fit, by part
  // By kinds, whether the part is the first or the last, and its layers.
  std::map<std::tuple<std::vector<std::size_t>, bool, bool, std::int64_t>, double> by_count_;
  // By part, its blocks and those of them that run again.
  using BlockNumbers = decltype(BlockCounts::values);
  std::map<std::tuple<std::size_t, BlockNumbers, BlockNumbers, BlockNumbers>, std::optional<double>>
      known_;
};

std::int64_t most_micro_batches(const MixedRun& run) {
  std::int64_t most = 1;
  for (const ReplicaClass& c : run.replicas) most = std::max(most, c.micro_batches);
  return most;
}

// Micro batches that a replica gets through in `limit`, in steps of the schedule.
class Throughput {
 public:
  Throughput(const MixedRun& run, std::size_t c, MixedWorkspace& w) : run_(run), c_(c), w_(w) {
    const Strategy& s = run.kinds.front().strategy;
    grain_ = s.vpp > 1 ? s.pp : 1;
  }

  std::int64_t grain() const { return grain_; }

  double time(std::int64_t m) {
    if (m == 0) return 0;
    const auto known = known_.find(m);
    if (known != known_.end()) return known->second;
    return known_[m] = pipeline_of_class(run_, c_, m, w_).si();
  }

  std::int64_t within(double limit, std::int64_t most) {
    std::int64_t low = 0;
    std::int64_t high = most / grain_;
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (time(middle * grain_) <= limit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low * grain_;
  }

 private:
  const MixedRun& run_;
  std::size_t c_;
  MixedWorkspace& w_;
  std::int64_t grain_ = 1;
  std::map<std::int64_t, double> known_;
};

std::int64_t taken(std::vector<Throughput>& all, const MixedRun& run, double limit,
                   std::int64_t enough) {
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < all.size() && sum < enough; ++c) {
    sum += run.replicas[c].count * all[c].within(limit, enough);
  }
  return sum;
}

}  // namespace

std::optional<std::vector<std::int16_t>> balanced_layers(const MixedRun& run, MixedWorkspace& w) {
  PartTimes times(run, w);
  const SplitLayers split =
      split_layers(times.size(), run.kinds.front().model.layers, most_micro_batches(run),
                   [&](std::size_t part, std::int64_t begin, std::int64_t end) {
                     return times.at(part, begin, end);
                   });
  if (split.layers.empty()) return {};
  return split.layers;
}

void set_layers(const std::vector<std::int16_t>& layers, MixedRun& run) {
  for (Run& r : run.kinds) {
    r.strategy.listed_stages = true;
    r.strategy.stage_layers.fill(0);
    std::copy(layers.begin(), layers.end(), r.strategy.stage_layers.begin());
  }
}

std::vector<std::int64_t> balanced_micro_batches(const MixedRun& run, MixedWorkspace& w) {
  std::vector<Throughput> all;
  for (std::size_t c = 0; c < run.replicas.size(); ++c) all.emplace_back(run, c, w);
  const std::int64_t wanted = run.micro_batches;
  // The limit is the time of one class with some number of micro batches: the least of those by
  // which all together are through.
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const std::int64_t grain = all[c].grain();
    std::int64_t low = 1;
    std::int64_t high = divided_up(divided_up(wanted, run.replicas[c].count), grain);
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      const bool enough = taken(all, run, all[c].time(middle * grain), wanted) >= wanted;
      (enough ? high : low) = enough ? middle : middle + 1;
    }
    const double limit = all[c].time(low * grain);
    if (taken(all, run, limit, wanted) >= wanted) best = std::min(best, limit);
  }
  for (Throughput& t : all) best = std::max(best, t.time(t.grain()));  // none is without work
  std::vector<std::int64_t> of_class;
  for (Throughput& t : all) of_class.push_back(t.within(best, wanted));
  return of_class;
}

void set_micro_batches(const std::vector<std::int64_t>& of_class, MixedRun& run) {
  for (Run& r : run.kinds) r.strategy.micro_batches = 1;
  for (std::size_t c = 0; c < run.replicas.size(); ++c) {
    run.replicas[c].micro_batches = of_class[c];
    for (const std::size_t k : run.replicas[c].kind_of_stage) {
      std::int64_t& m = run.kinds[k].strategy.micro_batches;
      m = std::max(m, of_class[c]);
    }
  }
}

namespace {

// The passes of one micro batch of `n` sequences on one kind.
double time_of_sequences(const MixedRun& run, std::size_t kind, std::int64_t n, Workspace& w) {
  std::vector<std::size_t> all(run.kinds.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Run r = run_beside(run, kind, all);
  r.strategy.micro_batch = n;
  Run priced = run.kinds[kind];
  priced.strategy.micro_batch = n;
  fill_classes<double>(priced, w);
  fill_costs<double>(r, w);
  Seconds sum{};
  for (std::size_t j = 0; j < w.class_of.size(); ++j) sum += w.forward[j] + w.backward[j];
  return sum.si();
}

// All ways to give each kind a whole number of sequences, but those no better than the best so far.
class SequenceSplit {
 public:
  SequenceSplit(const MixedRun& run, MixedWorkspace& w)
      : run_(run), w_(w), ranks_(run.kinds.size()) {
    for (const ReplicaClass& c : run.replicas) ranks_[c.kind_of_stage.front()] += c.count;
    w.kinds.resize(std::max(w.kinds.size(), run.kinds.size()));
    known_.resize(run.kinds.size());
  }

  std::vector<std::int64_t> best(std::int64_t all) {
    std::vector<std::int64_t> n(ranks_.size(), 0);
    give(0, all, 0, n);
    return best_;
  }

 private:
  double time(std::size_t k, std::int64_t n) {
    auto& known = known_[k];
    while (static_cast<std::int64_t>(known.size()) < n) {
      const auto next = static_cast<std::int64_t>(known.size()) + 1;
      known.push_back(time_of_sequences(run_, k, next, w_.kinds[k]));
    }
    return known[static_cast<std::size_t>(n - 1)];
  }

  void give(std::size_t k, std::int64_t left, double slowest, std::vector<std::int64_t>& n) {
    const bool last = k + 1 == ranks_.size();
    if (last && left % ranks_[k] != 0) return;
    for (n[k] = last ? left / ranks_[k] : 1; n[k] >= 1 && n[k] * ranks_[k] <= left; ++n[k]) {
      const double t = std::max(slowest, time(k, n[k]));
      if (t >= least_) return;  // more takes no less
      if (last) {
        least_ = t;
        best_ = n;
        return;
      }
      give(k + 1, left - n[k] * ranks_[k], t, n);
    }
  }

  const MixedRun& run_;
  MixedWorkspace& w_;
  std::vector<std::int64_t> ranks_;
  std::vector<std::vector<double>> known_;
  double least_ = std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> best_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> balanced_sequences(const MixedRun& run, std::int64_t all,
                                                            MixedWorkspace& w) {
  std::vector<std::int64_t> best = SequenceSplit(run, w).best(all);
  if (best.empty()) return {};
  return best;
}

std::vector<double> shares_by_memory(const MixedRun& run, MixedWorkspace& w) {
  const std::size_t kinds = run.kinds.size();
  if (kinds == 1) return {};
  // Memory that one rank has without its shards, and those shards where they are equal.
  std::vector<double> space(kinds);
  std::vector<double> shard(kinds);
  MixedRun equal = run;
  double ranks = 0;
  double all_shards = 0;
  double all_space = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    equal.state_share.assign(kinds, 1.0);
    const Bytes with = memory_on_kind<double>(equal, 0, k, w.kinds[k]).needed;
    equal.state_share.assign(kinds, 0.0);
    const Bytes without = memory_on_kind<double>(equal, 0, k, w.kinds[k]).needed;
    shard[k] = (with - without).si();
    space[k] = std::max(0.0, (run.kinds[k].cluster.device.memory_capacity - without).si());
    const auto n = static_cast<double>(run.gpus[k]);
    ranks += n;
    all_shards += n * shard[k];
    all_space += n * space[k];
  }
  std::vector<double> share(kinds, 1.0);
  if (!(all_space > 0) || !(ranks > 0)) return share;
  for (std::size_t k = 0; k < kinds; ++k) {
    if (shard[k] > 0) share[k] = all_shards * (space[k] / all_space) / shard[k];
  }
  return share;
}

}  // namespace orrery
