// SPDX-License-Identifier: Apache-2.0
#include "capacity/break_even.h"

#include "capacity/date.h"

namespace orrery {

MoneyPerSecond rent_for(Money cost, const OutcomeInputs& in, Seconds wall) {
  return cost / (kHour * gpu_hours(in, wall));
}

std::optional<double> utilisation_where_buying_pays(const OutcomeInputs& in) {
  OutcomeInputs rented = in;
  rented.prices.payment = Payment::rent;
  OutcomeInputs bought = in;
  bought.prices.payment = Payment::purchase;
  bought.prices.utilisation = exactly(1.0);
  const std::optional<Money> rent = outcome_of(rented).cost;
  const Outcome full = outcome_of(bought);
  if (!rent || !full.cost) return {};
  const Money none(0, rent->currency());
  const Money power = full.bill.part(CostPart::electricity).value_or(none);
  if (!(power < *rent)) return {};
  return (*full.cost - power) / (*rent - power);
}

}  // namespace orrery
