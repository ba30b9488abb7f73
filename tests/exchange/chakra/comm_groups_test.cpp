// SPDX-License-Identifier: Apache-2.0
//
// The ranks of every group of a step against the group that was costed.
#include <doctest/doctest.h>

#include <algorithm>

#include "exchange/chakra/chakra.h"
#include "parallel/partition.h"
#include "parallel/placement.h"
#include "property/for_runs.h"
#include "sim/simulate.h"
#include "support/sanitized.h"

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
    case GroupKind::stages:
      return 2;
  }
  return 0;
}

// Two ranks that differ in their stage alone, whichever rank of theirs asks.
void check_stages(const Run& run, const CommGroups& groups, const RankGroup& g, std::int64_t rank) {
  const std::vector<std::int64_t> members = groups.members(g, rank);
  REQUIRE(members.size() == 2);
  CHECK(place_of_rank(run.strategy, members[0]).stage == g.inner);
  CHECK(place_of_rank(run.strategy, members[1]).stage == g.outer);
  for (const std::int64_t other : members) {
    CHECK(groups.members(g, other) == members);
    CHECK(place_of_rank(run.strategy, other).replica == place_of_rank(run.strategy, rank).replica);
  }
}

}  // namespace

TEST_CASE("a group has the ranks it was costed with, and each of them names it alike") {
  int experts = 0;
  int parts = 0;
  for_runs(71, 400, [&](const Run& run, Dice& dice) {
    if (run.strategy.zeropp.qgz > 0 || world_size(run.strategy) > 2048) return;
    const Simulation s = simulate(run, {});
    const CommGroups groups(run, s);
    const std::int64_t rank = dice.integer(0, world_size(run.strategy) - 1);
    for (const RankGroup& g : groups.kinds()) {
      if (g.kind == GroupKind::stages) {
        check_stages(run, groups, g, rank);
        continue;
      }
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
  CHECK(experts >= 8 / kShare);
  CHECK(parts >= 8 / kShare);
}
