// SPDX-License-Identifier: Apache-2.0
//
// Simulates one training step of a run: its times, the work of every stage, the critical path, and
// named differences from the closed form.
//
// Runs events if flows may contend or ranks differ, else walks the graph: both give the same
// times. Leaves out: the order of kernels inside a pass, routes inside a tier. Units: SI. Errors:
// none for a legal run of at most kMostPasses passes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/run.h"
#include "sim/critical.h"
#include "sim/disturb.h"
#include "sim/fail.h"
#include "sim/gpu_use.h"
#include "sim/memory_curve.h"
#include "sim/overlaps.h"
#include "sim/play.h"
#include "sim/prefetch.h"
#include "sim/streams.h"

namespace orrery {

// Limit on the passes of one replica, for memory and time.
inline constexpr std::int64_t kMostPasses = 50'000'000;

struct SimulationOptions {
  Effects effects;
  OverlapMask without = 0;  // overlaps turned off
  Disturbances disturbances;
  Save save;                   // a checkpoint; its slowdown is the device's
  std::int64_t prefetch = -1;  // layers fetched ahead; below 0: combined by a norm, as in estimate
  std::vector<Failure> failures;  // the run can go on, by survivors()
  bool every_gpu = false;         // simulate every replica, also equal ones
};

// Causes of a difference between the simulated step and the closed form.
enum class Cause : std::uint8_t {
  stages_end_apart,  // a stage gathers its weights while it waits for the first micro batch
  slowdown,
  contention,
  blocking_sends,
  expert_load,
  slow_parts,
  spread,
  jitter,
  failed_parts,
  checkpoint,
  fetch_order,
  overlap_off,  // entry i of kOverlapTable: overlap_off + i
};
inline constexpr EnumArray<Cause, std::string_view> kCauseNames = {
    "stages end apart", "compute beside collectives",
    "contention",       "blocking sends",
    "uneven experts",   "slow parts",
    "random speeds",    "jitter",
    "failed parts",     "checkpoint",
    "order of fetches", "without "};
inline constexpr EnumArray<Cause, std::string_view> kCauseMeanings = {
    "the closed form adds the gather of a stage's weights to its end, and gives both directions of "
    "DualPipe the slower of two boundaries; here a stage gathers while it waits for its first "
    "micro batch and each boundary has its own time",
    "kernels run slower while a reduction, a gather or a copy to the host runs beside them",
    "sends and reductions share a unit's link",
    "a stage waits until its result has arrived",
    "the rank whose experts get most tokens keeps the others waiting",
    "GPUs, nodes and links said to be slow keep the others waiting",
    "all wait for the slowest GPU of those that keep step, and for the slowest replica",
    "every pass waits for the slowest GPU of those that keep step",
    "the replicas of failed GPUs and nodes are left out and the others take over their batch; "
    "failed "
    "links leave their traffic to a node's others",
    "states are copied to the hosts: training stands still, or kernels are slower beside the copy "
    "and the update waits for it",
    "sharded weights are fetched layer by layer over one link, where the closed form joins each "
    "layer's traffic and compute by a norm",
    ""};

constexpr Cause cause_of_overlap(std::size_t entry) {
  return static_cast<Cause>(static_cast<std::size_t>(Cause::overlap_off) + entry);
}
std::string name_of(Cause cause);
std::string meaning_of(Cause cause);

struct Difference {
  Cause cause = Cause::stages_end_apart;
  Seconds time{};  // added to the step
};

struct Simulation {
  Run run;  // as simulated
  StepPlan plan;
  PassGraph graph;
  PlayedStep played;
  std::vector<PassUse> passes;           // by cell
  std::vector<PassExchanges> exchanges;  // by cell
  std::vector<CellFetches> fetches;      // by cell; empty without --prefetch
  std::vector<StageUse> stages;
  // The messages of each stage (stage_lines.h).
  std::vector<std::vector<CommLine<double>>> lines;
  std::vector<MemoryCurve> memory;  // by stage
  std::vector<ChainItem> chain;
  std::vector<Gain> gains;
  GpuUse gpus;
  std::vector<Difference> differences;  // closed.step_time + all of them = the step
  Answer closed;                        // of estimate
  Answer answer;                        // the same with simulated times
};

// Empty if the layers of a run fetch weights in every pass; else the reason why they do not.
std::string why_no_prefetch(const Run& run);

std::int64_t passes_of(const Run& run);

Simulation simulate(const Run& run, const SimulationOptions& options);

}  // namespace orrery
