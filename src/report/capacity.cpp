// SPDX-License-Identifier: Apache-2.0
#include "report/capacity.h"

#include <algorithm>

#include "core/units.h"
#include "document/words.h"
#include "report/capacity_words.h"
#include "rl/step.h"

namespace orrery {
namespace {

bool is_rl(const CapacityReport& r) {
  return std::any_of(r.answer.options.begin(), r.answer.options.end(),
                     [](const OptionAnswer& o) { return o.rl != nullptr; });
}

// How fast it is: its MFU, or the time of a step of reinforcement learning.
std::string speed_text(const OptionAnswer& o) {
  return o.rl ? pretty(o.rl->step.value, 3) : percent(mfu_of(o.answer));
}

Table options_table(const CapacityReport& r) {
  Table table({"option",
               {"GPUs (paid)", true},
               {is_rl(r) ? "step" : "MFU", true},
               {"days", true},
               {"range", true},
               {"effective", true},
               {"cost", true},
               {"peak", true},
               {"energy", true},
               "meets",
               "front"},
              2);
  const std::vector<std::size_t>& front = r.answer.front;
  for (const std::size_t i : r.answer.ranked) {
    const OptionAnswer& o = r.answer.options[i];
    const bool on_front = std::find(front.begin(), front.end(), i) != front.end();
    table.add({name_of(o), gpus_text(o), speed_text(o), fixed(in_days(o.outcome.wall), 1),
               fixed(in_days(o.range.wall.low), 1) + "–" + fixed(in_days(o.range.wall.high), 1),
               percent(o.outcome.effective),
               o.outcome.cost ? money_text(*o.outcome.cost) + payment_suffix(r, o) : "–",
               pretty(o.outcome.energy.peak, 3), energy_text(o.outcome.energy.facility),
               meets_text(r, i), on_front ? "*" : ""});
  }
  return table;
}

Section required(const CapacityReport& r) {
  Section s;
  for (const std::string& line : requirement_lines(r)) s.add(labelled("required", line));
  for (const std::string& line : tried_lines(r)) s.add(labelled("sizes tried", line));
  return s;
}

Section options(const CapacityReport& r) {
  if (r.answer.options.size() < 2 || r.answer.ranked.empty()) return {};
  Section s{options_heading(r)};
  s.add(options_table(r));
  if (const std::string note = payment_note(r); !note.empty()) s.add(Paragraph{note, 2, 2});
  return s;
}

Section refused(const CapacityReport& r) {
  Section s;
  for (const OptionAnswer& o : r.answer.options) {
    if (o.status == OptionStatus::fits) continue;
    s.heading = "Not possible";
    s.add(Paragraph{name_of(o) + ", " + grouped(o.gpus) +
                        " GPUs: " + std::string(name_of(o.status)) + ": " + o.reason,
                    4, 2});
  }
  return s;
}

// "39.4 to 68.2", or "–" where it moves nothing that these digits show.
std::string ends(const std::string& low, const std::string& high) {
  return low == high ? "–" : low + " to " + high;
}

Section what_matters(const OptionAnswer& o) {
  const bool is_priced = o.outcome.cost.has_value();
  std::vector<Column> columns = {"input", {"days", true}, {"energy", true}};
  if (is_priced) columns.emplace_back("cost", true);
  Table table(columns, 2);
  for (const Sensitivity& s : o.sensitivities) {
    if (!is_worth_showing(s)) continue;
    std::vector<Cell> row = {
        std::string(s.what) + (s.what_if ? " (what if)" : ""),
        ends(fixed(in_days(s.wall.low), 1), fixed(in_days(s.wall.high), 1)),
        ends(energy_text(Joules(s.energy.low)), energy_text(Joules(s.energy.high)))};
    if (is_priced) {
      const Currency c = o.outcome.cost->currency();
      row.emplace_back(ends(money_text(s.cost.low, c), money_text(s.cost.high, c)));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return {};
  return Section{"What matters, each input at the ends of its range"}.add(table);
}

Section assumptions(const OptionAnswer& o) {
  if (o.assumptions.empty()) return {};
  Section s{"Inputs and their sources"};
  for (const Assumption& a : o.assumptions) {
    s.add(Paragraph{
        a.what + ": " + a.value + ": " + a.source + (a.date.empty() ? "" : " (" + a.date + ")"), 4,
        2});
  }
  return s;
}

// `all`: also what is beside the decision.
void add_best(AnswerDocument& d, const CapacityReport& r, std::size_t best, bool all) {
  const OptionAnswer& o = r.answer.options[best];
  Section lines;
  if (r.answer.options.size() > 1) lines.heading = bold(name_with_gpus(o));
  add_option_lines(lines, r, best);
  d.add(std::move(lines));
  d.add({"Where the time goes"}).add(causes_table(o).untitled());
  d.add(materials_section(o));
  d.add(recovery_section(o));
  if (all) d.add(power_section(r, o));
  if (all) d.add(serving_section(o.inference));
  d.add(break_even_section(r));
  if (!all) return;
  d.add(what_matters(o));
  d.add(assumptions(o));
}

// The recommended option in a line, the command that shows it, and what is left out.
Section capacity_ending(const CapacityReport& r) {
  Section s;
  if (const std::optional<std::size_t> best = best_option(r)) {
    const OptionAnswer& o = r.answer.options[*best];
    s.add(labelled("answer", bold(name_with_gpus(o)) + ": " + span_text(o.outcome.wall) +
                                 (o.outcome.cost ? ", " + money_text(*o.outcome.cost) : "") + ", " +
                                 pretty(o.outcome.energy.peak, 3)));
    if (const std::string command = command_of(o); !command.empty())
      s.add(labelled("next", command));
  }
  s.add(labelled("all tables",
                 "--all: power caps, memory to serve it, what matters, inputs and sources"));
  return s;
}

std::vector<Cell> data_cells(const OptionAnswer& o) {
  std::vector<Cell> row = {o.scenario, o.model, std::to_string(o.gpus), name_of(o.status)};
  const auto add = [&row](double x) { row.push_back(plain_number(x)); };
  if (o.status != OptionStatus::fits) {
    row.resize(row.size() + 14, "");
    return row;
  }
  const Outcome& x = o.outcome;
  row.push_back(o.rl ? std::string() : plain_number(mfu_of(o.answer)));
  for (const double value :
       {in_days(o.training.time.value), in_days(x.wall), in_days(o.range.wall.low),
        in_days(o.range.wall.high), x.effective, x.failures, gpu_hours(o.inputs, x.wall)}) {
    add(value);
  }
  if (x.cost) {
    for (const double amount : {x.cost->amount(), o.range.cost.low, o.range.cost.high}) add(amount);
  } else {
    row.resize(row.size() + 3, "");
  }
  add(x.energy.peak.si() / 1e6);
  add(x.energy.facility.si() / (1e3 * kKilowattHour.si()));
  if (x.energy.carbon) {
    add(x.energy.carbon->kg / 1000);
  } else {
    row.emplace_back("");
  }
  return row;
}

Table data_table(const CapacityReport& r) {
  Table table({"scenario", "model", "gpus", "status", "mfu", "ideal_days", "days", "days_low",
               "days_high", "effective", "failures", "gpu_hours", "cost_" + r.plan.currency.text(),
               "cost_low", "cost_high", "peak_mw", "energy_mwh", "co2e_t"});
  for (const OptionAnswer& o : r.answer.options) table.add(data_cells(o));
  return table;
}

}  // namespace

AnswerDocument capacity_document(const CapacityReport& r, bool all) {
  AnswerDocument d{r.plan.name};
  d.add({bold(r.plan.name)});
  d.add(verdict_section(r));
  d.add(required(r));
  d.add(options(r));
  if (r.answer.ranked.size() > 1) d.add(sureness_section(r));
  d.add(refused(r));
  if (const std::optional<std::size_t> best = best_option(r)) add_best(d, r, *best, all);
  if (all || r.answer.ranked.size() > 1) d.add(command_section(r));
  if (!all) d.add(capacity_ending(r));
  const bool lists = std::any_of(r.answer.options.begin(), r.answer.options.end(),
                                 [](const OptionAnswer& o) { return !o.materials.empty(); });
  d.rows = lists ? materials_rows(r) : data_table(r);
  return d;
}

}  // namespace orrery
