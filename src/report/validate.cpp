// SPDX-License-Identifier: Apache-2.0
#include "report/validate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/units.h"
#include "document/words.h"
#include "report/frame_json.h"
#include "report/number_table.h"

namespace orrery {
namespace {

constexpr std::size_t kPaletteColours = 10;
constexpr double kSpread = 0.08;  // between neighbours of a line of dots

std::string tier_name(const JudgedRow& r) { return std::string(name_of(r.row.tier)); }

std::string step_text(Seconds t) {
  return fixed(t.si(), t.si() < 10 ? 3 : t.si() < 100 ? 2 : 1) + " s";
}

std::vector<std::string> time_cells(const JudgedRow& r) {
  const std::optional<double> error = time_error(r);
  if (!error) return {step_text(r.answer.step_time), "", ""};
  return {step_text(r.answer.step_time), step_text(r.published.time), signed_percent(*error)};
}

std::vector<std::string> memory_cells(const JudgedRow& r) {
  const std::string predicted = gib_text(predicted_memory(r));
  if (const std::optional<double> error = memory_error(r)) {
    return {predicted, gib_text(*r.row.measured.peak_memory), signed_percent(*error)};
  }
  if (!r.row.measured.out_of_memory) return {predicted, "", ""};
  return {predicted, "does not fit", fits(r) ? "not seen" : "seen"};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::string name_of_row(const JudgedRow& r) {
  return (r.protocol ? std::string(name_of(*r.protocol)) + ": " : "") + r.row.id;
}

Table row_table(const ValidationReport& report) {
  Table table = number_table({"row", "tier", "step predicted", "measured", "error",
                              "memory predicted", "measured", "error", "predicted to fit"});
  for (const JudgedRow& r : report.rows) {
    if (!is_estimated(r)) continue;
    std::vector<std::string> cells = {name_of_row(r), tier_name(r)};
    append(cells, time_cells(r));
    append(cells, memory_cells(r));
    cells.emplace_back(fits(r) ? "" : "does not fit");
    table.add(cells);
  }
  return table;
}

Table refusal_table(const ValidationReport& report) {
  Table table = number_table({"row refused", "why"});
  for (const JudgedRow& r : report.rows) {
    if (is_estimated(r)) continue;
    const std::string where = r.row.file + ": " + r.row.id + ": ";
    const bool is_own = r.refusal.starts_with(where);
    table.add({name_of_row(r), is_own ? r.refusal.substr(where.size()) : r.refusal});
  }
  return table;
}

std::vector<std::string> error_cells(const ErrorSummary& s) {
  if (s.count == 0) return {"", "", "", "", ""};
  return {percent(s.median), percent(s.p90), percent(s.mean), signed_percent(s.bias),
          percent(s.within_10)};
}

std::vector<std::string> cells_beside(const Summary& s) {
  if (s.error.count == 0) return {"", "", "", "", ""};
  return {percent(s.one_factor.median), percent(s.one_factor.p90), percent(s.one_constant.median),
          percent(s.one_constant.mean), percent(s.in_interval)};
}

Table summary_table(const ValidationReport& report, Judged quantity) {
  const bool is_time = quantity == Judged::time;
  std::vector<std::string> titles = {is_time ? "step time" : "peak memory", "rows", "refused"};
  append(titles, {"median", "p90", "mean", "bias", "≤ 10 %"});
  if (is_time) append(titles, {"form", "p90", "constant", "mean", "in 80 %"});
  Table table = number_table(titles);
  for (const Summary& s : report.summaries) {
    if (s.quantity != quantity) continue;
    std::vector<std::string> cells = {s.scope, std::to_string(s.error.count),
                                      std::to_string(s.refused)};
    append(cells, error_cells(s.error));
    if (is_time) append(cells, cells_beside(s));
    table.add(cells);
  }
  return table;
}

Table sweep_table(const ValidationReport& report) {
  Table table =
      number_table({"sweep", "rows", "Spearman", "regret of the pick", "of the best of three"});
  for (const Sweep& s : report.sweeps) {
    table.add({s.source + ": " + s.name, std::to_string(s.rows), fixed(s.spearman, 2),
               percent(s.regret), percent(s.regret_of_three)});
  }
  return table;
}

std::string fit_sentence(const FitSummary& f) {
  return (f.scope.empty() ? "Of " : f.scope + ": of ") + std::to_string(f.out_of_memory) +
         " runs published as out of memory, " + std::to_string(f.out_of_memory_seen) +
         " are predicted not to fit; of " + std::to_string(f.ran) + " that ran, " +
         std::to_string(f.ran_but_refused) + ".";
}

std::string regret_sentence(const RegretSummary& r) {
  return (r.scope.empty() ? "In " : r.scope + ": in ") + std::to_string(r.sweeps) +
         " sweeps of six or more layouts, the layout predicted fastest is " + percent(r.median) +
         " slower than the best (median), " + percent(r.p90) + " (p90), " + percent(r.worst) +
         " (worst); " + std::to_string(r.picks_out_of_memory) +
         " ran out of memory. Recommended layouts: " + percent(r.recommended_median) +
         " (median), " + percent(r.recommended_p90) + " (p90); " +
         std::to_string(r.recommended_out_of_memory) + " ran out of memory.";
}

Section notes(const ValidationReport& report) {
  Section s;
  for (const FitSummary& f : report.fits) s.add(Paragraph{fit_sentence(f)});
  for (const RegretSummary& r : report.regrets) {
    if (r.sweeps > 0) s.add(Paragraph{regret_sentence(r)});
  }
  if (report.left_out) {
    s.add(Paragraph{
        "known stack: each row is predicted without its team, its framework known from others; "
        "unknown stack: without its team and its framework, by the profile of its class."});
  }
  for (const char* line :
       {"error = predicted/measured - 1; median, p90 and mean are of its size, bias is its median.",
        "form, p90: errors after the median ratio of each source and tier is divided out.",
        "constant, mean: median and mean of FLOPs/(peak x e), e fitted on the source and tier "
        "itself.",
        "regret: measured time of the layout predicted fastest, among those predicted to fit, over "
        "the least measured, less one.",
        "in 80 %: rows measured within the interval that estimate prints."}) {
    s.add(Paragraph{line});
  }
  return s;
}

// A series of dots and one of rings for each source.
using RowsBySource = std::map<std::string, std::vector<const JudgedRow*>>;

RowsBySource drawn_rows(const ValidationReport& report) {
  RowsBySource by;
  for (const JudgedRow& r : report.rows) {
    if (r.protocol == Protocol::known_stack) continue;  // all are judged as unknown ones
    if (time_error(r) && counts(r)) by[r.row.source.group].push_back(&r);
  }
  return by;
}

std::string words_of(const JudgedRow& r) {
  return r.row.id + ": predicted " + fixed(r.answer.step_time.si(), 2) + " s, measured " +
         fixed(r.published.time.si(), 2) + " s, " + signed_percent(*time_error(r));
}

template <class Place>
void add_series(XyPlot& plot, const RowsBySource& by, const Place& place) {
  std::size_t source = 0;
  for (const auto& [name, rows] : by) {
    bool is_named = false;
    for (const RowTier tier : {RowTier::a, RowTier::b}) {
      const Mark mark = tier == RowTier::a ? Mark::dots : Mark::rings;
      XySeries series{is_named ? "" : name, mark, source % kPaletteColours};
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i]->row.tier != tier) continue;
        const auto [x, y] = place(*rows[i], source, i);
        series.points.push_back({x, y, words_of(*rows[i])});
      }
      if (series.points.empty()) continue;
      is_named = true;
      plot.series.push_back(std::move(series));
    }
    ++source;
  }
}

