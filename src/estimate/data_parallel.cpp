// SPDX-License-Identifier: Apache-2.0
#include "estimate/data_parallel.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "core/divide.h"
#include "estimate/block_parameters.h"
#include "estimate/comm_lines.h"
#include "estimate/run.h"
#include "estimate/sharding.h"
#include "estimate/stage.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

// The exposed part of `time` beside a pass that takes `window`.
template <Number R>
SecondsOf<R> uncovered(const Framework& f, bool overlaps, SecondsOf<R> time, SecondsOf<R> window) {
  if (!overlaps) return time;
  const SecondsOf<R> rest =
      time - window * lift<R>(f.overlap.dp_share, {"framework.overlap.dp_share"});
  return larger(time * lift<R>(f.overlap.dp_floor, {"framework.overlap.dp_floor"}), rest);
}

// Lines that run under the same pass: what shows of them together is shared out by their times.
template <Number R>
class SharedLines {
 public:
  explicit SharedLines(MessageLog* log) : log_(log) {}

  void add(const CommLine<R>& e, BytesOf<R> message) {
    if (e.algorithm == Algorithm::none) return;
    time_ += e.time;
    if (log_ != nullptr) parts_.push_back({e, message});
    for (std::size_t i = 0; i < count_; ++i) {
      CommLine<R>& mine = entries_[i];
      if (!is_same_line(mine, e)) continue;
      add_up(mine, e);
      return;
    }
    entries_[count_++] = e;
  }

  // Each line takes its share of `more` besides.
  void prolong(SecondsOf<R> more) {
    if (plain(more) == Seconds()) return;
    for (std::size_t i = 0; i < count_; ++i) {
      entries_[i].time += more * (entries_[i].time / time_);
    }
    for (Part& p : parts_) p.line.time += more * (p.line.time / time_);
    time_ += more;
  }

  SecondsOf<R> time() const { return time_; }

  void write(SecondsOf<R> exposed, AnswerOf<R>& answer) {
    for (std::size_t i = 0; i < count_; ++i) {
      entries_[i].exposed = exposed * (entries_[i].time / time_);
      add_line(answer, entries_[i]);
    }
    for (Part& p : parts_) {
      p.line.exposed = exposed * (p.line.time / time_);
      note_line(log_, p.line, p.message);
    }
  }

 private:
  struct Part {
    CommLine<R> line;
    BytesOf<R> message{};
  };

  // Gathers of two copies, two hops of a reduction and an all-reduce, dense and of experts, each
  // sharded in two ways.
  std::array<CommLine<R>, 20> entries_{};
  std::size_t count_ = 0;
  SecondsOf<R> time_{};
  MessageLog* log_;
  std::vector<Part> parts_;  // empty without a log
};

// The time of such lines alone.
class LineTimes {
 public:
  explicit LineTimes(MessageLog* /*log*/) {}

  void add(const CommLine<double>& e, Bytes /*message*/) {
    if (e.algorithm != Algorithm::none) time_ += e.time;
  }
  void prolong(Seconds more) { time_ += more; }
  Seconds time() const { return time_; }

 private:
  Seconds time_{};
};

template <class Lines, Number R>
void add_moves(Lines& lines, ShardedStates which, const LevelMoves<R>& moves, std::int64_t times) {
  for (std::size_t i = 0; i < moves.count; ++i) {
    const LevelMove<R>& m = moves.at[i];
    lines.add(entry_of(dimension_of(which), m.collective, m.cost, m.ranks, times, SecondsOf<R>{}),
              m.cost.message);
  }
}

// Traffic of sharded weights and gradients in a pass of a micro batch.
template <Number R>
void add_pass(SharedLines<R>& lines, const Run& run, BlockType block, ShardedStates which,
              const ParametersHeld& held_by, Pass pass, std::int64_t times) {
  const Partition p = partition_of(run.strategy, which);
  const std::int64_t n = held(held_by, which);
  const FixedWeights& still = fixed(held_by, which);
  const bool gathers = gathers_every_micro_batch(run.strategy, run.framework);
  if (pass == Pass::forward) {
    if (!gathers) return;
    add_moves(lines, which, gather_weights<R>(run, which, n, still.gathered, p.weights), times);
    return;
  }
  if (gathers && gathers_again(run.framework, block)) {
    add_moves(lines, which, gather_weights_again<R>(run, which, n, still.gathered_again, p.weights),
              times);
  }
  if (reduces_every_micro_batch(run.strategy, run.framework)) {
    add_moves(lines, which, reduce_gradients<R>(run, which, n, 1, p.gradients), times);
  }
  if (sums_replicas_every_micro_batch(run.strategy, run.framework)) {
    add_moves(lines, which, sum_over_replicas<R>(run, which, n, p.gradients), times);
  }
}

