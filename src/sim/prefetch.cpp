// SPDX-License-Identifier: Apache-2.0
#include "sim/prefetch.h"

#include <algorithm>
#include <array>

#include "cost/beside.h"
#include "estimate/block_parameters.h"
#include "estimate/classes.h"
#include "estimate/run.h"
#include "estimate/workspace.h"
#include "sim/streams.h"

namespace orrery {
namespace {

class LayerPlayer {
 public:
  LayerPlayer(const std::vector<LayerWork>& layers, const PrefetchRules& rules)
      : layers_(layers), rules_(rules), there_(layers.size()) {}

  FetchedPass play() {
    Seconds now{};
    for (std::size_t i = 0; i < layers_.size(); ++i) now = layer(i, now);
    out_.end = std::max(now, link_);
    return std::move(out_);
  }

 private:
  std::size_t ahead() const {
    return rules_.gathers_beside ? static_cast<std::size_t>(rules_.depth) : 0;
  }

  // The layer before ends `now`; returns the end of this one.
  Seconds layer(std::size_t i, Seconds now) {
    fetch_up_to(i, now);
    const Seconds begin = std::max(now, there_[i]);
    fetch_up_to(i + ahead(), i == 0 ? Seconds() : begin);
    const Seconds alone = layers_[i].compute;
    const Seconds end =
        begin + alone + lost_beside<double>(rules_.slowdown, beside(begin, begin + alone));
    if (!(layers_[i].reduce > Seconds())) return end;
    const Seconds reduced = move(i, false, end, layers_[i].reduce);
    return rules_.reduces_beside ? end : reduced;
  }

  void fetch_up_to(std::size_t last, Seconds asked) {
    for (; next_ <= last && next_ < layers_.size(); ++next_) {
      if (!(layers_[next_].gather > Seconds())) continue;
      there_[next_] = move(next_, true, asked, layers_[next_].gather);
    }
  }

  Seconds move(std::size_t layer, bool gathers, Seconds asked, Seconds time) {
    const Seconds begin = std::max(link_, asked);
    link_ = begin + time;
    out_.fetches.push_back({static_cast<std::int32_t>(layer), gathers, begin, link_});
    return link_;
  }

  // Time within this span in which a transfer is in flight.
  Seconds beside(Seconds begin, Seconds end) const {
    Seconds sum{};
    for (auto f = out_.fetches.rbegin(); f != out_.fetches.rend() && f->end > begin; ++f) {
      sum += std::max(Seconds(), std::min(f->end, end) - std::max(f->begin, begin));
    }
    return sum;
  }

