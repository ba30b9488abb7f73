// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/units.h"
#include "document/words.h"
#include "orrery/version.h"
#include "report/capacity.h"
#include "report/capacity_words.h"
#include "report/rl_words.h"

namespace orrery {
namespace {

// Money in one unit for the whole page: that of its smallest sum.
struct MoneyUnit {
  double of = 1;
  const char* name = "";
};

MoneyUnit money_unit(const CapacityReport& r) {
  double least = 0;
  for (const OptionAnswer& o : r.answer.options) {
    if (!o.outcome.cost) continue;
    const double x = o.outcome.cost->amount();
    least = least > 0 ? std::min(least, x) : x;
  }
  if (least >= 5e6) return {1e6, "million "};
  if (least >= 5e3) return {1e3, "thousand "};
  return {};
}

std::string option_label(const OptionAnswer& o) { return name_of(o) + " × " + grouped(o.gpus); }

Ranged<double> days_of(const OptionAnswer& o) {
  return {in_days(o.range.wall.value), in_days(o.range.wall.low), in_days(o.range.wall.high)};
}

// "51.8 (39.4–68.2)"
std::string short_range(const Ranged<double>& r, int decimals) {
  const std::string middle = fixed(r.value, decimals);
  if (r.is_exact()) return middle;
  return middle + " (" + fixed(r.low, decimals) + "–" + fixed(r.high, decimals) + ")";
}

class PlanPage {
 public:
  PlanPage(const CapacityReport& r, std::size_t best) : r_(r), best_(best), unit_(money_unit(r)) {}

  void add_to(AnswerDocument& d) const {
    d.add(verdict_section(r_));
    d.add(options());
    d.add(sureness_section(r_));
    d.add(side_by_side());
    const OptionAnswer& o = option(best_);
    d.add(what_matters(o));
    Section details{option_label(o) + ": in detail"};
    add_option_lines(details, r_, best_);
    d.add(std::move(details));
    d.add({"Where the time goes"}).add(causes_table(o));
    d.add(materials_section(o));
    d.add(recovery_section(o));
    d.add(power_section(r_, o));
    d.add(serving_section(o.inference));
    d.add(break_even_section(r_));
  }

 private:
  const OptionAnswer& option(std::size_t i) const { return r_.answer.options[i]; }
  std::string money_name() const { return unit_.name + r_.plan.currency.text(); }
  Ranged<double> money(const OptionAnswer& o) const {
    const Ranged<double>& c = o.range.cost;
    return {c.value / unit_.of, c.low / unit_.of, c.high / unit_.of};
  }

  std::string cost_text(const OptionAnswer& o) const {
    if (!o.outcome.cost) return "–";
    return short_range(money(o), decimals_for(money(o).value)) + payment_suffix(r_, o);
  }

  std::vector<Cell> option_row(std::size_t i) const {
    const OptionAnswer& o = option(i);
    std::vector<Cell> row = {
        {name_of(o), i == best_ ? TextStyle::bold : TextStyle::plain},
        gpus_text(o),
        o.rl ? placement_words(*o.run->rl) : strategy_text(o.run->run.strategy),
        o.rl ? "–" : percent(mfu_of(o.answer)),
        short_range(days_of(o), 1)};
    if (r_.plan.start) row.emplace_back(text_of(after(*r_.plan.start, o.outcome.wall)));
    const EnergyUse& e = o.outcome.energy;
    row.insert(row.end(), {percent(o.outcome.effective), cost_text(o), pretty(e.peak, 3),
                           energy_text(e.facility), e.carbon ? grouped(e.carbon->kg / 1000) : "–"});
    if (!r_.answer.requirements.empty()) row.emplace_back(meets_text(r_, i));
    return row;
  }

  Section options() const {
    std::vector<Column> columns = {"option",
                                   {"GPUs (paid)", true},
                                   Column("strategy").wrapped(),
                                   {"MFU", true},
                                   {"days", true}};
    if (r_.plan.start) columns.emplace_back("ends", true);
    columns.insert(columns.end(), {{"effective", true},
                                   {"cost, " + money_name(), true},
                                   {"peak power", true},
                                   {"energy", true},
                                   {"t CO₂e", true}});
    if (!r_.answer.requirements.empty()) columns.emplace_back("meets it");
    Table table(columns);
    for (const std::size_t i : r_.answer.ranked) table.add(option_row(i));
    Section s{options_heading(r_)};
    s.add(table);
    s.add(
        Paragraph{"In brackets the range that the ranges of the inputs give: the step time's 80 % "
                  "interval, failures, recovery, prices, power by load. likely: by the middle of "
                  "its range; surely: by the upper end too."});
    if (const std::string note = payment_note(r_); !note.empty()) s.add(Paragraph{note});
    return s;
  }

