// SPDX-License-Identifier: Apache-2.0
//
// The share of its time in which a run makes progress, with checkpoints, failures by class,
// recovery, planned stops and slow ranks: in closed form, and simulated.
//
// Failures of a class come at a constant rate a GPU and second (a Poisson process); a job on n GPUs
// has n times that rate. Rates are counted by the wall clock, as those who publish them do: a
// window of 54 days holds its detections and planned stops. With M between two failures by the wall
// clock, ρ seconds of planned stops for each other second and a detection time D, in which nothing
// else fails, a job that runs fails at (ρ of slow nodes counts too)
//     λ = 1/(M/(1 + ρ) − D),
// so that a run's failures times M are its wall clock, less the time it waits for spares.
//
// Closed form: a segment is τ of training and a stall C; it is safe W after its stall
// (checkpoint.h). A failure costs D and a restart R, which may fail itself. With s = τ + C, the
// exact mean time for a τ of training is
//     E(τ) = (e^{λs} − 1)·e^{λW}·(1/λ + D + E_R),   E_R = (e^{λR} − 1)·(1/λ + D)
// (a Markov chain of segments with and without a checkpoint in flight; W = 0, D = 0 is Daly's
// model, "A higher order estimate of the optimum checkpoint interval", FGCS 22 (2006), eq. 13).
// It is the exact sum of training, stalls, lost work, detection and restart. It needs W ≤ s: a
// checkpoint begins only after the last one is safe.
// Covered failures: a policy (recovery_policy.h) may recover from a share c of the failures without
// the storage, from copies of the state in memory, each τ_m of training with a stall C_m, or from
// other replicas, where nothing but the step in flight is lost (τ_m = 0). Then, with λ_c = cλ,
// λ_s = (1 − c)λ and s_m = τ_m + C_m, a second of training runs
//     u_m = (e^{λ_c·s_m} − 1)/(λ_c·τ_m)
// seconds, and with the storage's segments s = τ·u_m + C
//     u = (e^{λ_s·s} − 1)·e^{λ_s·W}/(λ_s·τ),
// each of which costs λ(D + E_R) more, where both kinds of restart R_c and R may fail themselves:
//     E_R = A/(1 − A)·(1/λ + D),   A = c(1 − e^{−λR_c}) + (1 − c)(1 − e^{−λR}).
// A segment's end in running seconds is taken as its mean: exact as λ_s·s gets small. A replica
// that restarts beside the others for T leaves (d − 1)/d of the rate: a time without it longer by
// 1/(1 − λ_c'·T/d), with λ_c' by the wall clock.
// Waiting for spares: capacity/spare_nodes.h.
// A slow node undoes no work: until it is found a step takes (1 + s) times as long, then its place
// is taken by another from a checkpoint that is written before. It costs what a planned stop of
// D·s/(1 + s) + R costs.
//
// The simulation of the same job gives the spread around the mean. Each failure costs one draw, for
// any number of checkpoints in between, so a year of 16,384 GPUs takes microseconds. Repairs take a
// fixed time; planned stops and slow nodes are spread evenly. The same seed gives the same numbers
// on every machine.
//
// Leaves out: infant mortality, failures while waiting or in planned stops, and the deviation of
// small jobs from the rate 1/n (RSC-1: 7.9 h at 1,024 GPUs where 1/n says 28.8). Units: SI. Errors:
// none. Sources of rates: configs/failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/checkpoint.h"
#include "capacity/ranged.h"
#include "capacity/spare_nodes.h"
#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

// How a fault shows: as an error, as a step that never ends, not at all, as longer steps.
enum class FaultSign : std::uint8_t { error, hang, silent, slow };
constexpr EnumNames<FaultSign> names_of(FaultSign) { return {"error", "hang", "silent", "slow"}; }

struct FailureClass {
  std::string name;
  PerSecond rate{};        // of one GPU, by the wall clock
  std::int64_t nodes = 0;  // leave at once until they are repaired; in a rack, trays
  FaultSign sign = FaultSign::error;
  std::optional<Seconds> repair;  // else that of all
  double slowdown = 0;            // of a slow node: steps take (1 + slowdown) times as long
};

// True for a class that stops the job and undoes work.
bool is_failure(const FailureClass& c);

struct PlannedStops {
  PerSecond rate{};    // of the whole job, independent of its size
  Seconds duration{};  // of one stop; no work is lost, because a checkpoint is written before
};

// Above this a slowdown is surely meant as a factor: 1.3 for 0.3.
inline constexpr double kMostSlowdown = 1;

