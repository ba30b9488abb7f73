// SPDX-License-Identifier: Apache-2.0
//
// What data parallelism costs at the end of a step: gradients reduced, updated weights gathered.
//
// Between the level gradients are already reduced to and the level optimizer states are sharded on,
// gradients are reduce-scattered; between that and all replicas, all-reduced; from it back to the
// level weights are kept on, weights are gathered. Plain DP, ZeRO 1-3, HSDP and three levels fall
// out (2Ψ, 2Ψ, 2Ψ, 3mΨ: arXiv:1910.02054, section 7). A framework that overlaps hides a share of
// the last backward, or the next forward. What sharding moves every micro batch is stage.h's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/number.h"
#include "estimate/forward.h"
#include "parallel/stages.h"

namespace orrery {

template <Number R>
struct CommLine;
struct ParametersHeld;
enum class Pass : std::uint8_t;

// Windows under which a stage can hide its traffic: one micro batch through all its chunks.
template <Number R>
struct OverlapWindows {
  SecondsOf<R> forward{};
  SecondsOf<R> backward{};
};

// Adds the lines to the answer and returns the time exposed.
template <Number R>
SecondsOf<R> data_parallel_time(const Run& run, const ParametersHeld& parameters,
                                const OverlapWindows<R>& windows, const CommSink<R>& sink);

// Lines of what sharded weights and gradients of a stage's blocks move every micro batch; `exposed`
// is of the whole step.
template <Number R>
void add_micro_batch_traffic(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                             SecondsOf<R> exposed, const CommSink<R>& sink);

// The same lines of one pass of one micro batch; what of them is exposed is left open.
std::vector<CommLine<double>> pass_traffic(const Run& run, const Prices<double>& prices,
                                           const BlockCounts& blocks, Pass pass);

}  // namespace orrery
