// SPDX-License-Identifier: Apache-2.0
//
// The ranks of every group of a step against the group that was costed.
#include <doctest/doctest.h>

#include <algorithm>

#include "exchange/chakra/chakra.h"
#include "parallel/partition.h"
#include "parallel/placement.h"
#include "property/for_runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::int64_t ranks_costed(const Run& run, const RankGroup& g) {
  const Placement p = place(run.strategy, tier_sizes(run.cluster));
  switch (g.kind) {
    case GroupKind::tp:
      return p.tp.ranks;
    case GroupKind::cp:
      return p.cp.ranks;
    case GroupKind::ep:
      return p.ep.ranks;
    case GroupKind::etp:
      return p.etp.ranks;
    case GroupKind::dense:
    case GroupKind::expert:
      return g.outer / g.inner;
  }
  return 0;
}

}  // namespace

TEST_CASE("a group has the ranks it was costed with, and each of them names it alike") {
  int experts = 0;
  int parts = 0;
  for_runs(71, 150, [&](const Run& run, Dice& dice) {
    if (run.strategy.zeropp.qgz > 0 || world_size(run.strategy) > 2048) return;
    const Simulation s = simulate(run, {});
    const CommGroups groups(run, s);
    const std::int64_t rank = dice.integer(0, world_size(run.strategy) - 1);
    for (const RankGroup& g : groups.kinds()) {
      const std::vector<std::int64_t> members = groups.members(g, rank);
      CHECK(static_cast<std::int64_t>(members.size()) == ranks_costed(run, g));
      CHECK(std::is_sorted(members.begin(), members.end()));
      CHECK(std::count(members.begin(), members.end(), rank) == 1);
      for (const std::int64_t other : members) {
        CHECK(groups.members(g, other) == members);
        CHECK(groups.name(g, other) == groups.name(g, rank));
        CHECK(place_of_rank(run.strategy, other).stage == place_of_rank(run.strategy, rank).stage);
      }
      experts += g.kind == GroupKind::ep ? 1 : 0;
      parts += g.outer > 1 && g.outer < run.strategy.dp * run.strategy.cp ? 1 : 0;
    }
  });
  CHECK(experts > 3);
  CHECK(parts > 3);
}