struct Stragglers {
  double slowdown = 0;  // while there is a slow rank, a step takes (1 + slowdown) times as long
  double share = 1;     // of the time in which there is one
};

struct Interruptions {
  std::vector<FailureClass> classes;
  double rate_low = 1;  // the range of the rates, as factors
  double rate_high = 1;
  std::int64_t watched = 0;  // GPUs in the window of the counts; 0: no window
  Ranged<Seconds> detection;
  Ranged<Seconds> restart;  // until training runs again, without reading the checkpoint
  Seconds repair{};         // of a removed node; 0: there is always a spare
  PlannedStops planned;
  Stragglers stragglers;
};

PerSecond rate_per_gpu(const Interruptions& i);  // of failures
PerSecond slow_rate_per_gpu(const Interruptions& i);
// The factor by which the range of the rates is wider, on each side, where the job is larger than
// what was watched: (n/n₀)^0.3. One failure each 18 minutes on 98,304 GPUs (arXiv:2602.00277) is
// 1.7 times what Llama 3's rate on 16,384 gives (arXiv:2407.21783, 419 in 54 days), 6^0.3.
double beyond_window(const Interruptions& i, std::int64_t gpus);

// The nodes that a job of so many GPUs loses, by class.
std::vector<NodeLoss> node_losses(const Interruptions& i, double gpus);

// Failures after which training goes on without the storage.
struct CoveredFailures {
  double share = 0;    // of all failures
  Seconds restart{};   // until all, or all other replicas, train again
  Seconds interval{};  // τ_m, of training between two copies; 0: nothing is lost
  Seconds stall{};     // C_m
  Seconds away{};      // T, of one replica while the others train
  double replicas = 1;
};

// One job, input of the closed form and of the simulation.
struct Recovery {
  PerSecond failures{};  // 1/M, of the whole job by the wall clock
  Seconds detection{};
  Seconds restart{};  // including the read of the checkpoint
  Seconds stall{};    // C
  Seconds durable{};  // W
  std::vector<NodeLoss> losses;
  std::int64_t spares = 0;
  PlannedStops planned;
  // Slow nodes: the share of the other time that they cost, which is added to it.
  double slow = 0;
  CoveredFailures covered;
};

// λ: the rate while the job runs. Beyond all bounds where M is no longer than what a failure and
// the planned stops take.
PerSecond rate_while_running(const Recovery& r);

// √(2C/λ) (Young, CACM 17 (1974)), and Daly's higher order estimate; 1/λ if C ≥ 2/λ.
Seconds young_interval(Seconds stall, PerSecond failures);
Seconds daly_interval(Seconds stall, PerSecond failures);

// The τ that minimises E(τ)/τ, at least `shortest` and long enough for W. Infinite without
// failures.
Seconds optimal_interval(const Recovery& r, Seconds shortest);

// Wall-clock time by cause for each second of training; the parts add up to `total`.
struct Goodput {
  Seconds interval{};
  double training = 1;
  double checkpoint = 0;
  double lost_work = 0;
  double detection = 0;
  double restart = 0;
  double spares = 0;
  double planned = 0;
  double slow = 0;      // slow nodes, until others take their place
  double away = 0;      // the others train on without a replica
  double failures = 0;  // a second of training, failures of restarts included
  double total = 1;

  double ratio() const { return training / total; }  // effective training time
};

Goodput goodput(const Recovery& r, Seconds interval);

// Limit of useful runs: a thousand days for one day of training. A run beyond it never ends.
inline constexpr double kMostStretch = 1e3;
inline bool never_ends(const Goodput& g) { return !(g.total < kMostStretch); }

// The cause of the most of the time that is not training.
enum class Loss : std::uint8_t { checkpoints, failures, spares, planned };
Loss worst_loss(const Goodput& g);

struct Spread {
  double mean = 0;
  double p10 = 0;
  double p90 = 0;
};

struct SimulatedGoodput {
  Ranged<Seconds> wall;  // mean, 10th and 90th percentile over the runs
  Spread failures;
  std::int64_t runs = 0;
  std::uint64_t seed = 0;
};

// A part of a job: `training` is its time without any loss.
struct Leg {
  Recovery recovery;
  Seconds interval{};
  Seconds training{};
};

// The legs one after another.
SimulatedGoodput simulate_goodput(const std::vector<Leg>& legs, std::int64_t runs,
                                  std::uint64_t seed);

}  // namespace orrery
