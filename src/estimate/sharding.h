// SPDX-License-Identifier: Apache-2.0
//
// What it costs to bring sharded states together and to take them apart again.
#pragma once

#include "estimate/run.h"
#include "network/collective_cost.h"
#include "parallel/partition.h"

namespace orrery {

// One collective that joins or splits `elements` between shards of `inner` and of `outer` ranks.
template <Number R>
CollectiveCost<R> level_cost(const Run& run, ShardedStates which, Collective collective,
                             std::int64_t elements, double bytes, std::int64_t inner,
                             std::int64_t outer) {
  if (elements == 0 || outer <= inner) return {};
  Group group = shard_group(run.strategy, run.cluster, which, inner, outer);
  const R n = count<R>(elements, {"parameters of this rank"}) /
              count<R>(inner, {"ranks the state is sharded over already"});
  const BytesOf<R> buffer(n * lift<R>(bytes, {"bytes an element on the wire"}));
  group.fabric_share = run.framework.fabric_share;
  return collective_cost<R>(run.cluster, group, collective, buffer);
}

// Bytes of a gathered weight on the wire.
inline double gathered_bytes(const Run& run) {
  return run.framework.gather_bytes > 0 ? run.framework.gather_bytes : run.training.recipe.gathered;
}

}  // namespace orrery
