// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <cmath>

#include "core/units.h"
#include "estimate/risk.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

std::string number(const Metric& m, double v) {
  if (m.unit == "s") return pretty(Seconds(v), 3);
  if (m.unit == "GiB") return fixed(v, 2) + " GiB";
  if (m.unit.empty()) return percent(v);
  return v >= 1000 ? grouped(v) : fixed(v, 2);
}

std::string change(const Metric& m, double from, double to) {
  const double by = to - from;
  if (by == 0) return "·";
  const std::string sign = by < 0 ? "−" : "+";
  if (m.unit.empty()) return sign + fixed(100 * std::abs(by), 1) + " points";
  if (m.group == MetricGroup::speed && from != 0) {
    return sign + percent(std::abs(by / from), std::abs(by / from) < 0.1 ? 1 : 0);
  }
  return sign + number(m, std::abs(by));
}

std::string letter(std::size_t run) { return std::string(1, static_cast<char>('A' + run)); }

Table terms_table(const Comparison& c, const std::vector<ChangedTerm>& list) {
  std::vector<Column> columns = {""};
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    columns.emplace_back(letter(i), true);
    if (i > 0) columns.emplace_back("change", true);
  }
  Table table(columns, 2);
  for (const ChangedTerm& t : list) {
    std::vector<Cell> row = {std::string(t.metric->label)};
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      row.emplace_back(number(*t.metric, t.values[i]));
      if (i > 0) row.emplace_back(change(*t.metric, t.values[0], t.values[i]));
    }
    table.add(row);
  }
  return table;
}

std::string value_text(const Json& v) {
  if (v.is_null()) return "nothing";
  return bare_text(v);
}

std::string key_text(const ChangedKey& k) {
  return k.path + ": " + value_text(k.from) + " → " + value_text(k.to);
}

// The effect of one change on the first run alone; "" where no number changes.
std::string effect_text(const Comparison& c, const ChangedKey& k) {
  if (k.follows) return "follows from the others";
  if (!k.possible) return "illegal alone: " + k.why_not;
  const Answer& first = c.runs[0].report.answer;
  const double by = k.step / first.step_time - 1;
  const double gib = (k.peak - first.memory.peak) / kGiB;
  if (by == 0 && gib == 0) return "";
  return "step " + std::string(by < 0 ? "−" : "+") + percent(std::abs(by)) + ", peak " +
         (gib < 0 ? "−" : "+") + fixed(std::abs(gib), 1) + " GiB";
}

// Causes first; what changes nothing alone in one paragraph below them.
Section changed_keys(const Comparison& c, std::size_t run) {
  constexpr std::size_t kKey = 56;
  constexpr std::size_t kEffect = 40;
  Table causes({Column("key").wrapped(kKey), Column("alone").wrapped(kEffect)}, 2);
  std::vector<std::string> idle;
  for (const ChangedKey& k : c.keys) {
    if (k.run != run) continue;
    const std::string effect = effect_text(c, k);
    if (effect.empty()) {
      idle.push_back(key_text(k));
    } else {
      causes.add({key_text(k), effect});
    }
  }
  if (causes.empty() && idle.empty())
    return {"", {Paragraph{letter(run) + " has the inputs of A"}}};
  Section s{bold("Changed") + " from A to " + letter(run) + ", and what each does to A alone"};
  if (!causes.empty()) s.add(causes.untitled());
  if (!idle.empty()) {
    s.add(Paragraph{"no effect alone: " + joined(idle, " · "), 4, 2});
  }
  return s;
}

// "unlikely (31 %)"
Phrase unfit_words(const RunReport& r) {
  const Run& run = r.resolved.run;
  return Phrase(TextStyle::red, fit_text(run, r.answer));
}

// Utilisations of runs of unlike precisions or devices are no parts of one peak.
void add_peaks(const Comparison& c, Section& s) {
  std::vector<std::string> peaks;
  bool is_one = true;
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    const FlopsPerSecond peak = c.runs[i].report.answer.peak_rate;
    is_one = is_one && peak == c.runs[0].report.answer.peak_rate;
    peaks.push_back(letter(i) + " " + pretty(peak, 4) + " (" +
                    std::string(name_of(c.runs[i].report.resolved.run.training.precision)) + ")");
  }
  if (is_one) return;
  s.add(Paragraph{"MFU and HFU divide by each run's own peak: " + joined(peaks, ", ") +
                      "; a change of them is none of the speed",
                  5, 2});
}