XyPlot times_plot(const RowsBySource& by) {
  XyPlot plot{
      "Step time: a dot is of tier A (nothing unknown that moves time by more than a few "
      "percent), a ring of tier B; dashed: ± 10 %",
      {"measured, s", true},
      {"predicted, s", true}};
  plot.has_diagonal = true;
  plot.band = 0.1;
  add_series(plot, by, [](const JudgedRow& r, std::size_t, std::size_t) {
    return std::pair(r.published.time.si(), r.answer.step_time.si());
  });
  return plot;
}

// A line of dots a source, cut at half and double.
XyPlot errors_plot(const RowsBySource& by) {
  const double most = std::log(2.0);
  XyPlot plot{"Every row's error, by source", {"predicted / measured - 1"}, {""}};
  for (const int share : {-50, -30, -20, -10, 0, 10, 25, 50, 100}) {
    plot.x.ticks.push_back(
        {std::log(1 + share / 100.0), (share > 0 ? "+" : "") + std::to_string(share) + " %"});
  }
  plot.x.low = -most;
  plot.x.high = most;
  for (const auto& [name, rows] : by) {
    plot.y.ticks.push_back({-static_cast<double>(plot.y.ticks.size()), name});
  }
  plot.y.low = 0.5 - static_cast<double>(by.size());
  plot.y.high = 0.5;
  add_series(plot, by, [most](const JudgedRow& r, std::size_t source, std::size_t i) {
    const double spread = kSpread * (static_cast<double>(i % 5) - 2);
    return std::pair(std::clamp(std::log1p(*time_error(r)), -most, most),
                     spread - static_cast<double>(source));
  });
  for (XySeries& s : plot.series) s.name.clear();
  return plot;
}

