// SPDX-License-Identifier: Apache-2.0
//
// Prices at which two alternatives cost the same.
//
// Between two options: the rent of a GPU at which one costs as much as the other. Within one
// option: the utilisation at which buying costs as much as renting (capacity/bill.h: bought
// hardware is paid for 1/utilisation times, electricity once). Empty if a price is missing, or if
// renting is cheaper than the electricity alone.
#pragma once

#include <optional>

#include "capacity/outcome.h"

namespace orrery {

MoneyPerSecond rent_for(Money cost, const OutcomeInputs& in, Seconds wall);

// Above 1 buying never pays.
std::optional<double> utilisation_where_buying_pays(const OutcomeInputs& in);

}  // namespace orrery
