// SPDX-License-Identifier: Apache-2.0
#include "capacity/bandwidth.h"

#include <array>

#include "estimate/estimate.h"

namespace orrery {
namespace {

void scale_tiers(Cluster& c, bool fabric, double factor) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    Tier& t = c.tiers[i];
    if (is_fabric(t.kind) != fabric) continue;
    t.bandwidth = t.bandwidth * factor;
    for (GroupBandwidth& g : t.group_bandwidth) g.bandwidth = g.bandwidth * factor;
  }
}

struct Width {
  std::string_view what;
  void (*scale)(Cluster& c, double factor);
};

constexpr std::array kWidths = {
    Width{"network between nodes ×½, ×2", [](Cluster& c, double f) { scale_tiers(c, true, f); }},
    Width{"links inside a node ×½, ×2", [](Cluster& c, double f) { scale_tiers(c, false, f); }},
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

}  // namespace orrery
