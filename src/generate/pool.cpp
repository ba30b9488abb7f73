// SPDX-License-Identifier: Apache-2.0
#include "generate/pool.h"

#include <algorithm>

#include "core/divide.h"
#include "generate/counts.h"
#include "model/listed_operators.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr double kBytesOfActivation = 2;
constexpr double kBytesOfLogit = 2 + 4;

// Input and output of the widest product of any layer, for one token.
double widest_product(const Generator& g) {
  ListOptions options;
  options.sequence = 1;
  const ModelOperators& list = listed_operators(g.model, options);
  static thread_local ShardedBlock sharded;
  std::int64_t most = 0;
  for (const Block& layer : list.layers) {
    if (layer.count == 0) continue;
    shard(layer, degrees_of(g.layout), sharded);
    for (std::uint8_t i = 0; i < sharded.count; ++i) {
      const ShardedOperator& op = sharded.operators[i];
      if (kOpFacts[op.kind].product) most = std::max(most, op.rows * (op.cols + op.inner));
    }
  }
  return as_number(most);
}

Bytes work_of(const Generator& g, std::int64_t running) {
  const double token = widest_product(g) + 2 * as_number(g.model.hidden);
  const double logits = as_number(running * g.model.vocab / g.layout.tp) * kBytesOfLogit;
  return Bytes(as_number(g.engine.limits.batched_tokens) * token * kBytesOfActivation + logits);
}

// Sequences whose states fit beside tokens, of one replica; one at least.
std::int64_t running_with_states(Bytes cache, Bytes state, Bytes token, const SequenceSpan& span) {
  const double whole = cache / (state + token * span.mean);
  const double beside_longest = (cache - token * span.longest) / state;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(whole, beside_longest)));
}

}  // namespace

EnginePool pool_of(const Generator& g, double share, std::int64_t running,
                   const SequenceSpan& span) {
  EnginePool p;
  const EngineMemory& m = g.engine.memory;
  p.weights = weights_of_gpu(g);
  p.work = work_of(g, running);
  p.other = m.other;
  p.graphs = g.graphs ? m.graphs : Bytes();
  const Bytes shared = g.cluster.device.memory_capacity * share;
  const Bytes work = p.work + p.other;
  p.cache = shared - p.weights - (m.share_holds_work ? work : Bytes());
  p.all = shared + p.graphs + (m.share_holds_work ? Bytes() : work);
  const Bytes state = state_of_sequence(g);
  const Bytes token = cache_of_token(g);
  p.running = running;
  if (state > Bytes() && p.cache > Bytes()) {
    const std::int64_t most = running_with_states(p.cache, state, token, span) * g.layout.dp;
    p.running = std::min(running, most);
  }
  const Bytes states = state * as_number(divided_up(p.running, g.layout.dp));
  const double left = (p.cache - states).si();
  p.tokens = left > 0 && token > Bytes() ? left / token.si() * as_number(g.layout.dp) : 0;
  if (left > 0 && token == Bytes()) p.tokens = 1e15;  // a recurrence alone keeps no tokens
  return p;
}

}  // namespace orrery
