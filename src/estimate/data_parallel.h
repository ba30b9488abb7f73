// SPDX-License-Identifier: Apache-2.0
//
// The cost of data parallelism at the end of a step: reducing gradients, gathering updated weights.
//
// Gradients are reduce-scattered from the level that they have already reached to the level of the
// optimizer states, and all-reduced from there to all replicas, unless a framework has done so in
// every micro batch; updated weights are gathered back to their own level. Plain DP, ZeRO 1-3, HSDP
// and three levels are special cases (2Ψ, 2Ψ, 2Ψ, 3mΨ: arXiv:1910.02054, section 7). A framework
// that overlaps hides traffic under a share of the last backward, or of the next forward. The
// traffic of sharding in every micro batch is in stage.h. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/number.h"
#include "estimate/forward.h"
#include "parallel/stages.h"
#include "parallel/strategy_choices.h"

namespace orrery {

template <Number R>
struct CommLine;
struct ParametersHeld;
struct StageParameters;
enum class Pass : std::uint8_t;

// The passes under which a stage can hide its traffic: one micro batch through all its chunks.
template <Number R>
struct OverlapWindows {
  SecondsOf<R> forward{};
  SecondsOf<R> backward{};
};

// Adds the lines to the answer and returns the exposed time.
template <Number R>
SecondsOf<R> data_parallel_time(const Run& run, const StageParameters& parameters,
                                const OverlapWindows<R>& windows, const CommSink<R>& sink);

// The time of that traffic, of which nothing is hidden yet.
struct EndTraffic {
  Seconds gradients{};
  Seconds weights{};
};

// A cache of these times by partition and parameters. Their other inputs must stay the same:
// degrees, rank order and compression, model, cluster and framework.
class EndTraffics {
 public:
  const EndTraffic& of(const Run& run, const StageParameters& parameters);
  void clear() { known_.clear(); }

 private:
  struct Known {
    Partition partition;
    std::int64_t dense = 0;
    std::int64_t expert = 0;
    std::int64_t resharded_dense = 0;
    std::int64_t resharded_expert = 0;
    bool whole = false;  // gradients, over the micro batches of a step
    EndTraffic traffic;
  };

  std::vector<Known> known_;
};

// Like data_parallel_time(), without lines.
Seconds exposed(const Run& run, const EndTraffic& traffic, const OverlapWindows<double>& windows);

// Lines for the traffic of sharded weights and gradients of a stage's blocks in every micro batch;
// `exposed` belongs to the whole step; `resharded` of the blocks shard their states otherwise.
template <Number R>
void add_micro_batch_traffic(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                             SecondsOf<R> exposed, const CommSink<R>& sink,
                             const BlockCounts& resharded = {});

// The same lines for one pass of one micro batch, without their exposed time.
std::vector<CommLine<double>> pass_traffic(const Run& run, const Prices<double>& prices,
                                           const BlockCounts& blocks, Pass pass,
                                           const BlockCounts& resharded = {});

}  // namespace orrery
