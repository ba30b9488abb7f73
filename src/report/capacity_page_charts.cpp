// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "report/capacity_option_parts.h"
#include "report/capacity_page.h"
#include "report/charts.h"

namespace orrery {
namespace {

BarChart chart(const std::string& title) { return {title, {}, {}, ""}; }

std::string time_chart(const CapacityPage& p) {
  BarChart c = chart("Days to train");
  for (const std::size_t i : p.report.answer.ranked) {
    const Ranged<double> d = days_of(p.option(i));
    c.bars.push_back(
        {option_label(p.option(i)), d.value, d.low, d.high, short_range(d, 1), true, i == *p.best});
  }
  for (const RequirementAnswer& a : p.report.answer.requirements) {
    if (!a.requirement.deadline) continue;
    c.limit = in_days(*a.requirement.deadline);
    c.limit_text = "deadline " + fixed(*c.limit, 0) + " days";
    break;
  }
  return bar_chart(c);
}

std::string cost_chart(const CapacityPage& p) {
  BarChart c = chart("Cost, " + p.money_name());
  for (const std::size_t i : p.report.answer.ranked) {
    const bool known = p.option(i).outcome.cost.has_value();
    const Ranged<double> m = known ? p.money(p.option(i)) : Ranged<double>{};
    c.bars.push_back({option_label(p.option(i)), m.value, m.low, m.high,
                      known ? short_range(m, decimals_for(m.value)) : "no price given", known,
                      i == *p.best});
  }
  for (const RequirementAnswer& a : p.report.answer.requirements) {
    if (!a.requirement.budget) continue;
    c.limit = a.requirement.budget->amount() / p.unit.of;
    c.limit_text = "budget " + money_text(*a.requirement.budget);
    break;
  }
  return bar_chart(c);
}

std::string memory_chart(const CapacityPage& p) {
  BarChart c = chart("Memory of the fullest GPU, GiB");
  for (const std::size_t i : p.report.answer.ranked) {
    const OptionAnswer& o = p.option(i);
    const double peak = o.answer.memory.peak / kGiB;
    const double capacity = o.answer.capacity / kGiB;
    c.bars.push_back({option_label(o), peak, peak, capacity,
                      fixed(peak, 1) + " of " + fixed(capacity, 1), true, i == *p.best});
  }
  return bar_chart(c);
}

std::string power_chart(const CapacityPage& p) {
  BarChart c = chart("Power, MW: average, and a line to the peak");
  for (const std::size_t i : p.report.answer.ranked) {
    const EnergyUse& e = p.option(i).outcome.energy;
    const double average = e.average.si() / 1e6;
    const double peak = e.peak.si() / 1e6;
    c.bars.push_back({option_label(p.option(i)), average, average, peak,
                      fixed(average, 2) + ", peak " + fixed(peak, 2), true, i == *p.best});
  }
  for (const RequirementAnswer& a : p.report.answer.requirements) {
    if (!a.requirement.power) continue;
    c.limit = a.requirement.power->si() / 1e6;
    c.limit_text = "limit " + pretty(*a.requirement.power);
    break;
  }
  return bar_chart(c);
}

std::string causes_chart(const CapacityPage& p) {
  StackedChart c;
  c.title = "Where the days go";
  c.parts = {"training", "checkpoints", "lost work", "detection, restart", "stops, spares, slow"};
  for (const std::size_t i : p.report.answer.ranked) {
    const OptionAnswer& o = p.option(i);
    const Goodput& g = o.outcome.goodput;
    const double whole = in_days(o.outcome.training);
    const double ideal = in_days(o.training.time.value);
    c.names.push_back(option_label(o));
    c.values.push_back({ideal, g.checkpoint * whole, g.lost_work * whole,
                        (g.detection + g.restart) * whole,
                        (g.spares + g.planned) * whole + whole - ideal});
    c.texts.push_back(percent(g.ratio()) + " effective");
  }
  return stacked_chart(c);
}

std::string front_chart(const CapacityPage& p) {
  ScatterChart c{
      "Days against cost; joined: no other option is better in days, cost or energy "
      "and as good in the rest",
      "days",
      p.money_name(),
      {}};
  for (const std::size_t i : p.report.answer.ranked) {
    if (!p.option(i).outcome.cost) continue;
    const bool front = std::find(p.report.answer.front.begin(), p.report.answer.front.end(), i) !=
                       p.report.answer.front.end();
    c.points.push_back({option_label(p.option(i)), days_of(p.option(i)).value,
                        p.money(p.option(i)).value, front, i == *p.best});
  }
  return c.points.empty() ? "" : scatter_chart(c);
}

}  // namespace

std::string page_charts(const CapacityPage& p) {
  return "<h2>Side by side</h2>\n<div class=\"charts\">\n" + time_chart(p) + cost_chart(p) +
         memory_chart(p) + power_chart(p) + causes_chart(p) + front_chart(p) + "</div>\n";
}

std::string page_tornados(const CapacityPage& p) {
  const OptionAnswer& o = p.option(*p.best);
  TornadoChart time{"Days, each input at the ends of its range",
                    days_of(o).value,
                    fixed(days_of(o).value, 1) + " days",
                    {}};
  TornadoChart cost{
      "Cost in " + p.money_name() + ", the same", p.money(o).value, fixed(p.money(o).value, 1), {}};
  constexpr double kWorthABar = 1e-3;
  const int digits = decimals_for(p.money(o).value);
  for (const Sensitivity& s : o.sensitivities) {
    const Ranged<double> d = {in_days(s.wall.value), in_days(s.wall.low), in_days(s.wall.high)};
    if (std::abs(d.high - d.low) > kWorthABar * d.value) {
      time.bars.push_back(
          {std::string(s.what), d.low, d.high, fixed(d.low, 1), fixed(d.high, 1), s.what_if});
    }
    const Ranged<double>& c = s.cost;
    if (o.outcome.cost && std::abs(c.high - c.low) > kWorthABar * c.value) {
      cost.bars.push_back({std::string(s.what), c.low / p.unit.of, c.high / p.unit.of,
                           fixed(c.low / p.unit.of, digits), fixed(c.high / p.unit.of, digits),
                           s.what_if});
    }
  }
  return tornado_chart(time) + (cost.bars.empty() ? "" : tornado_chart(cost));
}

}  // namespace orrery
