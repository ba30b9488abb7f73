// SPDX-License-Identifier: Apache-2.0
//
// The strategy of one run that an engineer would take first.
//
// Strategies within the band of the fastest are as good as a prediction can tell: the error of a
// run is mostly common to all of its strategies, and the band is what is left between two of them.
// Among them comes first what fits most surely (estimate/risk.h: "fits" before "likely" before
// "tight"), then what uses the fewest switches that few people run, then what loses least to the
// others where the hardware is worse than stated: the regret is the largest loss to the best of
// them over scenarios (worse_hardware() of sensitivity.h).
//
// A switch is rare if less than a tenth of the published runs that could use it do, in the mean
// over their sources; a test counts them (validation/runs). A dimension in use counts nothing:
// among published layouts predicted within 3 % of each other, those with tensor parallelism or a
// pipeline took 3 and 2 % less than predicted in the mean of their sources. Leaves out what nobody
// can read off a run: habits of a team, bugs of a release. Errors: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimate/answer.h"
#include "estimate/run.h"
#include "explore/space.h"

namespace orrery {

// The band: step times up to this factor of the fastest one.
inline constexpr double kRecommendationBand = 1.03;

struct RareSwitch {
  const char* name;
  bool (*can)(const Run&);  // whether the run could use it
  bool (*uses)(const Run&);
};

inline constexpr double kRareShare = 0.1;  // of published runs that could

std::span<const RareSwitch> all_rare_switches();

// The names of those in use: "more than twelve chunks a stage", "offload".
std::vector<std::string> rare_switches(const Run& run);
int rare_count(const Run& run);

// The largest loss of each run to the best of all of them, over the scenarios.
std::vector<double> regrets(const std::vector<Run>& runs);

// A strategy within the band.
struct Proposal {
  Place place;
  Run run;
  double objective = 0;
  int fit_rank = 0;
  int rare = 0;  // rare_count()
};

// The most sensible of the strategies that are offered; the order of offers does not matter.
class Shortlist {
 public:
  void offer(const Proposal& p);

  // Needs at least one offer.
  const Proposal& recommended() const;

 private:
  std::vector<Proposal> first_;  // in order
};

}  // namespace orrery
