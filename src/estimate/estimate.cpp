// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimate.h"

#include <algorithm>

#include "core/divide.h"
#include "estimate/boundary_sends.h"
#include "estimate/busy_stage.h"
#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/end_of_step.h"
#include "estimate/exchange_lines.h"
#include "estimate/links.h"
#include "estimate/messages.h"
#include "estimate/offload.h"
#include "estimate/outer_steps.h"
#include "estimate/pipeline_time.h"
#include "estimate/repeated.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/stage_contents.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

// The hosts of the node whose devices `used` ranks fill.
Bytes host_memory(const Cluster& c, std::int64_t used) {
  if (!is_rack(c)) return c.host.memory_capacity;
  const std::int64_t all = devices_of_node(c);
  const std::int64_t reached = std::min(rounded_up(used, devices_of_system(c)), all);
  return c.host.memory_capacity * (static_cast<double>(reached) / static_cast<double>(all));
}

// The memory of the stage whose peak is highest, and what the host holds, stage by stage. If
// cached blocks fill several stages to the same peak, it is the one that needs most.
template <Number R>
struct FullestStage {
  AnswerOf<R>& a;
  Bytes most{-1};
  Bytes host{};
  BytesOf<R> needed{};

  void offer(std::int64_t stage, const StageMemory<R>& m) {
    host = larger(host, plain(m.host));
    if (plain(m.needed) > plain(needed)) needed = m.needed;
    const bool are_filled = most > Bytes() && is_filled_by_cache(m) && is_filled_by_cache(a.memory);
    if (are_filled ? plain(m.needed) <= plain(a.memory.needed) : plain(m.peak) <= most) return;
    most = larger(most, plain(m.peak));
    a.memory_stage = stage;
    a.memory = m;
  }
};

// The memory that the host of a node holds, with this much for each of its ranks.
Bytes host_needed(const Run& run, Bytes of_rank) {
  const std::int64_t used = std::min(run.cluster.devices_per_node, world_size(run.strategy));
  return of_rank * static_cast<double>(used);
}

Bytes host_capacity(const Run& run) {
  const std::int64_t used = std::min(run.cluster.devices_per_node, world_size(run.strategy));
  return host_memory(run.cluster, used);
}

bool host_is_full(const Run& run, Bytes of_rank) {
  const Bytes capacity = host_capacity(run);
  return offloads_to(run.strategy.offload, &OffloadPlace::host_memory) && capacity > Bytes() &&
         host_needed(run, of_rank) > capacity;
}

// Sets the reason: whether device and host have module.
template <Number R>
void judge_memory(const Run& run, const FullestStage<R>& fullest, AnswerOf<R>& a) {
  const auto& [answer, most, host, needed] = fullest;
  a.reason = Reason::fits;
  a.needed = needed;
  a.memory.peak = named(a.memory.peak, {"peak memory"});
  a.capacity = run.cluster.device.memory_capacity;
  a.host_needed = host_needed(run, host);
  a.host_capacity = host_capacity(run);
  if (most > a.capacity) {
    a.reason = Reason::device_memory;
  } else if (host_is_full(run, host)) {
    a.reason = Reason::host_memory;
  }
}

template <Number R>
void fill_memory(const Run& run, WorkspaceOf<R>& w, AnswerOf<R>& a) {
  FullestStage<R> fullest{a};
  for_fullest(run, w, [&](std::int64_t i) { fullest.offer(i, memory_of_stage<R>(run, w, i)); });
  judge_memory<R>(run, fullest, a);
}

void forget_times(Answer& a) {
  a.step_time = a.interval_low = a.interval_high = Seconds();
  a.model_flops = Flops();
  a.peak_rate = FlopsPerSecond();
}

template <Number R>
void fill_interval(const Run& run, AnswerOf<R>& a) {
  a.interval_low = plain(a.step_time) * run.framework.level.interval_low;
  a.interval_high = plain(a.step_time) * run.framework.level.interval_high;
}

template <Number R>
void fill_model_flops(const Run& run, AnswerOf<R>& a) {
  a.model_flops = run.model_flops / static_cast<double>(world_size(run.strategy));
  a.peak_rate = peak_of(run.cluster.device, run.training.precision);
}

template <Number R>
class Finish {
 public:
  Finish(const Run& run, WorkspaceOf<R>& w)
      : run_(run),
        s_(run.strategy),
        w_(w),
        m_(s_.micro_batches / copies_of_model(schedule_of(run).layout())) {}

  // Prices and classes stand in the workspace.
  AnswerOf<R> answer() {
    fill_sends<R>(run_, w_);
    fill_step();
    fill_memory<R>(run_, w_, a_);
    fill_flops();
    return a_;
  }

