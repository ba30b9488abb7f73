// SPDX-License-Identifier: Apache-2.0
#include "estimate/data_parallel.h"

namespace orrery {
namespace {

CommDimension dimension_of(ShardedStates which) {
  return which == ShardedStates::dense ? CommDimension::dp : CommDimension::edp;
}

// What stays uncovered of `time` beside a pass that takes `window`.
template <Number R>
SecondsOf<R> uncovered(const Framework& f, bool overlaps, SecondsOf<R> time, SecondsOf<R> window) {
  if (!overlaps) return time;
  const SecondsOf<R> rest =
      time - window * lift<R>(f.dp_overlap_share, {"framework.dp_overlap_share"});
  return larger(time * lift<R>(f.dp_exposed_floor, {"framework.dp_exposed_floor"}), rest);
}

template <Number R>
class EndOfStep {
 public:
  EndOfStep(const Run& run, const OverlapWindows<R>& windows, AnswerOf<R>& answer)
      : run_(run), windows_(windows), answer_(answer) {}

  void add(ShardedStates which, std::int64_t parameters) {
    const Partition p = partition_of(run_.strategy, which);
    const std::int64_t n = replicas(run_.strategy, which);
    const StateRecipe& recipe = run_.training.recipe;
    const bool streams = gathers_every_micro_batch(run_.strategy, run_.framework);
    const std::int64_t reduced_to =
        reduces_every_micro_batch(run_.strategy, run_.framework) ? p.gradients : 1;
    const std::int64_t owner = std::max(p.optimizer, reduced_to);
    reduce(which, Collective::reduce_scatter, parameters, recipe.reduced, reduced_to, owner);
    reduce(which, Collective::all_reduce, parameters, recipe.reduced, owner, n);
    gather(which, parameters, streams ? p.weights : 1, owner);
  }

  SecondsOf<R> exposed() const {
    const Framework& f = run_.framework;
    return named(uncovered(f, f.overlap_grad_reduce, gradients_, windows_.backward),
                 {"exposed reduction of gradients"}) +
           named(uncovered(f, f.overlap_param_gather, weights_, windows_.forward),
                 {"exposed gather of weights"});
  }

 private:
  void reduce(ShardedStates which, Collective c, std::int64_t parameters, double bytes,
              std::int64_t inner, std::int64_t outer) {
    if (outer <= inner) return;
    const CollectiveCost<R> cost = level_cost<R>(run_, which, c, parameters, bytes, inner, outer);
    const SecondsOf<R> bare =
        uncovered(run_.framework, run_.framework.overlap_grad_reduce, cost.time, windows_.backward);
    gradients_ += cost.time;
    add_line(answer_, entry_of(dimension_of(which), c, cost, outer / inner, 1, bare));
  }

  void gather(ShardedStates which, std::int64_t parameters, std::int64_t inner,
              std::int64_t outer) {
    if (outer <= inner) return;
    const CollectiveCost<R> cost = level_cost<R>(run_, which, Collective::all_gather, parameters,
                                                 run_.training.recipe.gathered, inner, outer);
    const SecondsOf<R> bare =
        uncovered(run_.framework, run_.framework.overlap_param_gather, cost.time, windows_.forward);
    weights_ += cost.time;
    add_line(answer_,
             entry_of(dimension_of(which), Collective::all_gather, cost, outer / inner, 1, bare));
  }

  const Run& run_;
  const OverlapWindows<R>& windows_;
  AnswerOf<R>& answer_;
  SecondsOf<R> gradients_{};
  SecondsOf<R> weights_{};
};

}  // namespace

template <Number R>
SecondsOf<R> data_parallel_time(const Run& run, const ParametersHeld& parameters,
                                const OverlapWindows<R>& windows, AnswerOf<R>& answer) {
  EndOfStep<R> end(run, windows, answer);
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    if (held(parameters, which) > 0) end.add(which, held(parameters, which));
  }
  return end.exposed();
}

template <Number R>
void add_micro_batch_traffic(const Run& run, const ParametersHeld& parameters, SecondsOf<R> exposed,
                             AnswerOf<R>& answer) {
  const std::int64_t m = run.strategy.micro_batches;
  const std::int64_t gathers = run.framework.keeps_gathered_weights ? m : 2 * m;
  SecondsOf<R> all{};
  std::array<CommEntry<R>, 4> entries{};
  std::size_t n = 0;
  const auto add = [&](ShardedStates which, Collective c, double bytes, std::int64_t degree,
                       std::int64_t times) {
    if (degree <= 1 || held(parameters, which) == 0) return;
    const CollectiveCost<R> cost =
        level_cost<R>(run, which, c, held(parameters, which), bytes, 1, degree);
    entries[n] = entry_of(dimension_of(which), c, cost, degree, times, SecondsOf<R>{});
    all += entries[n++].time;
  };
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const Partition p = partition_of(run.strategy, which);
    if (gathers_every_micro_batch(run.strategy, run.framework)) {
      add(which, Collective::all_gather, gathered_bytes(run), p.weights, gathers);
    }
    if (reduces_every_micro_batch(run.strategy, run.framework)) {
      add(which, Collective::reduce_scatter, run.training.recipe.reduced, p.gradients, m);
    }
  }
  // Gathers and reductions run under the same compute; what shows is shared by their times.
  for (std::size_t i = 0; i < n; ++i) {
    entries[i].exposed = exposed * (entries[i].time / all);
    add_line(answer, entries[i]);
  }
}

template SecondsOf<double> data_parallel_time(const Run&, const ParametersHeld&,
                                              const OverlapWindows<double>&, AnswerOf<double>&);
template SecondsOf<Traced> data_parallel_time(const Run&, const ParametersHeld&,
                                              const OverlapWindows<Traced>&, AnswerOf<Traced>&);
template void add_micro_batch_traffic(const Run&, const ParametersHeld&, SecondsOf<double>,
                                      AnswerOf<double>&);
template void add_micro_batch_traffic(const Run&, const ParametersHeld&, SecondsOf<Traced>,
                                      AnswerOf<Traced>&);

}  // namespace orrery
