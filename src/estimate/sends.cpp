// SPDX-License-Identifier: Apache-2.0
#include "estimate/sends.h"

#include "estimate/run.h"
#include "model/operators.h"
#include "network/coded_cost.h"
#include "parallel/partition.h"
#include "parallel/placement.h"

namespace orrery {

Bytes boundary_bytes(const Run& run) {
  const Strategy& s = run.strategy;
  const double tokens = static_cast<double>(s.micro_batch * run.training.sequence) /
                        static_cast<double>(s.cp * (s.sequence_parallel ? s.tp : 1));
  return Bytes(tokens * static_cast<double>(run.model.hidden) *
               element_bytes(storage_precision(run.training.precision)));
}

template <Number R>
SendCost<R> send_cost(const Run& run, const Placement& placement, std::int64_t from) {
  const Strategy& s = run.strategy;
  SendCost<R> c;
  if (s.pp == 1) return c;
  const TierSizes tiers = tier_sizes(run.cluster);
  const auto codec = [&](Collective kind) { return run.compression.of(CommDimension::pp, kind); };
  const bool scatter = run.framework.pipeline.scatter_gather && !s.sequence_parallel && s.tp > 1;
  const auto whole = lift<R>(boundary_bytes(run), {"activation at a stage boundary"});
  const BytesOf<R> sent = scatter ? whole / count<R>(s.tp, {"parallel.tp"}) : whole;
  c.send = coded_cost<R>(run.cluster, pipeline_pair(s, tiers, from), Collective::point_to_point,
                         sent, codec(Collective::point_to_point));
  c.time = c.send.time;
  if (scatter) {
    c.gather_ranks = s.tp;
    c.gather = coded_cost<R>(run.cluster, placement.tp, Collective::all_gather, whole,
                             codec(Collective::all_gather));
    c.time += c.gather.time;
  }
  return c;
}

bool shares_embedding(const Run& run) {
  const auto& adapter = run.training.adapter;
  const bool trained = !adapter || trains(*adapter, TrainedPart::embedding) ||
                       (run.model.tie_word_embeddings && trains(*adapter, TrainedPart::head));
  return trained && ends_apart(run) && (run.model.tie_word_embeddings || run.model.mtp_layers > 0);
}

template <Number R>
CollectiveCost<R> tied_embedding_cost(const Run& run) {
  const Strategy& s = run.strategy;
  if (!shares_embedding(run)) return {};
  const std::int64_t rows = padded_vocabulary(run.model, list_options(run).vocabulary_multiple);
  const BytesOf<R> table(count<R>(rows, {"rows of the embedding"}) *
                         count<R>(run.model.hidden, {"model.hidden_size"}) /
                         count<R>(s.tp, {"parallel.tp"}) *
                         lift<R>(run.training.recipe.reduced, {"bytes of a gradient"}));
  return coded_cost<R>(run.cluster, pipeline_pair(s, tier_sizes(run.cluster), s.pp - 1),
                       Collective::all_reduce, table,
                       run.compression.of(CommDimension::embedding, Collective::all_reduce));
}

template <Number R>
CollectiveCost<R> copies_cost(const Run& run, const ParametersHeld& parameters) {
  const Strategy& s = run.strategy;
  if (s.pp == 1 || copies_of_model(schedule_of(run).layout()) == 1) return {};
  double left = 0;
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    left += static_cast<double>(held(parameters, which)) /
            static_cast<double>(partition_of(s, which).optimizer);
  }
  const BytesOf<R> bytes(lift<R>(left, {"parameters of which this rank sums the gradients"}) *
                         lift<R>(run.training.recipe.reduced, {"bytes of a gradient"}));
  return collective_cost<R>(run.cluster, pipeline_pair(s, tier_sizes(run.cluster), s.pp - 1),
                            Collective::all_reduce, bytes);
}

template SendCost<double> send_cost(const Run&, const Placement&, std::int64_t);
template SendCost<Traced> send_cost(const Run&, const Placement&, std::int64_t);
template CollectiveCost<double> tied_embedding_cost(const Run&);
template CollectiveCost<Traced> tied_embedding_cost(const Run&);
template CollectiveCost<double> copies_cost(const Run&, const ParametersHeld&);
template CollectiveCost<Traced> copies_cost(const Run&, const ParametersHeld&);

}  // namespace orrery
