// SPDX-License-Identifier: Apache-2.0
//
// A search of a run with training.rl with all that is reported of it: the fastest steps, or with
// prices the cheapest, the best of each placement, and the run's own beside them.
//
// Free are placement, split, engine and its share, and the strategy of the learner
// (explore/rl_space.h); held is what the user sets on top of the run file, what `--keep` names, and
// every other key. Rents are those of the devices of learner and generator. Every reported step is
// resolved and played again as a run file would be; a time that then differs is a fault of Orrery's
// own. Errors: InputError where the run is wrong, `--keep` names no such key, a condition no
// number, a device has no rent, or no layout is legal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capacity/gpu_rents.h"
#include "core/fact.h"
#include "core/json_fwd.h"
#include "explore/rl_search.h"
#include "insight/held_keys.h"
#include "insight/rl_report.h"
#include "insight/rl_search_question.h"

namespace orrery {

struct RlFoundStep {
  KeptJson run;  // the run file with it in
  ResolvedRun learner;
  RlStep step;
  std::vector<Setting> settings;  // that lead from the run to it
};

struct RlSearchReport {
  RlSearchAnswer answer;
  std::optional<PricedGpus> prices;
  bool cheapest = false;
  std::vector<std::string> where;
  std::int64_t choices = 0;   // of placement, split, engine and its share
  std::int64_t rollouts = 0;  // played
  std::vector<RlFoundStep> best;
  std::vector<RlFoundStep> of_kind;  // the best of each placement that `best` does not begin with
  bool beyond_framework = false;     // nothing else fits: degrees that it is not known to run
  bool other_algorithm = false;      // an asynchronous placement is better, and not among `best`
  std::optional<RlFoundStep> own;
  std::string own_refusal;  // why it has none
  std::vector<HeldKey> held;
  std::size_t top = 0;
  std::vector<Setting> less_sure;  // that asks for less sureness, where the run asks for none
};

RlSearchReport report_on_rl_search(const Json& run, const std::string& file,
                                   const ConfigLookup& lookup, const std::vector<Fact>& changes,
                                   const RlSearchQuestion& question);

// The cost of one step; nothing without prices.
std::optional<Money> cost_of(const RlSearchReport& r, const RlFoundStep& f);

}  // namespace orrery