  const std::vector<LayerWork>& layers_;
  const PrefetchRules& rules_;
  std::vector<Seconds> there_;
  std::size_t next_ = 0;
  Seconds link_{};
  FetchedPass out_;
};

constexpr EnumArray<BlockType, BlockType> kForwardOrder = {
    BlockType::tower_ends, BlockType::tower,   BlockType::embedding, BlockType::layer_0,
    BlockType::layer_1,    BlockType::layer_2, BlockType::layer_3,   BlockType::layer_4,
    BlockType::layer_5,    BlockType::layer_6, BlockType::layer_7,   BlockType::mtp,
    BlockType::head};

// Compute and traffic of one block of each type.
struct BlockWork {
  LayerWork forward;
  LayerWork backward;
  LayerWork selective;  // backward, with modules of its forward recomputed
  LayerWork full;       // with all of it
};

Seconds without_waiting(Seconds pass, const Terms<double>& terms) {
  return pass - terms[Term::dp_exposed];
}

void add_moves(const ShardMoves& moves, LayerWork& work) {
  for (const CommLine<double>& l : moves) {
    (l.collective == Collective::all_gather ? work.gather : work.reduce) += l.time;
  }
}

BlockWork work_of(const Run& run, const Workspace& w, BlockType type) {
  BlockCounts one{};
  one[type] = 1;
  const StageCosts<double> plain = stage_costs<double>(run, w.prices, one, {});
  const StageCosts<double> selective = stage_costs<double>(run, w.prices, one, {{}, one});
  const StageCosts<double> full = stage_costs<double>(run, w.prices, one, {one, {}});
  BlockWork work;
  work.forward.compute = without_waiting(plain.forward_time, plain.forward);
  work.backward.compute = without_waiting(plain.backward_time, plain.backward);
  const PassExchanges moved = shard_moves(run, w, one);
  add_moves(moved.forward_shards, work.forward);
  add_moves(moved.backward_shards, work.backward);
  work.selective = work.full = work.backward;
  work.selective.compute = without_waiting(selective.backward_time, selective.backward);
  work.full.compute = without_waiting(full.backward_time, full.backward);
  return work;
}

struct CellLayers {
  std::vector<LayerWork> forward;
  std::vector<LayerWork> backward;
};

CellLayers layers_of(const Run& run, const Workspace& w, const StageClass<double>& c) {
  CellLayers layers;
  for (const BlockType type : kForwardOrder) {
    if (c.blocks[type] == 0) continue;
    const BlockWork work = work_of(run, w, type);
    for (std::int64_t k = 0; k < c.blocks[type]; ++k) {
      layers.forward.push_back(work.forward);
      const std::int64_t full = c.again.full[type];
      const bool selective = k < full + c.again.selective[type];
      layers.backward.push_back(k < full ? work.full : selective ? work.selective : work.backward);
    }
  }
  std::reverse(layers.backward.begin(), layers.backward.end());
  return layers;
}

// Runs the layers of a pass; the new wait replaces the closed form's.
std::vector<Fetch> fetch(const std::vector<LayerWork>& layers, const PrefetchRules& rules,
                         Seconds& pass, Terms<double>& terms) {
  FetchedPass played = play_layers(layers, rules);
  Seconds alone{};
  for (const LayerWork& l : layers) alone += l.compute;
  Seconds& waits = terms[Term::dp_exposed];
  pass -= waits;
  waits = std::max(Seconds(), played.end - alone);
  pass += waits;
  return std::move(played.fetches);
}

}  // namespace

FetchedPass play_layers(const std::vector<LayerWork>& layers, const PrefetchRules& rules) {
  return LayerPlayer(layers, rules).play();
}

std::vector<CellFetches> fetch_in_order(const Run& run, const Workspace& w, std::int64_t depth,
                                        StepPlan& plan) {
  const Framework& f = run.framework;
  const PrefetchRules rules{depth, f.overlap.param_gather, f.overlap.grad_reduce,
                            f.overlap.slowdown};
  PrefetchRules backward = rules;
  backward.gathers_beside = f.overlap.param_gather && f.gathers.backward_prefetch;
  std::vector<CellFetches> all;
  for (std::size_t cell = 0; cell < plan.passes.size(); ++cell) {
    const std::int64_t part = part_of_cell(plan, static_cast<std::int64_t>(cell));
    const CellLayers layers = layers_of(run, w, class_of<double>(w, part));
    PassPlan& p = plan.passes[cell];
    all.push_back({fetch(layers.forward, rules, p.forward, p.forward_terms),
                   fetch(layers.backward, backward, p.backward, p.backward_terms)});
  }
  return all;
}

void hold_fetched(Run& run, const Workspace& w, std::int64_t depth) {
  Framework& f = run.framework;
  if (depth <= 1 || f.gathers.max_live > 0 || f.gathers.keeps(KeptGathered::layers)) return;
  std::int64_t layer = 0;
  std::int64_t ends = 0;
  for (const BlockType i : kAllOf<BlockType>) {
    const ParametersHeld& p = block_parameters(run, w.prices, i);
    if (kBlockFacts[i].is_layer) {
      layer = std::max({layer, p.dense, p.expert});
    } else {
      ends += p.dense;
    }
  }
  f.gathers.max_live = (depth + 1) * layer + ends;
}

}  // namespace orrery
