// SPDX-License-Identifier: Apache-2.0
#include "report/power_table.h"

#include "core/units.h"
#include "document/words.h"
#include "report/capacity_words.h"

namespace orrery {
namespace {

std::string beside(const std::string& text, double factor) {
  return factor == 1 ? text : text + " (" + signed_percent(factor - 1) + ")";
}

}  // namespace

Table power_table(const PowerWork& work, const std::string& title, std::string (*time)(Seconds)) {
  std::vector<Column> columns = {{"a GPU's cap", true},
                                 {title, true},
                                 {"energy", true},
                                 {"GPUs alone", true},
                                 {"at most", true}};
  if (work.limit > Watts()) columns.push_back({"within the limit"});
  columns.push_back({"tokens a kWh", true});
  Table table(columns, 2);
  const auto add = [&](Watts cap, const Outcome& x) {
    const EnergyUse& e = x.energy;
    std::vector<Cell> row = {pretty(cap, 3), beside(time(x.wall), x.wall / work.own.wall),
                             beside(energy_text(e.facility), e.facility / work.own.energy.facility),
                             beside(energy_text(e.devices), e.devices / work.own.energy.devices),
                             pretty(e.peak, 3)};
    if (work.limit > Watts()) row.emplace_back(e.peak <= work.limit ? "yes" : "no");
    row.emplace_back(short_count(work.tokens / (e.facility.si() / kKilowattHour.si())));
    table.add(std::move(row));
  };
  std::size_t i = 0;
  for (; i < work.others.size() && work.others[i].cap > work.own_cap; ++i) {
    add(work.others[i].cap, work.others[i].outcome);
  }
  add(work.own_cap, work.own);
  for (; i < work.others.size(); ++i) add(work.others[i].cap, work.others[i].outcome);
  return table;
}

}  // namespace orrery
