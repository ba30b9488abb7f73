// SPDX-License-Identifier: Apache-2.0
//
// One value of a limit (insight/limits.h): the run at it, whether it fits as surely as the run
// asks, or why there is none. Errors: none; a run that a rule refuses is one that does not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/config_lookup.h"
#include "insight/limits.h"
#include "insight/remedy.h"

namespace orrery {

struct TriedRun {
  bool fits = false;
  std::optional<LimitPoint> point;
  std::vector<Setting> settings;  // of a layout that was searched, of recompute that was chosen
  std::string why;
};

class LimitTrials {
 public:
  // Refers to both.
  LimitTrials(const std::string& file, const ConfigLookup& lookup) : file_(file), lookup_(lookup) {}

  // With the run's own strategy.
  TriedRun held(const Json& run) const;  // also with cluster.groups, as all below

  // With the best of the common layouts (insight/remedy.h); of groups with the fastest placement
  // (explore/mixed_search.h).
  TriedRun searched(const Json& run, CpRange cp = CpRange::of_long) const;

 private:
  TriedRun plain(const Json& run) const;
  TriedRun of_groups(const Json& run) const;
  std::optional<std::vector<Setting>> layout_that_fits(const Json& run, CpRange cp) const;

  const std::string& file_;
  const ConfigLookup& lookup_;
};

// The run file with settings; "null" takes a key away.
Json with_changes(Json run, const std::vector<Setting>& settings);

}  // namespace orrery
