// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"
#include "document/words.h"
#include "report/capacity_lines.h"
#include "report/capacity_words.h"
#include "report/frame.h"

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
  for (const CostPart p : kAllOf<CostPart>) {
    if (!b.parts[p]) continue;
    parts.push_back(std::string(name_of(p)) + " " + money_text(*b.parts[p]));
  }
  return joined(parts, ", ");
}

std::string unit_costs(const OptionAnswer& o) {
  const UnitCosts each = unit_costs_of(o, o.outcome.cost->amount());
  const std::string of = " " + o.outcome.cost->currency().text();
  if (o.rl) {
    const auto steps = static_cast<double>(o.training.pieces.front().steps);
    return money_text(*o.outcome.cost / steps) + " a step, " + fixed(each.million_tokens, 3) + of +
           " a million tokens, " + fixed(each.gpu_hour, 2) + of + " a GPU-hour";
  }
  return fixed(each.million_tokens, 3) + of + " a million tokens, " + fixed(each.eflop, 3) + of +
         " an EFLOP (by " + std::string(name_of(o.training.convention)) + "), " +
         fixed(each.gpu_hour, 2) + of + " a GPU-hour";
}

// "from midnight, 11 to 14 by the hour that it begins, least at 10:00".
std::string start_words(const EnergyUse& e) {
  if (!e.by_start) return "";
  const CarbonByStart& by = *e.by_start;
  const auto tonnes = [](Kilograms c) { return significant(c.kg / 1000, 4); };
  return " from midnight, " + tonnes(by.least) + " to " + tonnes(by.most) +
         " by the hour that it begins, least at " + std::to_string(by.at) + ":00";
}

// "1.21 M tokens a kWh, 3.4 G a day for each MW at most".
std::string yield_words(const OptionAnswer& o) {
  const TokenYield y = token_yield(o);
  return short_count(y.a_kwh) + " tokens a kWh, " + short_count(y.a_day_and_mw) +
         " a day for each MW at most";
}

}  // namespace

Lines energy_lines(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  std::string text = energy_text(e.facility) + " (" + energy_text(Joules(o.range.energy.low)) +
                     " to " + energy_text(Joules(o.range.energy.high)) + "), " +
                     pretty(e.average, 3) + " on average, " + pretty(e.peak, 3) + " at most";
  if (e.swing > Watts()) {
    text += ", swings by " + pretty(e.swing, 3) + " within a step";
  }
  text += "; " + yield_words(o) + (e.pue_known ? "; PUE in it" : "; at the nodes, no PUE given");
  if (!e.node_power_known) text += "; only GPUs, the node's power is not known";
  text += e.carbon ? "; " + grouped(e.carbon->kg / 1000) + " t CO2e" + start_words(e)
                   : "; CO2e left blank, no `carbon_intensity` given";
  return line("energy", text);
}

Lines cost_lines(const OptionAnswer& o) {
  if (!o.outcome.cost) return line("cost", why_blank(o) + ": left blank");
  const Bill& b = o.outcome.bill;
  std::string text = cost_text(o) + " by " + std::string(name_of(b.payment));
  if (const std::string missing = not_counted(b); !missing.empty()) {
    text += "; not counted, no price: " + missing;
  }
  if (b.up_front) {
    text += "; this is the run's share, all of it costs " + money_text(*b.up_front) + " at once";
  }
  if (b.payment == Payment::rent && o.inputs.prices.electricity) {
    text += "; the price of electricity is not used, as a rent includes power";
  }
  return line("cost", text) + line("  of it", parts_text(b)) + line("  a unit", unit_costs(o));
}

Lines rent_or_buy_line(const OptionAnswer& o) {
  if (!o.buying_pays_at) return {};
  const double u = *o.buying_pays_at;
  return line("rent or buy", u > 1 ? "renting is cheaper at any utilisation"
                                   : "buying is cheaper above a utilisation of " + percent(u));
}

std::string why_blank(const OptionAnswer& o) {
  const Tariff& t = o.inputs.prices;
  if (o.inputs.beside && o.inputs.beside->prices.payment != t.payment) {
    return "a price to rent one kind of GPU, and to buy the other";
  }
  const bool bought = t.payment == Payment::purchase && (t.gpu || t.node);
  if (bought) return "a price to buy, and no `lifetime` and `utilisation` to share it out by";
  const bool lacks_beside = o.inputs.beside && t.rent;
  const Cluster& c = lacks_beside ? o.inputs.beside->cluster : o.inputs.cluster;
  return "no price of " + std::string(c.device.name.view()) + " or its node given (`prices`)";
}

Table causes_table(const OptionAnswer& o) {
  Table table({Column("cause").at_least(kLabel), Column("days", true).at_least(11),
               Column("share", true).at_least(7), Column("cost", true).at_least(12),
               Column("").at_least(40)},
              2);
  for (const TimeCause& c : time_causes(o)) {
    const double part = c.share / o.outcome.goodput.total;
    table.add({c.name, fixed(c.share * in_days(o.outcome.training), 2) + " days", percent(part),
               o.outcome.cost ? money_text(*o.outcome.cost * part) : "", bar_cell(part)});
  }
  return table;
}

Section break_even_section(const CapacityReport& r) {
  constexpr std::size_t kDigits = 7;
  if (r.answer.break_evens.empty()) return {};
  const std::string unit = " " + r.answer.break_evens[0].rent.currency().text() + " a GPU-hour";
  Table table({Column("option").at_least(42), Column("rent", true).at_least(kDigits + unit.size())},
              2);
  for (const BreakEven& b : r.answer.break_evens) {
    table.add(
        {name_with_gpus(r.answer.options[b.option]), fixed((b.rent * kHour).amount(), 2) + unit});
  }
  return Section{"Rent at which each would cost as much as the first of the list"}.add(
      table.untitled());
}

}  // namespace orrery
