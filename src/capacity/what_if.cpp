// SPDX-License-Identifier: Apache-2.0
#include "capacity/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "capacity/piece_run.h"
#include "estimate/estimate.h"
#include "estimate/run.h"
#include "hardware/cluster_links.h"
#include "hardware/power.h"

namespace orrery {
namespace {

struct Width {
  std::string_view what;
  void (*scale)(Cluster& c, double factor);
};

constexpr std::array kWidths = {
    Width{"network between nodes ×½, ×2",
          [](Cluster& c, double f) { scale_links(c, Links::of_network, f); }},
    Width{"links inside a node ×½, ×2",
          [](Cluster& c, double f) { scale_links(c, Links::of_chassis, f); }},
    Width{"memory bandwidth of a GPU ×½, ×2",
          [](Cluster& c, double f) { c.device.memory_bandwidth = c.device.memory_bandwidth * f; }},
    Width{"link to the host ×½, ×2",
          [](Cluster& c, double f) {
            c.device.host_link.bandwidth = c.device.host_link.bandwidth * f;
          }},
};

Outcome with(const Width& w, double factor, const OutcomeInputs& in,
             const std::vector<PieceRun>& pieces) {
  OutcomeInputs moved = in;
  w.scale(moved.cluster, factor);
  moved.training.value = Seconds();
  for (const PieceRun& p : pieces) {
    Run run = p.run;
    w.scale(run.cluster, factor);
    moved.training.value += estimate(run).step_time * static_cast<double>(p.steps);
  }
  return outcome_of(moved);
}

// A run of so many replicas, their ranks placed as in the whole run.
Run with_replicas(const Run& run, std::int64_t replicas) {
  Run one = run;
  Strategy& s = one.strategy;
  s.dp = s.dp / whole_replicas(run.strategy) * replicas;
  const std::int64_t ranks = s.dp * s.cp;
  for (std::int64_t* degree : {&s.partition.gradients, &s.partition.optimizer}) {
    *degree = std::gcd(*degree, ranks);
  }
  one.training.global_batch = s.dp * s.micro_batch * s.micro_batches;
  one.cluster.gpus = world_size(s);
  return one;
}

Run alone(const Run& run) { return with_replicas(run, 1); }

Seconds exposed_by_data_parallelism(const Answer& a) { return a.breakdown[Term::dp_exposed]; }

bool can_go_on_alone(const Run& run) {
  return whole_replicas(run.strategy) > 1 && !run.cluster.device_of_rank;
}

void note_memory(const Answer& of_one, PeriodicSyncs& syncs) {
  syncs.peak = std::max(syncs.peak, of_one.memory.peak);
  syncs.fits = syncs.fits && of_one.reason == Reason::fits;
}

void note_replicas(const Strategy& s, PeriodicSyncs& syncs) {
  const std::int64_t replicas = whole_replicas(s);
  if (replicas < syncs.replicas) return;
  const std::int64_t sharded = std::max(s.partition.gradients, s.partition.optimizer);
  syncs.ranks = s.dp;
  syncs.replicas = replicas;
  syncs.states_go_beyond = sharded > s.dp / replicas * s.cp;
}

}  // namespace

std::vector<Sensitivity> bandwidth_what_ifs(const OutcomeInputs& in,
                                            const std::vector<PieceRun>& pieces) {
  const Outcome middle = outcome_of(in);
  std::vector<Sensitivity> all;
  for (const Width& w : kWidths) {
    const Sensitivity s =
        compared(w.what, true, middle, with(w, 0.5, in, pieces), with(w, 2, in, pieces));
    if (moves_anything(s)) all.push_back(s);
  }
  return all;
}

namespace {

PowerCapped capped_at(Watts cap, const OutcomeInputs& in, const std::vector<PieceRun>& pieces) {
  OutcomeInputs moved = in;
  moved.cluster.power_cap = cap;
  moved.training.value = Seconds();
  std::vector<TimedLoad> parts;
  for (const PieceRun& p : pieces) {
    Run run = p.run;
    run.cluster.power_cap = cap;
    const Answer a = estimate(run);
    parts.push_back({a.step_time * static_cast<double>(p.steps), step_load(a)});
    moved.training.value += parts.back().time;
  }
  moved.load = mean_load(parts);
  return {cap, outcome_of(moved)};
}

}  // namespace

std::vector<Watts> power_caps(const Cluster& c, std::optional<Watts> kept) {
  std::vector<Watts> caps;
  if (!is_known(c.device.clock)) return caps;
  for (const double share : kPowerCaps) {
    caps.emplace_back(std::round(c.device.power.si() * share));
  }
  if (kept) caps.push_back(*kept);
  std::sort(caps.begin(), caps.end(), std::greater<>());
  caps.erase(std::unique(caps.begin(), caps.end()), caps.end());
  std::erase_if(caps,
                [&](Watts cap) { return cap < least_power_cap(c.device) || cap == cap_of(c); });
  return caps;
}

std::vector<PowerCapped> under_power_caps(const OutcomeInputs& in,
                                          const std::vector<PieceRun>& pieces,
                                          std::optional<Watts> limit) {
  const auto systems = static_cast<double>(system_count(in.cluster) + in.spares);
  std::optional<Watts> kept;
  if (limit) kept = cap_within(in.cluster, systems, *limit / pue_of(in.energy));
  std::vector<PowerCapped> all;
  for (const Watts cap : power_caps(in.cluster, kept)) all.push_back(capped_at(cap, in, pieces));
  return all;
}

std::int64_t least_job(const Run& run) {
  const std::int64_t all = whole_replicas(run.strategy);
  if (run.cluster.device_of_rank) return run.cluster.gpus;
  for (std::int64_t replicas = 1; replicas < all; ++replicas) {
    if (all % replicas != 0) continue;
    const Run job = with_replicas(run, replicas);
    if (estimate(job).reason == Reason::fits) return job.cluster.gpus;
  }
  return run.cluster.gpus;
}

std::int64_t whole_replicas(const Strategy& s) {
  for (std::int64_t dp = 1; dp < s.dp; ++dp) {
    if (s.dp % dp == 0 && dp * s.cp % s.partition.weights == 0 &&
        s.tp * s.cp * dp % (s.ep * s.etp) == 0) {
      return s.dp / dp;
    }
  }
  return 1;
}

PeriodicSyncs periodic_syncs(const OutcomeInputs& in, const TrainingTime& t,
                             const std::vector<PieceRun>& pieces) {
  PeriodicSyncs syncs;
  Seconds exposed;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Run& run = pieces[i].run;
    note_replicas(run.strategy, syncs);
    if (!can_go_on_alone(run)) continue;
    const Answer of_one = estimate(alone(run));
    const Seconds inside = exposed_by_data_parallelism(of_one);
    const Seconds now = exposed_by_data_parallelism(t.pieces[i].answer);
    exposed += std::max(Seconds(), now - inside) * static_cast<double>(pieces[i].steps);
    note_memory(of_one, syncs);
  }
  if (exposed.si() <= 0 || !syncs.fits) return syncs;
  for (const std::int64_t every : kSyncEvery) {
    OutcomeInputs moved = in;
    moved.training.value -= exposed * (1 - 1 / static_cast<double>(every));
    syncs.at.push_back({every, outcome_of(moved).wall});
  }
  return syncs;
}

std::optional<Seconds> time_with_late_gradients(const OutcomeInputs& in, const TrainingTime& t,
                                                const std::vector<PieceRun>& pieces) {
  OutcomeInputs moved = in;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Answer& a = t.pieces[i].answer;
    Seconds exchange;
    Seconds exposed;
    for (std::uint8_t l = 0; l < a.comm_count; ++l) {
      const CommLine<double>& line = a.comm[l];
      const bool of_gradients =
          (line.dimension == CommDimension::dp || line.dimension == CommDimension::edp) &&
          line.collective != Collective::all_gather;
      if (!of_gradients) continue;
      exchange += line.time;
      exposed += line.exposed;
    }
    const Seconds step = std::max(a.step_time - exposed, std::min(exchange, a.step_time));
    moved.training.value -= (a.step_time - step) * static_cast<double>(pieces[i].steps);
  }
  if (!(moved.training.value < in.training.value)) return {};
  return outcome_of(moved).wall;
}

}  // namespace orrery
