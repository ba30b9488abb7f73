// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/units.h"
#include "orrery/version.h"
#include "report/capacity_page.h"
#include "report/charts.h"

namespace orrery {
namespace {

constexpr const char* kCapacityStyle = R"(
:root{--ink:#1d2733;--dim:#66717d;--line:#d9dee3}
body{font:14px/1.45 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);margin:28px auto;max-width:1080px;padding:0 20px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:30px 0 8px;border-bottom:1px solid var(--line);padding-bottom:3px}
p.lead{font-size:15px;margin:6px 0}.dim,text.dim{color:var(--dim);fill:var(--dim)}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th{font-weight:600;color:var(--dim)}td{white-space:nowrap}td:first-child,th:first-child,td.t,th.t{text-align:left}tr.best td{background:#eef4fa;font-weight:600}
.charts{display:grid;grid-template-columns:1fr 1fr;gap:14px 24px}figure{margin:0;break-inside:avoid}
figcaption{font-weight:600;font-size:13px;margin-bottom:2px}svg{width:100%;height:auto}svg text{font-size:11.5px;fill:var(--ink)}
svg text.dim{fill:var(--dim)}svg text.limit{fill:#b3402e}
td.wrap{white-space:normal;overflow-wrap:anywhere}td.t,td.soft{white-space:normal}
h3{font-size:14px;margin:20px 0 4px;break-after:avoid}p.note{border-left:3px solid #c07a2c;padding-left:10px}
table.details th{width:130px;white-space:nowrap}footer{margin-top:28px;color:var(--dim);font-size:12px}
@media print{body{margin:0;max-width:none;font-size:11px}table{font-size:9.5px}th,td{padding:3px 4px}.charts{display:block}figure{max-width:150mm;margin-bottom:14px}h2{break-after:avoid}tr{break-inside:avoid}@page{size:A4;margin:14mm}}
)";

std::string cell(const std::string& text, const char* kind = "") {
  return std::string("<td") + (*kind != '\0' ? std::string(" class=\"") + kind + "\"" : "") + ">" +
         html_escaped(text) + "</td>";
}

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

std::string paragraph(const std::string& text, const char* kind) {
  return text.empty() ? ""
                      : std::string("<p class=\"") + kind + "\">" + html_escaped(text) + "</p>\n";
}

}  // namespace

std::string option_label(const OptionAnswer& o) { return name_of(o) + " × " + grouped(o.gpus); }

Ranged<double> days_of(const OptionAnswer& o) {
  return {in_days(o.range.wall.value), in_days(o.range.wall.low), in_days(o.range.wall.high)};
}

std::string short_range(const Ranged<double>& r, int decimals) {
  const std::string middle = fixed(r.value, decimals);
  if (r.is_exact()) return middle;
  return middle + " (" + fixed(r.low, decimals) + "–" + fixed(r.high, decimals) + ")";
}

int decimals_for(double x) { return x >= 100 ? 0 : x >= 10 ? 1 : 2; }

namespace {

class PageWriter {
 public:
  explicit PageWriter(const CapacityReport& r) : p_{r, best_option(r), money_unit(r)}, r_(r) {}

  std::string text() const {
    const std::string title = html_escaped(r_.plan.name.empty() ? "Capacity plan" : r_.plan.name);
    std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       title + "</title>\n<style>" + kCapacityStyle +
                       "</style></head><body>\n<h1>" + title + "</h1>\n" + verdicts();
    if (p_.best) page += options() + page_charts(p_) + best_option_part();
    return page + refused() + assumptions() + footer() + "</body></html>\n";
  }

 private:
  std::string verdicts() const {
    std::string text;
    for (const std::string& line : requirement_lines(r_)) {
      text += paragraph("Required " + line + ".", "lead");
    }
    for (const std::string& line : tried_lines(r_))
      text += paragraph("Sizes tried: " + line + ".", "note");
    return text;
  }

  std::string option_row(std::size_t i) const {
    const OptionAnswer& o = p_.option(i);
    std::string row = i == *p_.best ? "<tr class=\"best\">" : "<tr>";
    row += cell(name_of(o)) + cell(grouped(o.gpus)) +
           cell(strategy_text(o.run->run.strategy), "t") + cell(percent(mfu_of(o.answer)));
    row += cell(short_range(days_of(o), 1), "soft");
    if (r_.plan.start) row += cell(text_of(after(*r_.plan.start, o.outcome.wall)));
    row += cell(percent(o.outcome.goodput.ratio()));
    row += cell(o.outcome.cost ? short_range(p_.money(o), decimals_for(p_.money(o).value)) +
                                     payment_suffix(r_, o)
                               : "–",
                "soft");
    row += cell(pretty(o.outcome.energy.peak, 3)) + cell(energy_text(o.outcome.energy.facility)) +
           cell(o.outcome.energy.carbon ? grouped(o.outcome.energy.carbon->kg / 1000) : "–");
    if (!r_.answer.requirements.empty()) row += cell(meets_text(r_, i));
    return row + "</tr>\n";
  }

  std::string options() const {
    std::string text = "<h2>" + html_escaped(options_heading(r_)) +
                       "</h2>\n<table><tr><th>option</th><th>GPUs</th>"
                       "<th class=\"t\">strategy</th><th>MFU</th><th>days</th>";
    if (r_.plan.start) text += "<th>ends</th>";
    text += "<th>effective</th><th>cost, " + p_.money_name() +
            "</th><th>peak power</th><th>energy</th>"
            "<th>t CO₂e</th>";
    if (!r_.answer.requirements.empty()) text += "<th>meets it</th>";
    text += "</tr>\n";
    for (const std::size_t i : r_.answer.ranked) text += option_row(i);
    return text +
           "</table>\n<p class=\"dim\">In brackets the range that the ranges of the inputs give: "
           "the step time's 80 % interval, failures, recovery, prices, power by load. "
           "likely: by the middle of its range; surely: by the upper end too.</p>\n" +
           paragraph(payment_note(r_), "note");
  }

  std::string best_option_part() const {
    const OptionAnswer& o = p_.option(*p_.best);
    const std::string name = html_escaped(option_label(o));
    return "<h2>" + name + ": what matters</h2>\n<div class=\"charts\">" + page_tornados(p_) +
           "</div>\n<h2>" + name + ": in detail</h2>\n" + details() + time_table(o) +
           serving_table_of(o) + break_even_table();
  }

  std::string details() const {
    std::string rows;
    for (const DetailLine& d : option_details(r_, *p_.best).lines) {
      rows += "<tr><th class=\"t\">" + html_escaped(d.label) + "</th>" + cell(d.text, "t wrap") +
              "</tr>\n";
    }
    return "<table class=\"details\">" + rows + "</table>\n";
  }

  static std::string time_table(const OptionAnswer& o) {
    std::string rows;
    for (const TimeCause& c : time_causes(o)) {
      const double part = c.share / o.outcome.goodput.total;
      rows += "<tr>" + cell(c.name) + cell(fixed(c.share * in_days(o.outcome.training), 2)) +
              cell(percent(part, 2)) +
              cell(o.outcome.cost ? money_text(*o.outcome.cost * part) : "–") + "</tr>\n";
    }
    return "<h3>Where the time goes</h3>\n<table><tr><th>cause</th><th>days</th><th>of all</th>"
           "<th>cost</th></tr>\n" +
           rows + "</table>\n";
  }

  static std::string serving_table_of(const OptionAnswer& o) {
    std::string rows;
    for (const InferenceNeeds& n : o.inference) {
      rows += "<tr>" + cell(grouped(n.batch) + " × " + grouped(n.context) + " tokens") +
              cell(gib_text(n.cache, 1)) + cell(gib_text(n.waste, 2)) +
              cell(gib_text(n.weights + n.cache, 1)) + cell(gib_text(n.weights / 2 + n.cache, 1)) +
              cell(gib_text(n.weights / 4 + n.cache, 1)) + "</tr>\n";
    }
    return "<h3>Memory to serve the trained model</h3>\n<table><tr><th>sequences</th><th>keys and "
           "values</th><th>of it empty</th><th>with 16-bit weights</th><th>8-bit</th>"
           "<th>4-bit</th></tr>\n" +
           rows + "</table>\n";
  }

  std::string break_even_table() const {
    std::string rows;
    for (const BreakEven& b : r_.answer.break_evens) {
      rows += "<tr>" + cell(option_label(p_.option(b.option))) +
              cell(fixed((b.rent * kHour).amount(), 2) + " " + b.rent.currency().text()) +
              "</tr>\n";
    }
    if (rows.empty()) return "";
    return "<h3>Break-even: the rent of a GPU-hour at which each costs what the first does</h3>\n"
           "<table><tr><th>option</th><th>a GPU-hour</th></tr>\n" +
           rows + "</table>\n";
  }

  std::string refused() const {
    std::string text;
    for (const OptionAnswer& o : r_.answer.options) {
      if (o.status == OptionStatus::fits) continue;
      text += "<tr>" + cell(option_label(o)) + cell(o.reason, "t wrap") + "</tr>\n";
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

  CapacityPage p_;
  const CapacityReport& r_;
};

}  // namespace

std::string capacity_html(const CapacityReport& r) { return PageWriter(r).text(); }

}  // namespace orrery
