// SPDX-License-Identifier: Apache-2.0
//
// The levels of a site: how much longer each part of a step takes on the user's own machine and
// software than the documents say, learned from steps measured there (validate/site_fit.h).
//
//   {"name": "hall-2", "device": "h100-sxm5-80gb", "steps": 5, "models": 3,
//    "levels": {"products": {"factor": 1.06, "spread": 0.03, "prior": 0.08}, …},
//    "covariance": [[…], …], "step_noise": 0.05, "model_noise": 0.12,
//    "memory": {"factor": 1.2, "spread": 0.1, "prior": 0.4}, "measured": ["…"], "source": "…"}
//
// `factor` is measured over predicted time of that part; `spread` and `prior` are standard
// deviations of its logarithm, after the measurements and before. `covariance` is that of the
// logarithms, in the order of SiteLevel; its diagonal is the squares of the spreads. `model_noise`
// is what no level explains and one model shares, `step_noise` the rest. `memory` is the factor on
// what a device holds beside tensors. Leaves out: levels that differ between nodes of a site.
// Errors: InputError with file and path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "estimate/accuracy.h"
#include "estimate/forward.h"
#include "estimate/open_keys.h"
#include "hardware/lookup.h"

namespace orrery {

struct Run;

// software: every term of the step. host: what the processor needs to launch.
enum class SiteLevel : std::uint8_t {
  software,
  products,
  attention,
  memory_traffic,
  node_links,
  network_links,
  host,
};
constexpr EnumNames<SiteLevel> names_of(SiteLevel) {
  return {"software",   "products",      "attention", "memory_traffic",
          "node_links", "network_links", "host"};
}
inline constexpr std::size_t kSiteLevels = kCountOf<SiteLevel>;

using SiteVector = EnumArray<SiteLevel, double>;
using SiteMatrix = EnumArray<SiteLevel, SiteVector>;

struct SiteMemory {
  double log = 0;
  double spread = 0;
  double prior = 0;
};

struct Site {
  std::string name;
  std::string device;
  std::int64_t steps = 0;
  std::int64_t models = 0;
  SiteVector log{};  // of the factors
  SiteVector prior{};
  SiteMatrix covariance{};
  double step_noise = 0;
  double model_noise = 0;
  SiteMemory memory;
  std::vector<std::string> measured;
};

// A level that measurements know: their spread is below this share of the prior's.
inline constexpr double kDetermined = 0.7;
bool is_determined(const Site& site, SiteLevel level);

// Standard deviation of the logarithm of a level's factor.
double spread_of(const Site& site, SiteLevel level);

// Makes the part of the step take e^log times as long.
void turn(Run& run, SiteLevel level, double log);
void apply(const Site& site, Run& run);

// d ln step / d ln factor of each level, by a central difference of 1 % each way: its share of what
// a step waits for.
SiteVector shares_of(const Run& run, Workspace& workspace);

// Standard deviation of ln(measured/predicted) of a run with these shares.
double spread_of(const Site& site, const SiteVector& shares);

// The same after one more measurement that sees this level alone, with the noise of a step.
double spread_after(const Site& site, const SiteVector& shares, SiteLevel measured);

// The interval of a run of the site: the levels' spread as the run has them and the noise of a step
// of another model, wider by the run's open keys. Never wider than `before`, which holds them. Its
// words name the level that holds most of the spread, if the site does not determine it, and the
// measurement that would.
StepInterval interval_of(const Site& site, const Run& run, std::span<const OpenKey> open,
                         Workspace& workspace, const StepInterval& before);

// A run's `cluster.site`: a path or an object.
Site site_at(const Reader& given, const HardwareLookup& lookup);
Json site_json(const Site& site);

}  // namespace orrery
