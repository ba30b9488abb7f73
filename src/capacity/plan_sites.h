// SPDX-License-Identifier: Apache-2.0
//
// Inputs of an option from documents beside the plan: failures, storage, checkpoints, prices,
// energy, data. Each is a name in configs/<kind>, a path, an object, or a list of those, in which
// later ones override earlier ones; its source goes to the option's assumptions. Errors:
// InputError.
#pragma once

#include <string>

#include "capacity/plan.h"
#include "capacity/plan_keys.h"

namespace orrery {

struct SiteSource {
  const PlanContext& context;
  const std::string& plan_file;
  const ExchangeRates& exchange;
};

// Prices alone, for those who buy no cluster: of one step, of a whole training.
PriceBook read_price_documents(const Reader& given, const SiteSource& source);

// Power by load alone, of what `energy` names; by default as in a plan.
EnergyModel read_energy_documents(const std::optional<Reader>& given, const SiteSource& source);

void read_sites(const ScenarioKeys& given, const SiteSource& source, OptionPlan& option);

}  // namespace orrery
