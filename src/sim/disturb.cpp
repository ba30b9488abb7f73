// SPDX-License-Identifier: Apache-2.0
#include "sim/disturb.h"

#include <algorithm>
#include <map>

#include "core/divide.h"
#include "core/random.h"
#include "estimate/run.h"
#include "estimate/workspace.h"
#include "parallel/partition.h"
#include "parallel/rank_digits.h"

namespace orrery {
namespace {

// Data-parallel ranks that exchange data in every micro batch.
std::int64_t replicas_in_step(const Run& run) {
  const Strategy& s = run.strategy;
  const auto over = [&s](std::int64_t ranks, std::int64_t inside) {
    return std::min(s.dp, divided_up(ranks, inside));
  };
  std::int64_t n = over(s.ep * s.etp, s.tp * s.cp);
  for (const Strategy& as : {s, resharded(s)}) {
    if (gathers_every_micro_batch(as, run.framework)) {
      n = std::max(n, over(as.partition.weights, s.cp));
    }
    if (sums_replicas_every_micro_batch(as, run.framework)) n = s.dp;
  }
  while (s.dp % n != 0) ++n;
  return n;
}

}  // namespace

RankPlace place_of_rank(const Strategy& s, std::int64_t rank) {
  RankPlace p;
  const DimSizes sizes = dense_sizes(s);
  for (const Dim d : s.order) {
    const std::int64_t n = sizes[d];
    if (d == Dim::pp) p.stage = rank % n;
    if (d == Dim::dp) p.replica = rank % n;
    rank /= n;
  }
  return p;
}

std::int64_t rank_in_stage(const Strategy& s, std::int64_t rank, std::int64_t stage) {
  const Digits stages = digits_of(s.order, dense_sizes(s), bit(Dim::pp));
  const std::int64_t stride = stages.count > 0 ? stages.at[0].stride : 0;
  return rank + (stage - place_of_rank(s, rank).stage) * stride;
}

double slowness_of_rank(const Run& run, const Disturbances& d, std::int64_t rank) {
  double factor = 1;
  for (const Slow& s : d.slow) {
    const std::int64_t mine = s.part == SlowPart::gpu ? rank : node_of(run.cluster, rank);
    if (s.part != SlowPart::link && s.which == mine) factor *= s.factor;
  }
  if (d.spread > 0) {
    factor *= 1 + d.spread * uniform_number(d.seed, static_cast<std::uint64_t>(rank), ~0ULL);
  }
  return factor;
}

std::int64_t independent_replicas(const Run& run) {
  return run.strategy.dp / replicas_in_step(run);
}

SimulatedReplicas simulated_replicas(const Run& run, const StepPlan& plan, const Disturbances& d,
                                     bool every_gpu) {
  const Strategy& s = run.strategy;
  const std::int64_t in_step = replicas_in_step(run);
  const auto stages = plan.stages.size();
  using Factors = std::vector<double>;  // by stage
  std::vector<Factors> replicas(static_cast<std::size_t>(independent_replicas(run)),
                                Factors(stages, 1));
  for (std::int64_t rank = 0; rank < world_size(s); ++rank) {
    const RankPlace at = place_of_rank(s, rank);
    double& f = replicas[static_cast<std::size_t>(at.replica / in_step)]
                        [static_cast<std::size_t>(at.stage)];
    f = std::max(f, slowness_of_rank(run, d, rank));
  }
  SimulatedReplicas simulated;
  simulated.ranks_of_actor = s.tp * s.cp * in_step;
  simulated.speeds.jitter = d.jitter;
  simulated.speeds.seed = d.seed;
  simulated.speeds.ranks_of_actor = simulated.ranks_of_actor;
  std::map<Factors, std::int64_t> classes;
  std::int64_t count = 0;
  for (const Factors& f : replicas) {
    const bool own = every_gpu || d.jitter > 0;
    const auto known = own ? classes.end() : classes.find(f);
    if (known != classes.end()) {
      simulated.replica_class.push_back(known->second);
      continue;
    }
    if (!own) classes[f] = count;
    simulated.replica_class.push_back(count++);
    simulated.speeds.compute.insert(simulated.speeds.compute.end(), f.begin(), f.end());
  }
  simulated.speeds.replicas = count;
  return simulated;
}

StepPlan with_expert_load(const Run& run, const StepPlan& plan, double load) {
  load = std::min(load, most_expert_load(run.model, run.strategy.ep));
  if (load <= 1) return plan;
  // Measured with one more expert a token: costs are linear in the tokens of an expert, apart from
  // the rounding of kernels to whole waves.
  Run more = run;
  more.model.moe.top_k += 1;
  Workspace w;
  const StepPlan one_more = plan_step(more, w);
  const double share = (load - 1) * static_cast<double>(run.model.moe.top_k);
  StepPlan out = plan;
  for (std::size_t c = 0; c < out.passes.size(); ++c) {
    PassPlan& p = out.passes[c];
    const PassPlan& q = one_more.passes[c];
    p.forward += std::max(Seconds(), q.forward - p.forward) * share;
    p.backward += std::max(Seconds(), q.backward - p.backward) * share;
    for (const Term t : kAllOf<Term>) {
      p.forward_terms[t] += std::max(Seconds(), q.forward_terms[t] - p.forward_terms[t]) * share;
      p.backward_terms[t] += std::max(Seconds(), q.backward_terms[t] - p.backward_terms[t]) * share;
    }
  }
  return out;
}

}  // namespace orrery
