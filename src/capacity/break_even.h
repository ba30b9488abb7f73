// SPDX-License-Identifier: Apache-2.0
//
// Where two ways of doing it cost the same.
//
// Between two options: the rent of a GPU at which one costs what the other does. Of one option: the
// utilisation at which buying costs what renting does (capacity/bill.h: what is bought is paid for
// 1/utilisation times, electricity once). Nothing where a price is missing, or where renting is
// cheaper than the electricity alone.
#pragma once

#include <optional>

#include "capacity/outcome.h"

namespace orrery {

MoneyPerSecond rent_for(Money cost, const OutcomeInputs& in, Seconds wall);

// May be above 1: then buying never pays.
std::optional<double> utilisation_where_buying_pays(const OutcomeInputs& in);

}  // namespace orrery
