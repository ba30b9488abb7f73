// SPDX-License-Identifier: Apache-2.0
//
// The options --power and --energy of a search: the limit of a site, the cap of each device that
// keeps it, and what the recommended step draws under it and under others (insight/step_power.h).
//
// The cap goes over the run as a flag would. Nothing is capped where the cluster keeps the limit at
// its rating. Errors: InputError: no cap keeps it, an axis over the cluster, no limit beside the
// energy.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/given_run.h"

namespace orrery {

struct PowerQuestion;

class PowerLimit {
 public:
  void read(Request& request, const std::string& key);  // "power" or "energy"

  bool is_given() const { return power_.has_value() || energy_.has_value(); }

  // The run under the cap. One with groups or of reinforcement learning stays as it is: their
  // searches refuse the option.
  GivenRun capped(const GivenRun& run, const CommandContext& context);

  // Null before capped(), or where it left the run as it is.
  const PowerQuestion* asked() const { return asked_.get(); }

 private:
  PowerQuestion question(const CommandContext& context, const std::string& beside) const;

  std::optional<Override> power_;
  std::optional<Override> energy_;
  std::shared_ptr<const PowerQuestion> asked_;
};

}  // namespace orrery