Value number_or_nothing(const std::optional<double>& x) { return x ? Value(*x) : Value(); }

std::vector<Cell> data_cells(const JudgedRow& r) {
  std::vector<Cell> cells;
  const auto add = [&cells](Value v) { cells.push_back(data_cell(std::move(v))); };
  for (const std::string& text :
       {name_of_row(r), tier_name(r), r.row.source.group, r.node, r.framework}) {
    add(text);
  }
  if (is_estimated(r)) {
    const std::optional<double> time = time_error(r);
    const std::optional<double> memory = memory_error(r);
    add(name_of(r.published.basis));
    add(r.answer.step_time.si());
    add(time ? Value(r.published.time.si()) : Value());
    add(number_or_nothing(time));
    add(gib(predicted_memory(r)));
    add(memory ? Value(gib(*r.row.measured.peak_memory)) : Value());
    add(number_or_nothing(memory));
    add(fits(r));
  } else {
    for (int i = 0; i < 8; ++i) add({});
  }
  add(r.refusal);
  return cells;
}

Table data_table(const ValidationReport& report) {
  Table table({"id", "tier", "source", "node", "framework", "judged_by", "predicted_step_time_s",
               "measured_step_time_s", "step_time_error", "predicted_memory_gib",
               "measured_memory_gib", "memory_error", "feasible", "refused"});
  for (const JudgedRow& r : report.rows) table.add(data_cells(r));
  return table;
}

double in_tera(FlopsPerSecond r) { return r.si() / kTera; }

Json measured_json(const Measured& m) {
  Json j = Json::object();
  if (m.step_time) j["step_time_s"] = m.step_time->si();
  if (m.tokens_per_gpu) j["tokens_per_s_per_gpu"] = m.tokens_per_gpu->si();
  if (m.model_rate) j["model_tflops_per_gpu"] = in_tera(*m.model_rate);
  if (m.hardware_rate) j["hardware_tflops_per_gpu"] = in_tera(*m.hardware_rate);
  if (m.mfu) j["mfu"] = *m.mfu;
  if (m.hfu) j["hfu"] = *m.hfu;
  if (m.peak_memory) {
    j["peak_memory_gib"] = gib(*m.peak_memory);
    j["memory_kind"] = name_of(m.memory_kind);
  }
  if (m.out_of_memory) j["out_of_memory"] = true;
  return j;
}

Json predicted_json(const JudgedRow& r) {
  const Answer& a = r.answer;
  Json j;
  j["feasible"] = fits(r);
  j["step_time_s"] = a.step_time.si();
  j["tokens_per_s_per_gpu"] = predicted_tokens(r).si();
  j["model_tflops_per_gpu"] = in_tera(predicted_rate(r, FlopsKind::model));
  j["hardware_tflops_per_gpu"] = in_tera(predicted_rate(r, FlopsKind::hardware));
  j["mfu"] = double(a.model_flops / a.step_time / a.peak_rate);
  j["hfu"] = double(a.hardware_flops / a.step_time / a.peak_rate);
  j["peak_memory_gib"] = gib(predicted_memory(r));
  j["device_peak_gib"] = gib(a.memory.peak);
  j["capacity_gib"] = gib(a.capacity);
  for (const Term t : kAllOf<Term>) {
    j["breakdown_s"][std::string(name_of(t))] = a.breakdown[t].si();
  }
  j["interval_80"] = {{"step_time_s", {a.interval_low.si(), a.interval_high.si()}}};
  return j;
}

// Time stands under what the row publishes it as; other counts of the same time are left out where
// they rest on another formula.
Json error_json(const JudgedRow& r) {
  Json j = Json::object();
  const Measured& m = r.row.measured;
  const std::optional<double> time = time_error(r);
  const Basis basis = r.published.basis;
  if (time && m.step_time) j["step_time_s"] = *time;
  if (time && m.tokens_per_gpu) {
    j["tokens_per_s_per_gpu"] = predicted_tokens(r) / *m.tokens_per_gpu - 1;
  }
  if (time && basis > Basis::tokens) {
    j[std::string(name_of(basis))] = 1 / (1 + *time) - 1;
  }
  if (const std::optional<double> memory = memory_error(r)) j["peak_memory_gib"] = *memory;
  if (m.out_of_memory) j["out_of_memory_seen"] = !fits(r);
  return j;
}

