// SPDX-License-Identifier: Apache-2.0
#include "document/rows.h"
#include "document/table.h"
#include "report/capacity_report.h"

namespace orrery {

std::string capacity_csv(const CapacityReport& r) {
  Table table({{"scenario"},
               {"model"},
               {"gpus"},
               {"status"},
               {"mfu"},
               {"ideal_days"},
               {"days"},
               {"days_low"},
               {"days_high"},
               {"effective"},
               {"failures"},
               {"gpu_hours"},
               {"cost_" + r.plan.currency.text()},
               {"cost_low"},
               {"cost_high"},
               {"peak_mw"},
               {"energy_mwh"},
               {"co2e_t"}});
  for (const OptionAnswer& o : r.answer.options) {
    std::vector<std::string> row = {o.scenario, o.model, std::to_string(o.gpus),
                                    std::string(name_of(o.status))};
    const bool fits = o.status == OptionStatus::fits;
    const auto add = [&](bool known, double x) {
      row.push_back(fits && known ? plain_number(x) : "");
    };
    const Outcome& x = o.outcome;
    add(true, fits ? mfu_of(o.answer) : 0);
    add(true, o.training.time.value / kDay);
    add(true, x.wall / kDay);
    add(true, o.range.wall.low / kDay);
    add(true, o.range.wall.high / kDay);
    add(true, x.goodput.ratio());
    add(true, x.failures);
    add(true, gpu_hours(o.inputs, x.wall));
    add(x.cost.has_value(), x.cost ? x.cost->amount() : 0);
    add(x.cost.has_value(), o.range.cost.low);
    add(x.cost.has_value(), o.range.cost.high);
    add(true, x.energy.peak.si() / 1e6);
    add(true, x.energy.facility.si() / 3.6e9);
    add(x.energy.carbon.has_value(), x.energy.carbon ? x.energy.carbon->kg / 1000 : 0);
    table.add(row);
  }
  return csv_of(table);
}

}  // namespace orrery
