// SPDX-License-Identifier: Apache-2.0
#include "engine/power_limit.h"

#include <cmath>

#include "capacity/plan_sites.h"
#include "core/error.h"
#include "core/units.h"
#include "engine/gpu_prices.h"
#include "engine/plan_context.h"
#include "estimate/mixed_document.h"
#include "estimate/resolve.h"
#include "explore/outer_axes.h"
#include "hardware/cluster_keys.h"
#include "hardware/dimensions.h"
#include "hardware/node_keys.h"
#include "insight/step_power.h"

namespace orrery {
namespace {

const std::string kGivenBy = "command line";

// The cap of each device that keeps the limit; nothing where their own does.
std::optional<Watts> cap_for(const Cluster& c, const PowerQuestion& q) {
  if (keeps_power(c, q)) return {};
  if (const std::optional<Watts> cap = cap_that_keeps(c, q)) return cap;
  const bool has_law = is_known(c.device.clock);
  Cluster least = c;
  if (has_law) least.power_cap = least_power_cap(c.device);
  const std::string at = has_law ? " at their least cap of " + pretty(least.power_cap, 3)
                                 : ", whose clock under a cap is not known";
  throw InputError(ErrorCode::out_of_range, kGivenBy, "--power", pretty(q.limit, 3),
                   "at least " + pretty(most_drawn(least, q.energy), 3) + " on " +
                       std::to_string(c.gpus) + " GPUs" + at + "; or fewer GPUs");
}

// An axis over the cluster has a cap of its own at each value.
void refuse_axes_of_cluster(const Json& run) {
  const Json axes = run.value(Json::json_pointer("/search/axes"), Json::object());
  for (const auto& [key, values] : axes.items()) {
    if (!outer_path(key).starts_with(kClusterKeys.path)) continue;
    throw InputError(ErrorCode::not_allowed, kGivenBy, "--power", "search.axes." + key,
                     "one cluster");
  }
}

}  // namespace

void PowerLimit::read(Request& request, const std::string& key) {
  (key == "power" ? power_ : energy_) = given_override(request, key, key);
}

PowerQuestion PowerLimit::question(const CommandContext& context, const std::string& beside) const {
  if (!power_) {
    throw InputError(ErrorCode::not_allowed, kGivenBy, "--energy", "no limit of power",
                     "--power WATTS beside it");
  }
  Json energy;
  std::optional<Reader> given;
  if (energy_) {
    energy = with_source(energy_->value, "--energy");
    given.emplace(energy, kGivenBy, "energy");
  }
  const PlanContext plan = plan_context(context, beside, 1);
  const ExchangeRates dollars{Currency(), {}};
  return {Watts(Reader(power_->value, kGivenBy, "--power").quantity<kPower>()),
          read_energy_documents(given, {plan, kGivenBy, dollars})};
}

GivenRun PowerLimit::capped(const GivenRun& run, const CommandContext& context) {
  GivenRun under = run;
  use_run(
      run, context,
      [&](const RunSource& source) {
        if (has_groups(source.json) || has_rl(source.json)) return;
        asked_ = std::make_shared<PowerQuestion>(question(context, source.beside));
        refuse_axes_of_cluster(source.json);
        Json alone = source.json;
        if (alone.is_object()) alone.erase("search");
        const OpenRun open = resolve_open(alone, source.file, source.lookup);
        const std::optional<Watts> cap = cap_for(open.resolved.run.cluster, *asked_);
        if (!cap) return;
        under.overrides.push_back(
            {"--power",
             std::string(kClusterKeys.path) + "." + std::string(key_name<&Cluster::power_cap>),
             std::to_string(std::llround(cap->si())) + " W"});
      },
      Searches::yes);
  return under;
}

}  // namespace orrery