template <Number R>
void add_passes(SharedLines<R>& lines, const Run& run, const Prices<R>& prices,
                const BlockCounts& blocks, std::initializer_list<Pass> passes,
                std::int64_t micro_batches) {
  for (const BlockType i : kAllOf<BlockType>) {
    if (blocks[i] == 0) continue;
    for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
      const ParametersHeld& parameters = block_parameters(run, prices, i);
      for (const Pass pass : passes) {
        add_pass(lines, run, i, which, parameters, pass, blocks[i] * micro_batches);
      }
    }
  }
}

template <Number R>
void add_all_passes(SharedLines<R>& lines, const Run& run, const Prices<R>& prices,
                    const BlockCounts& blocks, const BlockCounts& apart,
                    std::initializer_list<Pass> passes, std::int64_t micro_batches) {
  add_passes(lines, run, prices, without(blocks, apart), passes, micro_batches);
  if (is_any(apart)) add_passes(lines, resharded(run), prices, apart, passes, micro_batches);
}

// The traffic of both kinds of states of a stage, sharded as the run has it and as its ranges do.
template <Number R, class Lines>
class EndOfStep {
 public:
  EndOfStep(const Run& run, const StageParameters& parameters, MessageLog* log)
      : gradients_(log), weights_(log) {
    add_states(run, parameters);
    if (holds_any(parameters.resharded)) add_states(resharded(run), parameters.resharded);
    refresh(run);
  }

  Lines& gradients() { return gradients_; }
  Lines& weights() { return weights_; }

 private:
  void add_states(const Run& run, const ParametersHeld& parameters) {
    for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
      if (held(parameters, which) > 0) add(run, which, held(parameters, which));
    }
  }

  void add(const Run& run, ShardedStates which, std::int64_t parameters) {
    const Partition p = partition_of(run.strategy, which);
    const StateRecipe& recipe = run.training.recipe;
    const bool streams = gathers_every_micro_batch(run.strategy, run.framework);
    const std::int64_t reduced_to =
        reduces_every_micro_batch(run.strategy, run.framework) ? p.gradients : 1;
    const std::int64_t owner = std::max(p.optimizer, reduced_to);
    if (!streams && owner > 1) ranks_ = std::max(ranks_, owner);
    const std::int64_t buckets = buckets_of(run, parameters);
    const std::int64_t bucket = divided_up(parameters, buckets);
    add_moves(gradients_, which, reduce_gradients<R>(run, which, bucket, reduced_to, owner),
              buckets);
    if (!sums_replicas_every_micro_batch(run.strategy, run.framework)) {
      add_moves(gradients_, which, sum_over_replicas<R>(run, which, bucket, owner), buckets);
    }
    // Whole weights are refreshed at the size they are kept in.
    const double updated =
        p.weights == 1 ? std::max(gathered_bytes(run), recipe.weights) : gathered_bytes(run);
    add_gather(run, which, parameters, updated, streams ? p.weights : 1, owner);
  }

  void refresh(const Run& run) {
    const std::int64_t layers = divided_up(run.model.layers, run.strategy.pp);
    weights_.prolong(
        count<R>(ranks_, {"ranks that own updated weights"}) *
        count<R>(layers, {"layers of a stage"}) *
        lift<R>(run.framework.update.refresh_per_rank, {"framework.update.refresh_per_rank"}));
  }

  void add_gather(const Run& run, ShardedStates which, std::int64_t parameters, double bytes,
                  std::int64_t inner, std::int64_t outer) {
    constexpr Collective c = Collective::all_gather;
    if (outer <= inner) return;
    const CollectiveCost<R> cost =
        level_cost<R>(run, which, c, parameters, bytes, inner, outer, codec_of(run, which, c));
    weights_.add(entry_of(dimension_of(which), c, cost, outer / inner, 1, SecondsOf<R>{}),
                 cost.message);
  }

  // Gradients are reduced in buckets, each a collective of its own. A bucket is filled with
  // gradients as they are computed.
  static std::int64_t buckets_of(const Run& run, std::int64_t parameters) {
    const FrameworkBuffers& b = run.framework.buffers;
    if (b.bucket_elements > 0) return std::max<std::int64_t>(1, parameters / b.bucket_elements);
    const double bucket = b.bucket.si();
    if (!(bucket > 0)) return 1;
    const double bytes = static_cast<double>(parameters) * run.training.recipe.gathered;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / bucket));
  }

  Lines gradients_;
  Lines weights_;
  std::int64_t ranks_ = 0;  // whose updated weights are gathered
};

