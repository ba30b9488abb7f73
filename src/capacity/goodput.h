// SPDX-License-Identifier: Apache-2.0
//
// How much of its time a run trains: checkpoints, failures, recovery, planned stops, slow ranks.
//
// Failures are a Poisson process of mean time M = 1/λ. A segment is τ of training and a stall C; it
// is safe W after its stall (checkpoint.h). A failure costs a detection time D, in which nothing
// else fails, and a restart R, which may fail itself. With s = τ + C, the exact mean of the time a
// τ of training takes is
//     E(τ) = (e^{λs} − 1)·e^{λW}·(1/λ + D + E_R),   E_R = (e^{λR} − 1)·(1/λ + D)
// (a Markov chain of segments with and without a checkpoint under way; W = 0, D = 0 is Daly's
// model, "A higher order estimate of the optimum checkpoint interval", FGCS 22 (2006), eq. 13).
// It falls apart exactly into training, stalls, lost work, detection and restart. It needs W ≤ s:
// a checkpoint is not begun before the last one is safe.
// Waiting for spares: nodes leave at a rate and come back after a repair; with S spares training
// waits while S + 1 are away, which is Erlang's loss formula (exact for a Poisson process and any
// distribution of repairs).
// Leaves out: failures while waiting or in planned stops, and that failures cluster.
#pragma once

#include <cstdint>

#include "capacity/checkpoint.h"
#include "capacity/failures.h"
#include "orrery/quantity.h"

namespace orrery {

// One job, as the closed form and the simulation see it.
struct Recovery {
  PerSecond failures{};  // λ, of the whole job
  Seconds detection{};
  Seconds restart{};          // with reading the checkpoint
  Seconds stall{};            // C
  Seconds durable{};          // W
  PerSecond node_failures{};  // of `failures`, those that take a node
  Seconds repair{};
  std::int64_t spares = 0;
  PlannedStops planned;
};

// √(2CM) (Young, CACM 17 (1974)), and Daly's higher order of it; M where C ≥ 2M.
Seconds young_interval(Seconds stall, PerSecond failures);
Seconds daly_interval(Seconds stall, PerSecond failures);

// The τ of the least E(τ)/τ, at least `shortest` and what W asks for. Infinite without failures.
Seconds optimal_interval(const Recovery& r, Seconds shortest);

// Wall-clock time by cause, for each second of training. They add up to `total`.
struct Goodput {
  Seconds interval{};
  double training = 1;
  double checkpoint = 0;
  double lost_work = 0;
  double detection = 0;
  double restart = 0;
  double spares = 0;
  double planned = 0;
  double failures = 0;  // for each second of training, those in restarts included
  double total = 1;

  double ratio() const { return training / total; }  // effective training time
};

Goodput goodput(const Recovery& r, Seconds interval);

// The probability that all of `servers` are busy under `load` (Erlang B).
double erlang_b(std::int64_t servers, double load);

// The share of time in which training waits for a node.
double waiting_share(const Recovery& r);

// The fewest spares with which less than `share` of the time is waited; at most `most`.
std::int64_t spares_for(Recovery r, double share, std::int64_t most);

}  // namespace orrery
