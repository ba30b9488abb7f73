// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_estimate.h"

#include <algorithm>
#include <span>
#include <vector>

#include "estimate/boundary_sends.h"
#include "estimate/busy_stage.h"
#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/end_of_step.h"
#include "estimate/exchange_lines.h"
#include "estimate/mixed_links.h"
#include "estimate/mixed_memory.h"
#include "estimate/pipeline_time.h"
#include "estimate/run.h"
#include "estimate/stage_contents.h"

namespace orrery {
namespace {

template <Number R>
class MixedFinish {
 public:
  MixedFinish(const MixedRun& run, MixedWorkspaceOf<R>& w) : run_(run), w_(w) {}

  MixedAnswerOf<R> answer() {
    time_replicas();
    find_last();
    fill_step();
    fill_seats();
    fill_flops();
    return std::move(out_);
  }

 private:
  std::size_t kind_at(std::size_t c, std::int64_t stage) const {
    return run_.replicas[c].kind_of_stage[static_cast<std::size_t>(stage)];
  }
  std::int64_t micro_batches(std::size_t c) const { return run_.replicas[c].micro_batches; }

  void time_replicas() {
    for (std::size_t c = 0; c < run_.replicas.size(); ++c) {
      const Run one = run_of_class(run_, c);
      ReplicaTime t;
      t.busy_stage = busiest_stage<R>(one, w_.replicas[c], micro_batches(c));
      t.pipeline = one.strategy.pp > 1
                       ? plain(pipeline_time<R>(one, w_.replicas[c]).all)
                       : plain(busy_time<R>(one, w_.replicas[c], 0, micro_batches(c)));
      out_.replicas.push_back(t);
      const bool at_once = one.strategy.pp == 1 || takes_a_period(one);
      done_.push_back(at_once ? std::span<const Seconds>() : stages_done<R>(one, w_.replicas[c]));
    }
  }

  // When a stage of the class is done with its micro batches.
  Seconds done(std::size_t c, std::int64_t stage) const {
    return done_[c].empty() ? out_.replicas[c].pipeline : done_[c][static_cast<std::size_t>(stage)];
  }

  // The class of replicas whose micro batches leave the stage last; the first of several.
  std::size_t last_class(std::int64_t stage) const {
    std::size_t last = 0;
    for (std::size_t c = 1; c < run_.replicas.size(); ++c) {
      if (done(c, stage) > done(last, stage)) last = c;
    }
    return last;
  }

  // The stage and kind that end the step: a stage's gradients are summed when all classes of
  // replicas are done with it.
  void find_last() {
    Seconds most(-1);
    for (std::int64_t i = 0; i < stages_of(run_); ++i) {
      const std::size_t c = last_class(i);
      for (const std::size_t k : kinds_of_stage(run_, i)) {
        AnswerOf<R> unused;
        const Seconds t =
            done(c, i) + plain(end_on_kind<R>(run_, i, k, w_.kinds[k], {unused}).all());
        if (t > most) {
          most = t;
          out_.slowest = c;
          out_.answer.end_stage = i;
          out_.end_kind = k;
        }
      }
    }
  }

  // The busiest stage of that class, or the one that ends the step where the busiest computes for
  // longer than that one's micro batches take.
  std::int64_t shown_stage(const Run& one) {
    const std::int64_t busiest = out_.replicas[out_.slowest].busy_stage;
    if (one.strategy.pp == 1 || takes_a_period(one)) return busiest;
    const Seconds busy =
        plain(busy_time<R>(one, w_.replicas[out_.slowest], busiest, micro_batches(out_.slowest)));
    const std::int64_t end = out_.answer.end_stage;
    return busy > done(out_.slowest, end) ? end : busiest;
  }

  void fill_step() {
    AnswerOf<R>& a = out_.answer;
    const Run one = run_of_class(run_, out_.slowest);
    a.busy_stage = shown_stage(one);
    out_.busy_kind = kind_at(out_.slowest, a.busy_stage);
    add_chunks(one);
    fill_pipeline(one);
    add_end();
    const Framework& f = one.framework;
    a.breakdown[Term::other] = lift<R>(f.host.step_overhead, {"framework.host.step_overhead"});
    if (f.level.factor != 1) scale_terms(f.level.factor);
    for (const Term t : kAllOf<Term>) {
      a.breakdown[t] = named(a.breakdown[t], {name_of(t).data()});
      a.step_time += a.breakdown[t];
    }
    a.step_time = named(a.step_time, {"step_time_s"});
    fill_interval();
  }

  // The widest interval of the kinds.
  void fill_interval() {
    AnswerOf<R>& a = out_.answer;
    double low = 1;
    double high = 1;
    for (const Run& r : run_.kinds) {
      low = std::min(low, r.framework.level.interval_low);
      high = std::max(high, r.framework.level.interval_high);
    }
    a.interval_low = plain(a.step_time) * low;
    a.interval_high = plain(a.step_time) * high;
  }

