// SPDX-License-Identifier: Apache-2.0
//
// Slow links between nodes: the stages they hold up, and the run priced on them.
//
// A collective keeps the pace of its slowest member, and all replicas of a stage reduce together:
// every message between nodes of a stage takes the factor of the slowest node that holds one of its
// replicas. Leaves out that replicas whose stages are slow in different places are not slow in all
// of them: with several slow links the step is an upper bound. Units: factors, 1 is the price.
// Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/disturb.h"
#include "sim/plan.h"

namespace orrery {

struct Cluster;

// The innermost tier between nodes; the number of tiers if there is none.
std::size_t tier_between_nodes(const Cluster& c);

// By stage.
std::vector<double> slowness_of_links(const Run& run, const std::vector<Slow>& slow);

// The run with links between nodes on which everything takes `factor` times as long.
Run with_slow_links(const Run& run, double factor);

// Takes from `slow`, the plan of the run with links slow by `factor`, the stages that are as slow
// and the messages at whose slower end one of them is.
void take_slow_stages(const StepPlan& slow, double factor, const std::vector<double>& by_stage,
                      StepPlan& plan);

}  // namespace orrery
