// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/units.h"
#include "orrery/version.h"
#include "report/capacity_report.h"
#include "report/charts.h"

namespace orrery {
namespace {

constexpr const char* kStyle = R"(
:root{--ink:#1d2733;--dim:#66717d;--line:#d9dee3}
body{font:14px/1.45 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);margin:28px auto;max-width:1080px;padding:0 20px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:30px 0 8px;border-bottom:1px solid var(--line);padding-bottom:3px}
p.lead{font-size:15px;margin:6px 0}.dim,text.dim{color:var(--dim);fill:var(--dim)}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th{font-weight:600;color:var(--dim)}td{white-space:nowrap}td:first-child,th:first-child,td.t,th.t{text-align:left}tr.best td{background:#eef4fa;font-weight:600}
.charts{display:grid;grid-template-columns:1fr 1fr;gap:14px 24px}figure{margin:0;break-inside:avoid}
figcaption{font-weight:600;font-size:13px;margin-bottom:2px}svg{width:100%;height:auto}svg text{font-size:11.5px;fill:var(--ink)}
svg text.dim{fill:var(--dim)}svg text.limit{fill:#b3402e}
td.wrap{white-space:normal;overflow-wrap:anywhere}td.t{white-space:normal}pre{font:12.5px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;background:#f5f7f9;padding:10px 12px;border-radius:6px;overflow-x:auto}@media print{pre{white-space:pre-wrap;font-size:9px}}footer{margin-top:28px;color:var(--dim);font-size:12px}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}tr{break-inside:avoid}@page{size:A4;margin:14mm}}
)";

std::string cell(const std::string& text, const char* kind = "") {
  return std::string("<td") + (*kind != '\0' ? std::string(" class=\"") + kind + "\"" : "") + ">" +
         html_escaped(text) + "</td>";
}

std::string range(const Ranged<double>& r, int decimals) {
  const std::string middle = fixed(r.value, decimals);
  return r.is_exact()
             ? middle
             : middle + " (" + fixed(r.low, decimals) + "–" + fixed(r.high, decimals) + ")";
}

Ranged<double> days(const OptionAnswer& o) {
  return {in_days(o.range.wall.value), in_days(o.range.wall.low), in_days(o.range.wall.high)};
}

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

std::string label(const OptionAnswer& o) { return name_of(o) + " × " + grouped(o.gpus); }

class Page {
 public:
  explicit Page(const CapacityReport& r) : r_(r), best_(best_option(r)), unit_(money_unit(r)) {}

  std::string text() const {
    const std::string title = html_escaped(r_.plan.name.empty() ? "Capacity plan" : r_.plan.name);
    std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       title + "</title>\n<style>" + kStyle + "</style></head><body>\n<h1>" +
                       title + "</h1>\n" + verdicts();
    if (best_) page += options() + charts() + best_option_part();
    return page + refused() + assumptions() + footer() + "</body></html>\n";
  }

 private:
  const OptionAnswer& at(std::size_t i) const { return r_.answer.options[i]; }

  std::string money_name() const { return unit_.name + r_.plan.currency.text(); }

  Ranged<double> money(const OptionAnswer& o) const {
    const Ranged<double>& c = o.range.cost;
    return {c.value / unit_.of, c.low / unit_.of, c.high / unit_.of};
  }

  // Decimals that three digits of this number take.
  static int decimals(double x) { return x >= 100 ? 0 : x >= 10 ? 1 : 2; }

  std::string verdicts() const {
    std::string text;
    for (const std::string& line : requirement_lines(r_)) {
      text += "<p class=\"lead\">" + html_escaped(line) + "</p>\n";
    }
    return text;
  }

  std::string option_row(std::size_t i) const {
    const OptionAnswer& o = at(i);
    std::string row = i == *best_ ? "<tr class=\"best\">" : "<tr>";
    row += cell(name_of(o)) + cell(grouped(o.gpus)) +
           cell(strategy_text(o.run->run.strategy), "t") + cell(percent(mfu_of(o.answer)));
    row += cell(range(days(o), 1));
    if (r_.plan.start) row += cell(text_of(after(*r_.plan.start, o.outcome.wall)));
    row += cell(percent(o.outcome.goodput.ratio()));
    row += cell(o.outcome.cost ? range(money(o), decimals(money(o).value)) : "–");
    row += cell(pretty(o.outcome.energy.peak, 3)) + cell(energy_text(o.outcome.energy.facility));
    if (!r_.answer.requirements.empty()) row += cell(meets_text(r_, i));
    return row + "</tr>\n";
  }

  std::string options() const {
    std::string text = "<h2>Options, the best by " +
                       std::string(kRankNames[static_cast<std::size_t>(r_.answer.rank)]) +
                       " first</h2>\n<table><tr><th>option</th><th>GPUs</th>"
                       "<th class=\"t\">strategy</th><th>MFU</th><th>days</th>";
    if (r_.plan.start) text += "<th>ends</th>";
    text +=
        "<th>effective</th><th>cost, " + money_name() + "</th><th>peak power</th><th>energy</th>";
    if (!r_.answer.requirements.empty()) text += "<th>meets it</th>";
    text += "</tr>\n";
    for (const std::size_t i : r_.answer.ranked) text += option_row(i);
    return text +
           "</table>\n<p class=\"dim\">In brackets the range that the ranges of the inputs give: "
           "the step time's 80 % interval, failures, recovery, prices, power by load. "
           "likely: by the middle of its range; surely: by the upper end too.</p>\n";
  }

  BarChart chart(const std::string& title) const { return {title, {}, {}, ""}; }

  std::string time_chart() const {
    BarChart c = chart("Days to train");
    for (const std::size_t i : r_.answer.ranked) {
      const Ranged<double> d = days(at(i));
      c.bars.push_back({label(at(i)), d.value, d.low, d.high, range(d, 1), true, i == *best_});
    }
    for (const RequirementAnswer& a : r_.answer.requirements) {
      if (!a.requirement.deadline) continue;
      c.limit = in_days(*a.requirement.deadline);
      c.limit_text = "deadline " + fixed(*c.limit, 0) + " days";
      break;
    }
    return bar_chart(c);
  }

  std::string cost_chart() const {
    BarChart c = chart("Cost, " + money_name());
    for (const std::size_t i : r_.answer.ranked) {
      const bool known = at(i).outcome.cost.has_value();
      const Ranged<double> m = known ? money(at(i)) : Ranged<double>{};
      c.bars.push_back({label(at(i)), m.value, m.low, m.high,
                        known ? range(m, decimals(m.value)) : "no price given", known,
                        i == *best_});
    }
    for (const RequirementAnswer& a : r_.answer.requirements) {
      if (!a.requirement.budget) continue;
      c.limit = a.requirement.budget->amount() / unit_.of;
      c.limit_text = "budget " + money_text(*a.requirement.budget);
      break;
    }
    return bar_chart(c);
  }

  std::string memory_chart() const {
    BarChart c = chart("Memory of the fullest GPU, GiB");
    for (const std::size_t i : r_.answer.ranked) {
      const OptionAnswer& o = at(i);
      const double peak = o.answer.memory.peak / kGiB;
      const double capacity = o.answer.capacity / kGiB;
      c.bars.push_back({label(o), peak, peak, capacity,
                        fixed(peak, 1) + " of " + fixed(capacity, 1), true, i == *best_});
    }
    return bar_chart(c);
  }

  std::string power_chart() const {
    BarChart c = chart("Power, MW: average, and a line to the peak");
    for (const std::size_t i : r_.answer.ranked) {
      const EnergyUse& e = at(i).outcome.energy;
      const double average = e.average.si() / 1e6;
      const double peak = e.peak.si() / 1e6;
      c.bars.push_back({label(at(i)), average, average, peak,
                        fixed(average, 2) + ", peak " + fixed(peak, 2), true, i == *best_});
    }
    for (const RequirementAnswer& a : r_.answer.requirements) {
      if (!a.requirement.power) continue;
      c.limit = a.requirement.power->si() / 1e6;
      c.limit_text = "limit " + pretty(*a.requirement.power);
      break;
    }
    return bar_chart(c);
  }

  std::string causes_chart() const {
    StackedChart c;
    c.title = "Where the days go";
    c.parts = {"training", "checkpoints", "lost work", "detection, restart", "stops, spares, slow"};
    for (const std::size_t i : r_.answer.ranked) {
      const OptionAnswer& o = at(i);
      const Goodput& g = o.outcome.goodput;
      const double whole = in_days(o.outcome.training);
      const double ideal = in_days(o.training.time.value);
      c.names.push_back(label(o));
      c.values.push_back({ideal, g.checkpoint * whole, g.lost_work * whole,
                          (g.detection + g.restart) * whole,
                          (g.spares + g.planned) * whole + whole - ideal});
      c.texts.push_back(percent(g.ratio()) + " effective");
    }
    return stacked_chart(c);
  }

  std::string front_chart() const {
    ScatterChart c{
        "Days against cost; joined: no other option is better in days, cost or energy "
        "and as good in the rest",
        "days",
        money_name(),
        {}};
    for (const std::size_t i : r_.answer.ranked) {
      if (!at(i).outcome.cost) continue;
      const bool front =
          std::find(r_.answer.front.begin(), r_.answer.front.end(), i) != r_.answer.front.end();
      c.points.push_back({label(at(i)), days(at(i)).value, money(at(i)).value, front, i == *best_});
    }
    return c.points.empty() ? "" : scatter_chart(c);
  }

  std::string charts() const {
    return "<h2>Side by side</h2>\n<div class=\"charts\">\n" + time_chart() + cost_chart() +
           memory_chart() + power_chart() + causes_chart() + front_chart() + "</div>\n";
  }

  std::string tornados() const {
    const OptionAnswer& o = at(*best_);
    TornadoChart time{"Days, each input at the ends of its range",
                      days(o).value,
                      fixed(days(o).value, 1) + " days",
                      {}};
    TornadoChart cost{
        "Cost in " + money_name() + ", the same", money(o).value, fixed(money(o).value, 1), {}};
    constexpr double kWorthABar = 1e-3;
    const int digits = decimals(money(o).value);
    for (const Sensitivity& s : o.sensitivities) {
      const Ranged<double> d = {in_days(s.wall.value), in_days(s.wall.low), in_days(s.wall.high)};
      if (std::abs(d.high - d.low) > kWorthABar * d.value) {
        time.bars.push_back(
            {std::string(s.what), d.low, d.high, fixed(d.low, 1), fixed(d.high, 1), s.what_if});
      }
      const Ranged<double>& c = s.cost;
      if (o.outcome.cost && std::abs(c.high - c.low) > kWorthABar * c.value) {
        cost.bars.push_back({std::string(s.what), c.low / unit_.of, c.high / unit_.of,
                             fixed(c.low / unit_.of, digits), fixed(c.high / unit_.of, digits),
                             s.what_if});
      }
    }
    return tornado_chart(time) + (cost.bars.empty() ? "" : tornado_chart(cost));
  }

  std::string best_option_part() const {
    return "<h2>" + html_escaped(label(at(*best_))) +
           ": what matters</h2>\n<div class=\"charts\">" + tornados() + "</div>\n<h2>" +
           html_escaped(label(at(*best_))) + ": in detail</h2>\n<pre>" +
           html_escaped(option_details(r_, *best_)) + "</pre>\n";
  }

  std::string refused() const {
    std::string text;
    for (const OptionAnswer& o : r_.answer.options) {
      if (o.status == OptionStatus::fits) continue;
      text += "<tr>" + cell(label(o)) + cell(o.reason, "t wrap") + "</tr>\n";
    }
    return text.empty() ? ""
                        : "<h2>Not possible</h2>\n<table><tr><th>option</th><th class=\"t\">why"
                          "</th></tr>\n" +
                              text + "</table>\n";
  }

  std::string assumptions() const {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    std::string rows;
    for (const OptionAnswer& o : r_.answer.options) {
      for (const Assumption& a : o.assumptions) {
        if (!seen.insert({a.what, a.value, a.source}).second) continue;
        rows += "<tr>" + cell(a.what) + cell(a.value, "t") + cell(a.source, "t wrap") +
                cell(a.date) + "</tr>\n";
      }
    }
    return "<h2>Taken for given</h2>\n<table><tr><th>what</th><th class=\"t\">value</th>"
           "<th class=\"t\">source</th><th>seen</th></tr>\n" +
           rows + "</table>\n";
  }

  std::string footer() const {
    return "<footer>" + html_escaped(std::string("Orrery ") + kVersion) +
           ". Prices and sources as listed; what has no price is not in a sum. Step times are "
           "predictions with the interval they had on published runs left out of their fit."
           "</footer>\n";
  }

  const CapacityReport& r_;
  std::optional<std::size_t> best_;
  MoneyUnit unit_;
};

}  // namespace

std::string capacity_html(const CapacityReport& r) { return Page(r).text(); }

}  // namespace orrery