  void scale_terms(double level) {
    const R factor = lift<R>(level, {"framework.level.factor"});
    AnswerOf<R>& a = out_.answer;
    for (SecondsOf<R>& term : a.breakdown) term = factor * term;
    for (std::uint8_t i = 0; i < a.comm_count; ++i) {
      a.comm[i].time = factor * a.comm[i].time;
      a.comm[i].exposed = factor * a.comm[i].exposed;
    }
  }

  void add_chunks(const Run& one) {
    AnswerOf<R>& a = out_.answer;
    const std::int64_t n = micro_batches(out_.slowest);
    const R m = micro_batches_of_step<R>(n);
    const RecordedPart of_kind(part_of_kind(out_.busy_kind));
    for_each_chunk(one, a.busy_stage, [&](std::int64_t part) {
      const StageClass<R>& c = class_of<R>(w_.replicas[out_.slowest], part);
      for (const Term t : kAllOf<Term>) {
        a.breakdown[t] += m * (c.costs.forward[t] + c.costs.backward[t]);
      }
      add_exchange_lines<R>(w_.kinds[out_.busy_kind], c, n, a);
    });
  }

  void fill_pipeline(const Run& one) {
    if (one.strategy.pp == 1) return;
    AnswerOf<R>& a = out_.answer;
    WorkspaceOf<R>& w = w_.replicas[out_.slowest];
    const SecondsOf<R> busy = busy_time<R>(one, w, a.busy_stage, micro_batches(out_.slowest));
    const PipelineTime<R> time = pipeline_time<R>(one, w, a.end_stage);
    const SecondsOf<R> all = named(time.all, {"time of all micro batches"});
    const SecondsOf<R> free = named(time.free, {"the same with free sends"});
    a.breakdown[Term::pp_exposed] = larger(all - free, SecondsOf<R>{});
    add_send_line(a.breakdown[Term::pp_exposed]);
    a.breakdown[Term::pp_bubble] =
        larger(all - busy - a.breakdown[Term::pp_exposed], SecondsOf<R>{});
  }

  // The sends of the busiest stage, forward to the next one and back to the one before.
  void add_send_line(SecondsOf<R> exposed) {
    AnswerOf<R>& a = out_.answer;
    const std::size_t c = out_.slowest;
    const std::int64_t m = micro_batches(c) * run_.kinds.front().strategy.vpp;
    SecondsOf<R> left = exposed;
    const auto add = [&](std::int64_t other) {
      if (other < 0 || other >= stages_of(run_)) return;
      const SendCost<R> cost = send_on(c, a.busy_stage, other);
      add_line<R>({a},
                  entry_of(CommDimension::pp, Collective::point_to_point, cost.send, 2, m, left),
                  cost.send.message);
      left = SecondsOf<R>{};
    };
    add(a.busy_stage + 1);
    add(a.busy_stage - 1);
  }

  SendCost<R> send_on(std::size_t c, std::int64_t from, std::int64_t to) const {
    const std::size_t a = kind_at(c, from);
    const std::size_t b = kind_at(c, to);
    if (a != b) return send_between<R>(run_, {a, from}, {b, to});
    const RecordedPart part(part_of_kind(a));
    return send_cost<R>(run_.kinds[a], w_.kinds[a].prices.placement, std::min(from, to));
  }

  void add_end() {
    AnswerOf<R>& a = out_.answer;
    const CommSink<R> sink{a};
    if (run_.in_step) {
      const RecordedPart part(part_of_kind(out_.busy_kind));
      const Run& busy = run_.kinds[out_.busy_kind];
      add_micro_batch_traffic<R>(busy, w_.kinds[out_.busy_kind].prices, busy_blocks(),
                                 a.breakdown[Term::dp_exposed], sink);
    }
    const StageEndTime<R> end =
        end_on_kind<R>(run_, a.end_stage, out_.end_kind, w_.kinds[out_.end_kind], sink);
    a.breakdown[Term::dp_exposed] += end.data_parallel;
    a.breakdown[Term::optimizer] += end.optimizer.device;
    a.breakdown[Term::offload_exposed] += end.optimizer.host;
    const CollectiveCost<R> tied =
        tied_between<R>(run_, kind_at(out_.slowest, 0), kind_at(out_.slowest, stages_of(run_) - 1));
    a.breakdown[Term::pp_exposed] += tied.time;
    if (tied.algorithm == Algorithm::none) return;
    add_line<R>(sink,
                entry_of(CommDimension::embedding, Collective::all_reduce, tied, 2, 1, tied.time),
                tied.message);
  }

  BlockCounts busy_blocks() const {
    BlockCounts sum{};
    for_each_chunk(run_.kinds[out_.busy_kind], out_.answer.busy_stage, [&](std::int64_t part) {
      const BlockCounts& n = class_of<R>(w_.kinds[out_.busy_kind], part).blocks;
      for (const BlockType i : kAllOf<BlockType>) sum[i] += n[i];
    });
    return sum;
  }