  // A bar for each option, in order of rank; `row` fills it in.
  template <class Row>
  BarPlot bars(const std::string& title, const Row& row) const {
    BarPlot plot{title};
    for (const std::size_t i : r_.answer.ranked) {
      BarRow bar = row(option(i));
      bar.name = option_label(option(i));
      bar.is_chosen = i == best_;
      plot.rows.push_back(std::move(bar));
    }
    return plot;
  }

  // A line across at the first requirement that has one.
  template <class T, class Value, class Text>
  void set_limit(BarPlot& plot, std::optional<T> Requirement::*what, const Value& value,
                 const Text& text) const {
    for (const RequirementAnswer& a : r_.answer.requirements) {
      if (!(a.requirement.*what)) continue;
      plot.limit = value(*(a.requirement.*what));
      plot.limit_text = text(*(a.requirement.*what));
      return;
    }
  }

  BarPlot time_bars() const {
    BarPlot plot = bars("Days to train", [](const OptionAnswer& o) {
      const Ranged<double> d = days_of(o);
      return BarRow{"", {d.value}, short_range(d, 1), d.low, d.high};
    });
    set_limit(plot, &Requirement::deadline, in_days,
              [](Seconds t) { return "deadline " + fixed(in_days(t), 0) + " days"; });
    return plot;
  }

  BarPlot cost_bars() const {
    BarPlot plot = bars("Cost, " + money_name(), [this](const OptionAnswer& o) {
      if (!o.outcome.cost) return BarRow{"", {}, "no price given"};
      const Ranged<double> m = money(o);
      return BarRow{"", {m.value}, short_range(m, decimals_for(m.value)), m.low, m.high};
    });
    set_limit(
        plot, &Requirement::budget, [this](const Money& m) { return m.amount() / unit_.of; },
        [](const Money& m) { return "budget " + money_text(m); });
    return plot;
  }

  BarPlot memory_bars() const {
    return bars("Memory of the fullest GPU, GiB", [](const OptionAnswer& o) {
      const double capacity = o.answer.capacity / kGiB;
      const double peak =
          o.rl ? fullest_share(o.rl->memory) * capacity : o.answer.memory.peak / kGiB;
      return BarRow{"", {peak}, fixed(peak, 1) + " of " + fixed(capacity, 1), peak, capacity};
    });
  }

  BarPlot power_bars() const {
    BarPlot plot = bars("Power, MW: average, and a line to the peak", [](const OptionAnswer& o) {
      const double average = o.outcome.energy.average.si() / 1e6;
      const double peak = o.outcome.energy.peak.si() / 1e6;
      return BarRow{"", {average}, fixed(average, 2) + ", peak " + fixed(peak, 2), average, peak};
    });
    set_limit(
        plot, &Requirement::power, [](Watts w) { return w.si() / 1e6; },
        [](Watts w) { return "limit " + pretty(w); });
    return plot;
  }

  BarPlot cause_bars() const {
    BarPlot plot = bars("Where the days go", [](const OptionAnswer& o) {
      const Goodput& g = o.outcome.goodput;
      const double whole = in_days(o.outcome.training);
      const double ideal = in_days(o.training.time.value);
      return BarRow{
          "",
          {ideal, g.checkpoint * whole, g.lost_work * whole, (g.detection + g.restart) * whole,
           (g.spares + g.planned + g.slow + g.away) * whole + whole - ideal},
          percent(o.outcome.effective) + " effective"};
    });
    plot.parts = {"training", "checkpoints", "lost work", "detection, restart",
                  "stops, spares, slow, away"};
    return plot;
  }