Json row_json(const JudgedRow& r) {
  Json j;
  j["id"] = r.row.id;
  if (r.protocol) j["protocol"] = name_of(*r.protocol);
  j["tier"] = name_of(r.row.tier);
  j["source"] = r.row.source.group;
  j["node"] = r.node;
  j["framework"] = r.framework;
  if (is_estimated(r)) j["kind"] = stack_json(r.run);
  j["unknown"] = r.row.unknown;
  j["measured"] = measured_json(r.row.measured);
  if (!r.row.repeats.empty()) j["repeats"] = r.row.repeats;
  if (!is_estimated(r)) {
    j["refused"] = r.refusal;
    return j;
  }
  j["judged_by"] = name_of(r.published.basis);
  if (time_error(r)) j["published_step_time_s"] = r.published.time.si();
  if (!r.assumed.empty()) j["assumed"] = r.assumed;
  j["predicted"] = predicted_json(r);
  j["error"] = error_json(r);
  if (!r.elasticities.empty()) {
    j["elasticity"] = Json::object();
    for (const Elasticity& e : r.elasticities) j["elasticity"][std::string(e.key)] = e.value;
  }
  return j;
}

Json sweep_json(const Sweep& s) {
  return {{"source", s.source},
          {"sweep", s.name},
          {"rows", s.rows},
          {"spearman", s.spearman},
          {"regret", s.regret},
          {"regret_of_three", s.regret_of_three},
          {"picks_out_of_memory", s.picks_out_of_memory},
          {"regret_recommended", s.regret_recommended},
          {"recommends_out_of_memory", s.recommends_out_of_memory}};
}

Json error_summary_json(const ErrorSummary& s) {
  return {{"rows", s.count}, {"median", s.median}, {"p90", s.p90},
          {"mean", s.mean},  {"bias", s.bias},     {"within_10", s.within_10}};
}

Json summary_json(const Summary& s) {
  Json j;
  j["scope"] = s.scope;
  j["quantity"] = s.quantity == Judged::time ? "step_time_s" : "peak_memory_gib";
  j["rows"] = s.rows;
  j["refused"] = s.refused;
  j["error"] = error_summary_json(s.error);
  if (s.quantity == Judged::memory) return j;
  j["after_one_factor_per_source"] = error_summary_json(s.one_factor);
  j["one_constant_per_source"] = error_summary_json(s.one_constant);
  j["within_interval_80"] = s.in_interval;
  return j;
}

Json fit_summary_json(const FitSummary& f) {
  return {{"ran", f.ran},
          {"ran_but_predicted_not_to_fit", f.ran_but_refused},
          {"out_of_memory", f.out_of_memory},
          {"out_of_memory_seen", f.out_of_memory_seen}};
}

Json regret_json(const RegretSummary& r) {
  return {{"sweeps", r.sweeps},
          {"median", r.median},
          {"p90", r.p90},
          {"worst", r.worst},
          {"picks_out_of_memory", r.picks_out_of_memory},
          {"recommended_median", r.recommended_median},
          {"recommended_p90", r.recommended_p90},
          {"recommended_out_of_memory", r.recommended_out_of_memory}};
}

Json& of_scope(Json& object, const std::string& scope) {
  return scope.empty() ? object : object[scope];
}

}  // namespace

AnswerDocument validation_document(const ValidationReport& report) {
  AnswerDocument d{"Orrery: predicted against measured"};
  const RowsBySource by = drawn_rows(report);
  if (!by.empty()) d.add({}).add(times_plot(by)).add(errors_plot(by));
  add_table(d, row_table(report));
  add_table(d, refusal_table(report));
  add_table(d, summary_table(report, Judged::time));
  add_table(d, sweep_table(report));
  add_table(d, summary_table(report, Judged::memory));
  d.add(notes(report));
  d.rows = data_table(report);
  return d;
}

Json validation_json(const ValidationReport& report) {
  Json j = {{"left_out", report.left_out},
            {"rows", json_list(report.rows, row_json)},
            {"summaries", json_list(report.summaries, summary_json)},
            {"sweeps", json_list(report.sweeps, sweep_json)},
            {"memory_fit", Json::object()},
            {"regret", Json::object()}};
  for (const FitSummary& f : report.fits) of_scope(j["memory_fit"], f.scope) = fit_summary_json(f);
  for (const RegretSummary& r : report.regrets) of_scope(j["regret"], r.scope) = regret_json(r);
  return versioned(std::move(j));
}

}  // namespace orrery
