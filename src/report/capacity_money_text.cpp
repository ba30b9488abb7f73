// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "report/capacity_option_parts.h"

namespace orrery {
namespace {

std::string cost_text(const OptionAnswer& o) {
  const Currency c = o.outcome.cost->currency();
  const Ranged<double>& r = o.range.cost;
  std::string text = money_text(r.value, c);
  if (!r.is_exact()) text += " (" + money_text(r.low, c) + " to " + money_text(r.high, c) + ")";
  return text;
}

std::string parts_text(const Bill& b) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kCostParts; ++i) {
    if (!b.parts[i]) continue;
    parts.push_back(std::string(kNamesOf<CostPart>[i]) + " " + money_text(*b.parts[i]));
  }
  return joined(parts, ", ");
}

std::string unit_costs(const OptionAnswer& o) {
  constexpr double kExa = 1e18;
  const double amount = o.outcome.cost->amount();
  const std::string of = " " + o.outcome.cost->currency().text();
  return fixed(amount / (o.training.tokens / 1e6), 3) + of + " a million tokens, " +
         fixed(amount / (o.training.model_flops.si() / kExa), 3) + of + " an EFLOP, " +
         fixed(amount / gpu_hours(o.inputs, o.outcome.wall), 2) + of + " a GPU-hour";
}

// "39.4 to 68.2", or "–" where it moves nothing that these digits show.
std::string ends(const std::string& low, const std::string& high) {
  return low == high ? "–" : low + " to " + high;
}

}  // namespace

std::string why_blank(const OptionAnswer& o) {
  const Tariff& t = o.inputs.prices;
  const bool bought = t.payment == Payment::purchase && (t.gpu || t.node);
  if (bought) return "a price to buy, and no `lifetime` and `utilisation` to share it out by";
  return "no price of " + std::string(o.inputs.cluster.device.name.view()) +
         " or its node given (`prices`)";
}

Details energy_lines(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  std::string text = energy_text(e.facility) + " (" + energy_text(Joules(o.range.energy.low)) +
                     " to " + energy_text(Joules(o.range.energy.high)) + "), " +
                     pretty(e.average, 3) + " on average, " + pretty(e.peak, 3) + " at most";
  text += e.pue_known ? "; PUE in it" : "; at the nodes, no PUE given";
  if (!e.node_power_known) text += "; only GPUs, the node's power is not known";
  text += e.carbon ? "; " + grouped(e.carbon->kg / 1000) + " t CO2e"
                   : "; CO2e left blank, no `carbon_intensity` given";
  return capacity_line("energy", text);
}

Details cost_lines(const OptionAnswer& o) {
  if (!o.outcome.cost) return capacity_line("cost", why_blank(o) + ": left blank");
  const Bill& b = o.outcome.bill;
  std::string text = cost_text(o) + " by " + std::string(name_of(b.payment));
  if (const std::string missing = not_counted(b); !missing.empty()) {
    text += "; not counted, no price: " + missing;
  }
  return capacity_line("cost", text) + capacity_line("  of it", parts_text(b)) +
         capacity_line("  a unit", unit_costs(o));
}

Details rent_or_buy_line(const OptionAnswer& o) {
  if (!o.buying_pays_at) return {};
  const double u = *o.buying_pays_at;
  return capacity_line("rent or buy",
                       u > 1 ? "renting is cheaper at any utilisation"
                             : "buying is cheaper above a utilisation of " + percent(u));
}

bool is_worth_showing(const Sensitivity& s) {
  constexpr double kThousandth = 1e-3;
  return width_of(s) > kThousandth;
}

std::string what_matters(const OptionAnswer& o) {
  const bool priced = o.outcome.cost.has_value();
  std::vector<Column> columns = {{"input"}, {"days", true}, {"energy", true}};
  if (priced) columns.push_back({"cost", true});
  Table table(columns);
  for (const Sensitivity& s : o.sensitivities) {
    if (!is_worth_showing(s)) continue;
    std::vector<std::string> row = {
        std::string(s.what) + (s.what_if ? " (what if)" : ""),
        ends(fixed(s.wall.low / kDay, 1), fixed(s.wall.high / kDay, 1)),
        ends(energy_text(Joules(s.energy.low)), energy_text(Joules(s.energy.high)))};
    if (priced) {
      const Currency c = o.outcome.cost->currency();
      row.push_back(ends(money_text(s.cost.low, c), money_text(s.cost.high, c)));
    }
    table.add(std::move(row));
  }
  return table.empty() ? ""
                       : "\nWhat matters, each input at the ends of its range\n" +
                             text_of(table.indented(2), {});
}

}  // namespace orrery
