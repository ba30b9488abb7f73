// SPDX-License-Identifier: Apache-2.0
#include "estimate/updates.h"

#include <algorithm>

#include "estimate/price.h"
#include "estimate/run.h"
#include "estimate/update_time.h"
#include "network/collective_cost.h"
#include "parallel/placement.h"
#include "parallel/shard.h"
#include "parallel/stages.h"

namespace orrery {
namespace {

// A weight that the optimizer treats as a matrix; Adam's are tables and the head.
bool is_treated(const ShardedOperator& op, Optimizer o) {
  if (!op.has_weight || !kOpFacts[op.kind].product) return !kOptimizerStates[o].matrices_only;
  return op.name != OpName::head || !kOptimizerStates[o].matrices_only;
}

// Moments of vectors: Adam's two, or as many as the optimizer has of an element, but at least one.
double moments_of_vectors(const Run& run, std::int64_t parameters) {
  const OptimizerStates& s = kOptimizerStates[run.training.optimizer];
  const double moments = s.matrices_only ? 2 : std::max(1.0, s.of_element);
  return static_cast<double>(parameters) * moments * run.training.recipe.moments / 2;
}

// Bytes of one rank for an operator: its matrices, and Adam's or the optimizer's for the vectors.
// States of an update that multiplies whole matrices are theirs, spread over the ranks that split
// them; other optimizers see the shard alone.
double states_of(const Run& run, const Operator& all, const ShardedOperator& op) {
  const Training& t = run.training;
  const double moment = t.recipe.moments / 2;
  if (!op.has_weight || !is_treated(op, t.optimizer)) return moments_of_vectors(run, op.parameters);
  const std::int64_t count = kOpFacts[op.kind].grouped ? op.groups : 1;
  const bool of_whole = kOptimizerStates[t.optimizer].matrices_only;
  const OperatorSizes whole =
      of_whole ? sizes_of(all, AxisDegrees{}) : static_cast<const OperatorSizes&>(op);
  const double matrix = state_bytes_of_matrix(t.optimizer, static_cast<double>(whole.inner),
                                              static_cast<double>(whole.cols), moment,
                                              static_cast<double>(t.optimizer_rank));
  const double share =
      static_cast<double>(op.inner * op.cols) / static_cast<double>(whole.inner * whole.cols);
  const std::int64_t vectors = op.parameters - count * op.inner * op.cols;
  return static_cast<double>(count) * share * matrix + moments_of_vectors(run, vectors);
}

// The products of a whole matrix, and its gather over the ranks that split it.
UpdateWork products_of(const Run& run, const Placement& placement, const Operator& whole,
                       const ShardedOperator& op) {
  const Optimizer o = run.training.optimizer;
  if (!op.has_weight || !is_treated(op, o) || !kOpFacts[op.kind].product) return {};
  const bool grouped = kOpFacts[op.kind].grouped;
  const OperatorSizes s = sizes_of(whole, AxisDegrees{});
  Seconds one =
      update_products_time(o, s.inner, s.cols, run.training.optimizer_rank, run.cluster.device);
  if (one == Seconds()) return {};  // elementwise: each rank updates its part
  if (s.inner != op.inner || s.cols != op.cols) {
    constexpr double kGathered = 2;
    const Bytes matrix(static_cast<double>(s.inner) * static_cast<double>(s.cols) * kGathered);
    const Group& group = grouped ? placement.etp : placement.tp;
    one += collective_cost<double>(run.cluster, group, Collective::all_gather, matrix).time;
  }
  const std::int64_t count = grouped ? op.groups : 1;
  return {Bytes(), one * static_cast<double>(count), one};
}

}  // namespace

void add_updates(const Run& run, const Placement& placement, const Block& block,
                 const ShardedBlock& sharded, bool tied_copy, ParametersHeld& held) {
  if (!is_by_shape(run.training.optimizer)) return;
  for (std::uint8_t i = 0; i < sharded.count; ++i) {
    const ShardedOperator& op = sharded.operators[i];
    const bool elsewhere = op.tied && !tied_copy;
    if (op.weight != WeightUse::trained || op.parameters == 0 || elsewhere) continue;
    UpdateWork work = products_of(run, placement, block.operators[i], op);
    work.states = Bytes(states_of(run, block.operators[i], op));
    (op.parameter_class == ParameterClass::expert ? held.update_expert : held.update_dense) += work;
  }
}

Bytes matrix_states(const Run& run) {
  if (!is_by_shape(run.training.optimizer)) return {};
  const Prices<double> prices = price<double>(run);
  const BlockCounts blocks = blocks_of(Strategy(), run.model, 0);
  ParametersHeld held;
  for (const BlockType b : kAllOf<BlockType>) {
    if (blocks[b] > 0) held += blocks[b] * prices.blocks[b].parameters;
  }
  const Strategy& s = run.strategy;
  return held.update_dense.states * static_cast<double>(s.tp) +
         held.update_expert.states * static_cast<double>(s.ep * s.etp);
}

}  // namespace orrery
