// SPDX-License-Identifier: Apache-2.0
//
// The links of the chain, for callers that keep prices and classes from one run to the next
// (explore).
//
// All need the workspace after fill_classes() or fill_costs() (classes.h) for this run; those of
// memory alone only after fill_parts(). The end_traffics of a workspace are kept from run
// to run: clear them when the degrees or anything left of the strategy change. Errors: none.
#pragma once

#include <span>

#include "estimate/kept_states.h"
#include "estimate/workspace.h"

namespace orrery {

// Sums in a bound and in what it bounds are taken in other orders.
inline constexpr double kBoundRounding = 1e-9;

// The last link alone: the answer of estimate().
Answer finish(const Run& run, Workspace& workspace);

// Only the part that tells whether the run fits: reason, memory, capacity, host memory. The rest of
// an answer that nothing else has filled is 0; an answer is large, so callers keep one.
void answer_memory(const Run& run, Workspace& workspace, Answer& answer);

// The same for one of the shardings that `stages` were judged for. The run's strategy needs no
// sharding.
void answer_memory(const Run& run, std::span<const JudgedStage> stages, std::size_t sharding,
                   Answer& answer);

// The verdict that holds for every sharding of a group of those that the stages' states were made
// for, as far as the least and the most of each of their lines tell.
enum class FitOfAll : std::uint8_t { unknown, none_fits, all_fit };
struct MemoryOfAll {
  FitOfAll fit = FitOfAll::unknown;  // `all_fit`: as surely as the run asks (risk.h)
  Bytes least{};                     // no peak is less
};
MemoryOfAll memory_of_all(const Run& run, std::span<const JudgedStage> stages, std::size_t group);

// The micro batches take no less, however these blocks of the model are laid out over stages and
// whatever is sharded or offloaded: a stage computes its share of them at least. Needs prices
// alone.
Seconds least_of_blocks(const Run& run, const Prices<double>& prices, const BlockCounts& blocks);

// True where these blocks of the model fit nowhere, however they are laid out over stages: weights,
// gradients and optimizer states of a mean stage are more than a device's memory. Needs prices
// alone.
bool no_layout_fits(const Run& run, const Prices<double>& prices, const BlockCounts& blocks);

// The micro batches take no less, whatever their order. Needs fill_costs().
Seconds least_pipeline(const Run& run, const Workspace& workspace);

// A step takes no less whose last stage has done all its work at `end`.
Seconds least_step(const Run& run, Seconds end);

// The memory of every stage; answer_memory() has the highest.
std::vector<StageMemory<double>> memory_by_stage(const Run& run, Workspace& workspace);

// After answer_memory(), the part that is known without a sweep: `share` of a lower bound on the
// step (exact up to rounding) with its interval, and the model's FLOPs. `pipeline`:
// least_pipeline().
void answer_least(const Run& run, Workspace& workspace, Seconds pipeline, double share,
                  Answer& answer);

}  // namespace orrery