Section runs_section(const Comparison& c) {
  Section s;
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    const RunReport& r = c.runs[i].report;
    Phrase line = letter(i) + "  " + bold(c.runs[i].name) + ": " + r.resolved.model_name + " on " +
                  grouped(r.resolved.run.cluster.gpus) + " of " +
                  std::string(r.resolved.run.cluster.node.view());
    if (!is_feasible(r)) line += ", " + unfit_words(r);
    s.add(Paragraph{line, 5});
    const std::string calibrated = calibration_line(r.resolved);
    if (!calibrated.empty()) s.add(Paragraph{calibrated, 5, 3});
  }
  add_peaks(c, s);
  return s;
}

// CSV: every number, a column a run.
Table number_rows(const Comparison& c) {
  std::vector<Column> columns = {"key", "unit"};
  for (const NamedRun& r : c.runs) columns.emplace_back(r.name);
  Table table(columns);
  for (const auto* list : {&c.numbers, &c.time, &c.memory}) {
    for (const ChangedTerm& t : *list) {
      std::vector<Cell> row = {data_cell(t.metric->key), data_cell(t.metric->unit)};
      for (const double v : t.values) row.push_back(data_cell(v));
      table.add(row);
    }
  }
  return table;
}

double tokens_of(const NamedRun& r) {
  return find_metric("tokens_per_s")->value({r.report.resolved.run, r.report.answer});
}

// The most tokens a second of those that fit as predicted; nullptr where none does.
const NamedRun* fastest_of(const Comparison& c) {
  const NamedRun* best = nullptr;
  for (const NamedRun& r : c.runs) {
    if (!is_feasible(r.report)) continue;
    if (best == nullptr || tokens_of(r) > tokens_of(*best)) best = &r;
  }
  return best;
}

// "b: 76,833 tokens/s, the most of 2; likely (92 %)"
Section comparison_ending(const Comparison& c) {
  Section s;
  const NamedRun* best = fastest_of(c);
  if (best == nullptr) {
    s.add(labelled("answer", bold("none of them fits as predicted")));
    s.add(labelled("next", "orrery search " + c.runs[0].name));
    return s;
  }
  const RunReport& r = best->report;
  const auto n = static_cast<std::int64_t>(c.runs.size());
  s.add(labelled("answer", bold(best->name) + ": " + grouped(tokens_of(*best)) +
                               " tokens/s, the most of " + counted(n, "run") + "; " +
                               fit_text(r.resolved.run, r.answer)));
  s.add(labelled("next", "orrery estimate " + best->name));
  return s;
}

}  // namespace

AnswerDocument comparison_document(const Comparison& c) {
  AnswerDocument d{"Runs side by side", {runs_section(c)}, number_rows(c), ""};
  const auto add = [&](const std::vector<ChangedTerm>& list, const char* title) {
    if (!list.empty()) d.add({bold(title), {terms_table(c, list)}});
  };
  add(c.numbers, "Answer");
  add(c.time, "Parts of the step that differ, the largest change first");
  add(c.memory, "Memory of the fullest stage that differs");
  for (std::size_t i = 1; i < c.runs.size(); ++i) d.add(changed_keys(c, i));
  d.add(comparison_ending(c));
  return d;
}

Json comparison_json(const Comparison& c) {
  Json j;
  j["runs"] = json_list(c.runs, [](const NamedRun& r) {
    Json run = {{"name", r.name}};
    run.update(estimate_json(r.report));
    return run;
  });
  const auto list = [&j](const char* name, const std::vector<ChangedTerm>& terms) {
    j[name] = json_list(terms, [](const ChangedTerm& t) -> Json {
      return {{"key", t.metric->key}, {"unit", t.metric->unit}, {"values", t.values}};
    });
  };
  list("numbers", c.numbers);
  list("time", c.time);
  list("memory", c.memory);
  j["changed"] = Json::array();
  const Answer& first = c.runs[0].report.answer;
  for (const ChangedKey& k : c.keys) {
    Json key = {{"run", k.run}, {"path", k.path}, {"from", k.from}, {"to", k.to}};
    if (k.possible) {
      key["alone"] = {{"step_time_s", k.step.si()},
                      {"change_s", (k.step - first.step_time).si()},
                      {"peak_gib", static_cast<double>(k.peak / kGiB)}};
    } else {
      key["alone"] = nullptr;
      key["reason"] = k.follows ? "follows from the others" : k.why_not;
    }
    j["changed"].push_back(key);
  }
  return versioned(std::move(j));
}

}  // namespace orrery