  std::vector<Seconds> busy_by_stage() const {
    std::vector<Seconds> busy;
    for (std::int64_t i = 0; i < s_.pp; ++i) busy.push_back(plain(busy_time<R>(run_, w_, i, m_)));
    return busy;
  }

 private:
  CommSink<R> sink() { return {a_, w_.messages}; }

  // Exchanges hidden in pairs stay in the lines; their exposed time becomes less.
  void hide_in_pairs() {
    if (!has_pairs(run_)) return;
    const SecondsOf<R> hidden = hidden_by_pairs<R>(run_, w_, a_.busy_stage);
    const SecondsOf<R> before = a_.breakdown[Term::ep_exposed];
    if (plain(hidden) == Seconds() || plain(before) == Seconds()) return;
    a_.breakdown[Term::ep_exposed] = before - hidden;
    const R left = (before - hidden) / before;
    for (std::uint8_t i = 0; i < a_.comm_count; ++i) {
      if (a_.comm[i].dimension == CommDimension::ep) a_.comm[i].exposed = a_.comm[i].exposed * left;
    }
    if (w_.messages == nullptr) return;
    for (MessageClass& m : *w_.messages) {
      if (m.line.dimension == CommDimension::ep) m.line.exposed = m.line.exposed * plain(left);
    }
  }

  // The stage that ends the step, and that whose terms are shown: the busiest, or the former where
  // the busiest computes for longer.
  void find_stages() {
    a_.busy_stage = busiest_stage<R>(run_, w_, m_);
    if (s_.pp == 1) return;
    const LastStage last = last_stage_done<R>(run_, w_, stages_done<R>(run_, w_));
    a_.end_stage = last.stage;
    if (takes_a_period(run_)) return;
    const Seconds busy = plain(busy_time<R>(run_, w_, a_.busy_stage, m_));
    if (busy > last.done) a_.busy_stage = last.stage;
  }

  void fill_step() {
    find_stages();
    for_each_chunk(run_, a_.busy_stage,
                   [this](std::int64_t part) { add_chunk(class_of<R>(w_, part)); });
    hide_in_pairs();
    fill_pipeline();
    fill_end_of_step();
    a_.breakdown[Term::other] =
        lift<R>(run_.framework.host.step_overhead, {"framework.host.step_overhead"});
    if (run_.framework.level.factor != 1) scale_terms();
    if (run_.sites.count > 1) add_sites();
    for (const Term t : kAllOf<Term>) {
      a_.breakdown[t] = named(a_.breakdown[t], {name_of(t).data()});
      a_.step_time += a_.breakdown[t];
    }
    a_.step_time = named(a_.step_time, {"step_time_s"});
    fill_interval<R>(run_, a_);
  }

  // A step's share of what the exchange between sites adds to a round.
  void add_sites() {
    SecondsOf<R> step{};
    for (const SecondsOf<R>& term : a_.breakdown) step += term;
    const R every = count<R>(run_.training.outer.every, {"training.outer.every"});
    a_.breakdown[Term::dp_exposed] += outer_exposed<R>(run_, step) / every;
  }

  // The level of the software stack: the terms still sum to the step, and the exposed times of
  // messages to those of their dimension.
  void scale_terms() {
    const R factor = lift<R>(run_.framework.level.factor, {"framework.level.factor"});
    for (SecondsOf<R>& term : a_.breakdown) term = factor * term;
    for (std::uint8_t i = 0; i < a_.comm_count; ++i) {
      a_.comm[i].time = factor * a_.comm[i].time;
      a_.comm[i].exposed = factor * a_.comm[i].exposed;
    }
    if (w_.messages == nullptr) return;
    for (MessageClass& m : *w_.messages) {
      m.line.time = plain(factor) * m.line.time;
      m.line.exposed = plain(factor) * m.line.exposed;
    }
  }

  void add_chunk(const StageClass<R>& c) {
    const R m = micro_batches_of_step<R>(m_);
    for (const Term t : kAllOf<Term>) {
      a_.breakdown[t] += m * (c.costs.forward[t] + c.costs.backward[t]);
    }
    add_exchange_lines<R>(w_, c, m_, a_);
  }