  XyPlot front_plot() const {
    XyPlot plot{
        "Days against cost; joined: no other option is better in days, cost or energy and "
        "as good in the rest",
        {"days"},
        {money_name()}};
    XySeries all{"", Mark::dots, 0};
    XySeries front{"", Mark::line, 0};
    XySeries chosen{"", Mark::rings, 1};
    for (const std::size_t i : r_.answer.ranked) {
      const OptionAnswer& o = option(i);
      if (!o.outcome.cost) continue;
      const XyPoint point{days_of(o).value, money(o).value, option_label(o), option_label(o)};
      all.points.push_back(point);
      const XyPoint bare{point.x, point.y};
      if (std::count(r_.answer.front.begin(), r_.answer.front.end(), i) > 0) {
        front.points.push_back(bare);
      }
      if (i == best_) chosen.points.push_back(bare);
    }
    std::sort(front.points.begin(), front.points.end(),
              [](const XyPoint& a, const XyPoint& b) { return a.x < b.x; });
    for (XySeries* s : {&front, &all, &chosen}) {
      if (!s->points.empty()) plot.series.push_back(std::move(*s));
    }
    return plot;
  }

  Section side_by_side() const {
    Section s{"Side by side"};
    for (BarPlot& plot :
         std::vector{time_bars(), cost_bars(), memory_bars(), power_bars(), cause_bars()}) {
      s.add(std::move(plot));
    }
    XyPlot front = front_plot();
    if (!front.series.empty()) s.add(std::move(front));
    return s;
  }

  Section what_matters(const OptionAnswer& o) const {
    SwingPlot time{"Days, each input at the ends of its range", days_of(o).value,
                   fixed(days_of(o).value, 1) + " days"};
    SwingPlot cost{"Cost in " + money_name() + ", the same", money(o).value,
                   fixed(money(o).value, 1)};
    const int digits = decimals_for(money(o).value);
    constexpr double kWorthABar = 1e-3;
    const auto add = [](SwingPlot& plot, const Sensitivity& s, Ranged<double> r, int decimals) {
      if (std::abs(r.high - r.low) <= kWorthABar * r.value) return;
      plot.rows.push_back({std::string(s.what), r.low, r.high, fixed(r.low, decimals),
                           fixed(r.high, decimals), s.what_if});
    };
    for (const Sensitivity& s : o.sensitivities) {
      add(time, s, {in_days(s.wall.value), in_days(s.wall.low), in_days(s.wall.high)}, 1);
      if (!o.outcome.cost) continue;
      add(cost, s, {s.cost.value / unit_.of, s.cost.low / unit_.of, s.cost.high / unit_.of},
          digits);
    }
    Section section{option_label(o) + ": what matters"};
    section.add(time);
    if (!cost.rows.empty()) section.add(cost);
    return section;
  }

  const CapacityReport& r_;
  std::size_t best_;
  MoneyUnit unit_;
};

Section page_required(const CapacityReport& r) {
  Section s;
  for (const std::string& line : requirement_lines(r)) s.add(Paragraph{"Required " + line + "."});
  for (const std::string& line : tried_lines(r)) s.add(Paragraph{"Sizes tried: " + line + "."});
  return s;
}

Section page_refused(const CapacityReport& r) {
  Table table({"option", Column("why").wrapped()});
  for (const OptionAnswer& o : r.answer.options) {
    if (o.status != OptionStatus::fits) table.add({option_label(o), o.reason});
  }
  if (table.empty()) return {};
  return Section{"Not possible"}.add(table);
}

// The assumptions of all options, each once.
Section page_assumptions(const CapacityReport& r) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  Table table({"what", Column("value").wrapped(), Column("source").wrapped(), {"seen", true}});
  for (const OptionAnswer& o : r.answer.options) {
    for (const Assumption& a : o.assumptions) {
      if (!seen.insert({a.what, a.value, a.source}).second) continue;
      table.add({a.what, a.value, a.source, a.date});
    }
  }
  return Section{"Inputs and their sources"}.add(table);
}

}  // namespace

AnswerDocument capacity_page(const CapacityReport& r) {
  AnswerDocument d{r.plan.name.empty() ? "Capacity plan" : r.plan.name};
  d.add(page_required(r));
  if (const std::optional<std::size_t> best = best_option(r)) PlanPage(r, *best).add_to(d);
  d.add(page_refused(r));
  d.add(command_section(r));
  d.add(page_assumptions(r));
  d.footer = std::string("Orrery ") + std::string(kVersion) +
             ". Prices and sources as listed; what has no price is not in a sum. Step times are "
             "predictions with the interval they had on published runs left out of their fit.";
  return d;
}

}  // namespace orrery