template <Number R>
SecondsOf<R> exposed_gradients(const Framework& f, SecondsOf<R> time,
                               const OverlapWindows<R>& windows) {
  return named(uncovered(f, f.overlap.grad_reduce, time, windows.backward),
               {"exposed reduction of gradients"});
}

template <Number R>
SecondsOf<R> exposed_weights(const Framework& f, SecondsOf<R> time,
                             const OverlapWindows<R>& windows) {
  return named(uncovered(f, f.overlap.param_gather, time, windows.forward),
               {"exposed gather of weights"});
}

// Distinct stages times ways to shard, of one unit of a search.
constexpr std::size_t kMostKnown = 64;

}  // namespace

template <Number R>
SecondsOf<R> data_parallel_time(const Run& run, const StageParameters& parameters,
                                const OverlapWindows<R>& windows, const CommSink<R>& sink) {
  EndOfStep<R, SharedLines<R>> end(run, parameters, sink.log);
  const Framework& f = run.framework;
  const SecondsOf<R> gradients = exposed_gradients<R>(f, end.gradients().time(), windows);
  const SecondsOf<R> weights = exposed_weights<R>(f, end.weights().time(), windows);
  end.gradients().write(gradients, sink.answer);
  end.weights().write(weights, sink.answer);
  return gradients + weights;
}

const EndTraffic& EndTraffics::of(const Run& run, const StageParameters& parameters) {
  const Partition& partition = run.strategy.partition;
  const std::int64_t dense = held(parameters, ShardedStates::dense);
  const std::int64_t expert = held(parameters, ShardedStates::expert);
  const ParametersHeld& apart = parameters.resharded;
  const bool whole = keeps_gradients_whole(run.strategy, run.framework);
  const auto known = std::find_if(known_.rbegin(), known_.rend(), [&](const Known& k) {
    return k.dense == dense && k.expert == expert && k.partition == partition && k.whole == whole &&
           k.resharded_dense == apart.dense && k.resharded_expert == apart.expert;
  });
  if (known != known_.rend()) return known->traffic;
  if (known_.size() == kMostKnown) known_.clear();
  EndOfStep<double, LineTimes> end(run, parameters, nullptr);
  known_.push_back({partition,
                    dense,
                    expert,
                    apart.dense,
                    apart.expert,
                    whole,
                    {end.gradients().time(), end.weights().time()}});
  return known_.back().traffic;
}

Seconds exposed(const Run& run, const EndTraffic& traffic, const OverlapWindows<double>& windows) {
  return exposed_gradients<double>(run.framework, traffic.gradients, windows) +
         exposed_weights<double>(run.framework, traffic.weights, windows);
}

template <Number R>
void add_micro_batch_traffic(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                             SecondsOf<R> exposed, const CommSink<R>& sink,
                             const BlockCounts& resharded) {
  SharedLines<R> lines(sink.log);
  // Each of two copies of the model sees half of the micro batches.
  const std::int64_t through_each =
      run.strategy.micro_batches / copies_of_model(schedule_of(run).layout());
  add_all_passes(lines, run, prices, blocks, resharded, {Pass::forward, Pass::backward},
                 through_each);
  lines.write(exposed, sink.answer);
}

std::vector<CommLine<double>> pass_traffic(const Run& run, const Prices<double>& prices,
                                           const BlockCounts& blocks, Pass pass,
                                           const BlockCounts& resharded) {
  SharedLines<double> lines(nullptr);
  add_all_passes(lines, run, prices, blocks, resharded, {pass}, 1);
  Answer answer;
  lines.write(Seconds(), answer);
  return {answer.comm.begin(), answer.comm.begin() + answer.comm_count};
}

template SecondsOf<double> data_parallel_time(const Run&, const StageParameters&,
                                              const OverlapWindows<double>&,
                                              const CommSink<double>&);
template SecondsOf<Traced> data_parallel_time(const Run&, const StageParameters&,
                                              const OverlapWindows<Traced>&,
                                              const CommSink<Traced>&);
template void add_micro_batch_traffic(const Run&, const Prices<double>&, const BlockCounts&,
                                      SecondsOf<double>, const CommSink<double>&,
                                      const BlockCounts&);
template void add_micro_batch_traffic(const Run&, const Prices<Traced>&, const BlockCounts&,
                                      SecondsOf<Traced>, const CommSink<Traced>&,
                                      const BlockCounts&);

}  // namespace orrery
