// SPDX-License-Identifier: Apache-2.0
//
// Slow links between nodes: the stages they hold up, and the run priced on them.
//
// A collective keeps the pace of its slowest member, and all replicas of a stage reduce together:
// every message between nodes of a stage goes over the worst links of any node that holds one of
// its replicas. With a factor it takes that many times as long. Where cards have failed, its group
// has as many whole cards as are left for each, or shares one (hardware/tier.h): eight groups of
// one rank a node on seven cards take twice as long, one group of eight ranks 8/7. Leaves out that
// replicas whose stages are slow in different places are not slow in all of them: with several slow
// links the step is an upper bound. Units: factors, 1 is the price. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sim/disturb.h"
#include "sim/plan.h"

namespace orrery {

struct Cluster;

// The innermost tier between nodes; the number of tiers if there is none.
std::size_t tier_between_nodes(const Cluster& c);

// The links of a node to others.
struct LinkState {
  double factor = 1;
  std::int64_t cards_failed = 0;

  bool operator==(const LinkState&) const = default;
  bool operator<(const LinkState& other) const {
    return std::tie(factor, cards_failed) < std::tie(other.factor, other.cards_failed);
  }
};

// Both at once, for messages between two.
LinkState worse(const LinkState& a, const LinkState& b);

// By stage.
std::vector<LinkState> slowness_of_links(const Run& run, const std::vector<Slow>& slow);

// The run with such links between all nodes.
Run with_slow_links(const Run& run, const LinkState& links);

// Takes from `slow`, the plan of the run with such links, the stages that have them and the
// messages between two stages that have them together.
void take_slow_stages(const StepPlan& slow, const LinkState& links,
                      const std::vector<LinkState>& by_stage, StepPlan& plan);

}  // namespace orrery