  // Time that sends add to the step; the bubble is the stage's waiting if sends are free.
  void fill_pipeline() {
    const SecondsOf<R> busy = busy_time<R>(run_, w_, a_.busy_stage, m_);
    if (s_.pp == 1) return;
    const PipelineTime<R> time = pipeline_time<R>(run_, w_, a_.end_stage);
    const SecondsOf<R> all = named(time.all, {"time of all micro batches"});
    const SecondsOf<R> free = named(time.free, {"the same with free sends"});
    a_.breakdown[Term::pp_exposed] =
        add_send_lines<R>(run_, w_, a_.busy_stage, m_, larger(all - free, SecondsOf<R>{}), sink());
    a_.breakdown[Term::pp_bubble] =
        larger(all - busy - a_.breakdown[Term::pp_exposed], SecondsOf<R>{});
  }

  // Blocks of a stage that its classes count there.
  template <class Counted>
  BlockCounts blocks_of_stage(std::int64_t stage, const Counted& counted) const {
    BlockCounts sum{};
    for_each_chunk(run_, stage, [&](std::int64_t part) {
      const BlockCounts& n = counted(class_of<R>(w_, part));
      for (const BlockType i : kAllOf<BlockType>) sum[i] += n[i];
    });
    return sum;
  }

  void fill_end_of_step() {
    const std::int64_t stage = a_.end_stage;
    const StageParameters parameters = parameters_of_stage<R>(run_, w_, stage);
    using Class = StageClass<R>;
    const auto all = [](const Class& c) -> const BlockCounts& { return c.blocks; };
    const auto apart = [](const Class& c) -> const BlockCounts& { return c.again.resharded; };
    add_micro_batch_traffic<R>(run_, w_.prices, blocks_of_stage(a_.busy_stage, all),
                               a_.breakdown[Term::dp_exposed], sink(),
                               blocks_of_stage(a_.busy_stage, apart));
    a_.breakdown[Term::dp_exposed] +=
        data_parallel_time<R>(run_, parameters, windows_of<R>(run_, w_, stage), sink());
    const OptimizerTime<R> optimizer = optimizer_time<R>(run_, parameters);
    a_.breakdown[Term::optimizer] += optimizer.device;
    a_.breakdown[Term::offload_exposed] += optimizer.host;
    add_between_stages(tied_embedding_cost<R>(run_));
    add_between_stages(copies_cost<R>(run_, parameters));
  }

  // A gradient that two stages hold is summed over them.
  void add_between_stages(const CollectiveCost<R>& cost) {
    a_.breakdown[Term::pp_exposed] += cost.time;
    if (cost.algorithm == Algorithm::none) return;
    add_line<R>(sink(),
                entry_of(CommDimension::embedding, Collective::all_reduce, cost, 2, 1, cost.time),
                cost.message);
  }

  void fill_flops() {
    fill_model_flops<R>(run_, a_);
    Flops again{};
    for (const std::uint16_t c : w_.class_of) again += w_.classes[c].costs.recomputed;
    a_.hardware_flops = a_.model_flops + again * (static_cast<double>(s_.micro_batches) /
                                                  static_cast<double>(s_.pp));
  }

  const Run& run_;
  const Strategy& s_;
  WorkspaceOf<R>& w_;
  std::int64_t m_;  // micro batches that pass through a chunk
  AnswerOf<R> a_;
};

}  // namespace

template <Number R>
AnswerOf<R> estimate(const Run& run, WorkspaceOf<R>& workspace) {
  fill_classes<R>(run, workspace);
  return Finish<R>(run, workspace).answer();
}

Answer finish(const Run& run, Workspace& workspace) {
  return Finish<double>(run, workspace).answer();
}

void answer_memory(const Run& run, Workspace& workspace, Answer& answer) {
  forget_times(answer);
  fill_memory<double>(run, workspace, answer);
}

void answer_memory(const Run& run, std::span<const JudgedStage> stages, std::size_t sharding,
                   Answer& answer) {
  forget_times(answer);
  FullestStage<double> fullest{answer};
  for (const JudgedStage& s : stages) {
    fullest.offer(s.stage, memory_of_stage<double>(run, *s.contents, s.states[sharding]));
  }
  judge_memory<double>(run, fullest, answer);
}

namespace {

// The most that a stage needs of its device, and the most that the host holds for a rank.
struct Needs {
  Bytes device{};
  Bytes host{};
};

Needs needs_of(const Run& run, std::span<const JudgedStage> stages,
               std::span<const StageStates<double>> JudgedStage::*states, std::size_t group) {
  Needs most;
  for (const JudgedStage& s : stages) {
    const StageMemory<double> m = memory_of_stage<double>(run, *s.contents, (s.*states)[group]);
    most.device = std::max(most.device, m.needed);
    most.host = std::max(most.host, m.host);
  }
  return most;
}

// True if a line of states may be absent in part at the peak.
bool follows_fullest_moment(const Framework& f) {
  return f.gradients.freed_with_step || f.update.moment_lists > 0 || f.update.fp32_gradients;
}

}  // namespace

