// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a plan's page share: the report, its first option, one unit of money for all.
#pragma once

#include <optional>
#include <string>

#include "report/capacity_report.h"

namespace orrery {

// Money in one unit for the whole page: that of its smallest sum.
struct MoneyUnit {
  double of = 1;
  const char* name = "";
};

struct CapacityPage {
  const CapacityReport& report;
  std::optional<std::size_t> best;
  MoneyUnit unit;

  const OptionAnswer& option(std::size_t i) const { return report.answer.options[i]; }
  std::string money_name() const { return unit.name + report.plan.currency.text(); }
  Ranged<double> money(const OptionAnswer& o) const {
    const Ranged<double>& c = o.range.cost;
    return {c.value / unit.of, c.low / unit.of, c.high / unit.of};
  }
};

std::string option_label(const OptionAnswer& o);  // "H100 × 512"
Ranged<double> days_of(const OptionAnswer& o);
std::string short_range(const Ranged<double>& r, int decimals);  // "51.8 (39.4–68.2)"
int decimals_for(double x);                                      // that three digits take

std::string page_charts(const CapacityPage& p);    // options side by side
std::string page_tornados(const CapacityPage& p);  // what matters to the first

}  // namespace orrery
