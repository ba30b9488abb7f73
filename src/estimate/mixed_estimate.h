// SPDX-License-Identifier: Apache-2.0
//
// The closed form of a run on several kinds of node (mixed_run.h).
//
//   step = max over classes of replicas of P(c) + max over stages of E(i)
//
// P(c) is the sweep of the schedule of one replica, each part of the model at the speed of the kind
// that its stage sits on (pipeline.h); E(i) is the end of a step of stage i on the slowest of its
// kinds: gradients are summed at the slowest pair, then weights are updated and gathered. Where all
// ranks exchange in every micro batch (ZeRO 2 and 3) each pass takes as long as on the slowest
// kind. `breakdown` is that of the busiest stage of the slowest class. Memory is given for each
// stage on each of its kinds; the fullest is the one that takes most of its device. Leaves out: see
// mixed_run.h and mixed_links.h; the scaling of gradients by b_i/B, which costs nothing beside the
// loss. Units: SI. Errors: none.
#pragma once

#include <vector>

#include "estimate/mixed_answer.h"
#include "estimate/mixed_run.h"
#include "estimate/offload.h"
#include "estimate/workspace.h"

namespace orrery {

// Priced kinds, and the pipelines joined from them.
template <Number R>
struct MixedWorkspaceOf {
  std::vector<WorkspaceOf<R>> kinds;
  std::vector<WorkspaceOf<R>> replicas;  // by class
};
using MixedWorkspace = MixedWorkspaceOf<double>;

// Prices every kind and joins the pipeline of each class of replicas.
template <Number R>
void fill_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w);

// The run of one replica of a class, for schedule and shape.
Run run_of_class(const MixedRun& run, std::size_t c);

// All micro batches of a replica of this class, of which it has `micro_batches`.
Seconds pipeline_of_class(const MixedRun& run, std::size_t c, std::int64_t micro_batches,
                          MixedWorkspace& w);

template <Number R>
StageMemory<R> memory_on_kind(const MixedRun& run, std::int64_t stage, std::size_t kind,
                              WorkspaceOf<R>& w);

template <Number R>
MixedAnswerOf<R> estimate_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w);

// The same, of a workspace that fill_mixed() has filled.
template <Number R>
MixedAnswerOf<R> finish_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w);

// All GPUs as one plain run, for what only counts batch, precision and GPUs of an answer.
Run run_of_all(const MixedRun& run, std::size_t kind);

// The end of a step of one stage on one of its kinds, and what it sends then.
template <Number R>
struct StageEndTime {
  SecondsOf<R> data_parallel{};
  OptimizerTime<R> optimizer;
  SecondsOf<R> all() const { return data_parallel + optimizer.device + optimizer.host; }
};
template <Number R>
StageEndTime<R> end_on_kind(const MixedRun& run, std::int64_t stage, std::size_t kind,
                            const WorkspaceOf<R>& w, const CommSink<R>& sink);

}  // namespace orrery