// More lines of states need no less memory, sum by sum, unless the lines follow the fullest moment.
// Needed memory is below the peak but for rounding; settle() keeps the peak of a stage that needs
// less than all memory below it too.
MemoryOfAll memory_of_all(const Run& run, std::span<const JudgedStage> stages, std::size_t group) {
  if (follows_fullest_moment(run.framework)) return {};
  const Bytes capacity = run.cluster.device.memory_capacity;
  const Needs low = needs_of(run, stages, &JudgedStage::least, group);
  const Bytes least = low.device * (1 - kBoundRounding);
  if (least > capacity || host_is_full(run, low.host)) return {FitOfAll::none_fits, least};
  const Bytes room = capacity * std::min(run.memory_risk.share, 1 - kBoundRounding);
  if (low.device > room) return {FitOfAll::unknown, least};
  const Needs high = needs_of(run, stages, &JudgedStage::most, group);
  const bool all = high.device <= room && !host_is_full(run, high.host);
  return {all ? FitOfAll::all_fit : FitOfAll::unknown, least};
}

bool no_layout_fits(const Run& run, const Prices<double>& prices, const BlockCounts& blocks) {
  if (follows_fullest_moment(run.framework)) return false;
  StageHoldings mean;
  for (const BlockType i : kAllOf<BlockType>) {
    mean.parameters.dense += blocks[i] * prices.blocks[i].parameters.dense;
    mean.parameters.expert += blocks[i] * prices.blocks[i].parameters.expert;
  }
  mean.parameters.dense /= run.strategy.pp;
  mean.parameters.expert /= run.strategy.pp;
  const StageStates<double> s =
      stage_states<double>(run.strategy, run.framework, run.training.recipe, mean);
  const Bytes states = s.weights + s.secondary + s.gradients + s.optimizer;
  return states * (1 - kBoundRounding) > run.cluster.device.memory_capacity;
}

Seconds least_of_blocks(const Run& run, const Prices<double>& prices, const BlockCounts& blocks) {
  const RecomputedBlocks again = least_recomputed(run.strategy, run.model, blocks);
  Seconds sum{};
  for (const BlockType i : kAllOf<BlockType>) {
    const auto& compute = prices.blocks[i].compute;
    // A pass that the device cannot run takes forever, also if no block has it.
    const auto add = [&](Seconds pass, std::int64_t n) {
      if (n > 0) sum += pass * static_cast<double>(n);
    };
    add(compute[Phase::forward] + compute[Phase::backward], blocks[i]);
    add(compute[Phase::recompute_selective], again.selective[i]);
    add(compute[Phase::recompute_full], again.full[i]);
  }
  return sum *
         (static_cast<double>(run.strategy.micro_batches) / static_cast<double>(run.strategy.pp));
}

Seconds least_pipeline(const Run& run, const Workspace& workspace) {
  return pipeline_bound(run, workspace);
}

Seconds least_step(const Run& run, Seconds end) {
  return run.framework.level.factor * (end + run.framework.host.step_overhead);
}

void answer_least(const Run& run, Workspace& workspace, Seconds pipeline, double share,
                  Answer& answer) {
  answer.step_time = least_step(run, least_end_of_step(run, workspace, pipeline)) * share;
  fill_interval<double>(run, answer);
  fill_model_flops<double>(run, answer);
}

template AnswerOf<double> estimate(const Run&, WorkspaceOf<double>&);
template AnswerOf<Traced> estimate(const Run&, WorkspaceOf<Traced>&);

Answer estimate(const Run& run) {
  Workspace workspace;
  return estimate<double>(run, workspace);
}

Answer estimate_in(Workspace& workspace, const Run& run) {
  return estimate<double>(run, workspace);
}

Answer memory_in(Workspace& workspace, const Run& run) {
  price<double>(run, workspace.scratch, workspace.prices);
  fill_parts<double>(run, workspace);
  Answer answer;
  answer_memory(run, workspace, answer);
  return answer;
}

std::vector<StageMemory<double>> memory_by_stage(const Run& run, Workspace& workspace) {
  std::vector<StageMemory<double>> stages;
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    stages.push_back(memory_of_stage<double>(run, workspace, i));
  }
  return stages;
}

std::vector<StageMemory<double>> memory_by_stage(const Run& run) {
  Workspace w;
  fill_classes<double>(run, w);
  return memory_by_stage(run, w);
}

std::vector<Seconds> busy_by_stage(const Run& run) {
  Workspace w;
  fill_classes<double>(run, w);
  return Finish<double>(run, w).busy_by_stage();
}

}  // namespace orrery