  void fill_seats() {
    FullestSeat<R> fullest{out_};
    for (std::int64_t i = 0; i < stages_of(run_); ++i) {
      for (const std::size_t k : kinds_of_stage(run_, i)) fullest.offer(run_, i, k, seat(i, k));
    }
    fullest.judge(run_);
  }

  StageSeatOf<R> seat(std::int64_t stage, std::size_t kind) {
    WorkspaceOf<R>& w = w_.kinds[kind];
    StageSeatOf<R> s;
    s.plain.stage = stage;
    s.plain.kind = kind;
    s.plain.ranks = ranks_of_stage(run_, stage, kind);
    const OverlapWindows<R> passes = windows_of<R>(run_.kinds[kind], w, stage);
    s.plain.forward = plain(passes.forward);
    s.plain.backward = plain(passes.backward);
    for (std::size_t c = 0; c < run_.replicas.size(); ++c) {
      if (kind_at(c, stage) != kind) continue;
      s.plain.busy = std::max(s.plain.busy, (s.plain.forward + s.plain.backward) *
                                                static_cast<double>(micro_batches(c)));
    }
    AnswerOf<R> unused;
    s.plain.end = plain(end_on_kind<R>(run_, stage, kind, w, {unused}).all());
    s.memory = memory_on_kind<R>(run_, stage, kind, w);
    return s;
  }

  // A GPU's mean of FLOPs and of peaks.
  void fill_flops() {
    AnswerOf<R>& a = out_.answer;
    const auto gpus = static_cast<double>(gpus_of(run_));
    a.model_flops = run_.kinds.front().model_flops / gpus;
    Flops again{};
    FlopsPerSecond peaks{};
    for (std::size_t k = 0; k < run_.kinds.size(); ++k) {
      const Run& r = run_.kinds[k];
      peaks += peak_of(r.cluster.device, r.training.precision) * static_cast<double>(run_.gpus[k]);
    }
    for (std::size_t c = 0; c < run_.replicas.size(); ++c) again += recomputed(c);
    a.hardware_flops = a.model_flops + again / gpus;
    a.peak_rate = peaks / gpus;
  }

  Flops recomputed(std::size_t c) const {
    Flops sum{};
    const Run one = run_of_class(run_, c);
    for (std::int64_t i = 0; i < stages_of(run_); ++i) {
      const Strategy& s = run_.kinds[kind_at(c, i)].strategy;
      const auto ranks = static_cast<double>(s.tp * s.cp);
      for_each_chunk(one, i, [&](std::int64_t part) {
        sum += class_of<R>(w_.replicas[c], part).costs.recomputed * ranks;
      });
    }
    return sum * static_cast<double>(micro_batches(c) * run_.replicas[c].count);
  }

  const MixedRun& run_;
  MixedWorkspaceOf<R>& w_;
  MixedAnswerOf<R> out_;
  std::vector<std::span<const Seconds>> done_;  // by class and stage; empty: all stages at once
};

}  // namespace

template <Number R>
StageEndTime<R> end_on_kind(const MixedRun& run, std::int64_t stage, std::size_t kind,
                            const WorkspaceOf<R>& w, const CommSink<R>& sink) {
  const std::vector<std::size_t> kinds = kinds_of_stage(run, stage);
  const RecordedPart part(part_beside(run, kind, kinds));
  const Run beside = run_beside(run, kind, kinds);
  const StageParameters parameters = parameters_of_stage<R>(beside, w, stage);
  StageEndTime<R> t;
  t.data_parallel =
      data_parallel_time<R>(beside, parameters, windows_of<R>(beside, w, stage), sink);
  t.optimizer = optimizer_time<R>(beside, parameters);
  return t;
}

Run run_of_all(const MixedRun& run, std::size_t kind) {
  Run all = run.kinds[kind];
  all.cluster.gpus = gpus_of(run);
  return all;
}

template <Number R>
MixedAnswerOf<R> finish_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w) {
  return MixedFinish<R>(run, w).answer();
}

template <Number R>
MixedAnswerOf<R> estimate_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w) {
  fill_mixed<R>(run, w);
  return finish_mixed<R>(run, w);
}

template StageEndTime<double> end_on_kind(const MixedRun&, std::int64_t, std::size_t,
                                          const WorkspaceOf<double>&, const CommSink<double>&);
template StageEndTime<Traced> end_on_kind(const MixedRun&, std::int64_t, std::size_t,
                                          const WorkspaceOf<Traced>&, const CommSink<Traced>&);
template MixedAnswerOf<double> finish_mixed(const MixedRun&, MixedWorkspaceOf<double>&);
template MixedAnswerOf<double> estimate_mixed(const MixedRun&, MixedWorkspaceOf<double>&);
template MixedAnswerOf<Traced> estimate_mixed(const MixedRun&, MixedWorkspaceOf<Traced>&);

}  // namespace orrery
