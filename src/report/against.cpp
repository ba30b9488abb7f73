// SPDX-License-Identifier: Apache-2.0
#include "report/against.h"

#include <algorithm>

#include "core/json.h"
#include "core/units.h"
#include "document/rows.h"
#include "network/bus_factor.h"
#include "report/collective.h"
#include "report/comm.h"
#include "report/frame.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

using enum Audience;

// "tp, dp"
std::string dimensions_of(const CommAgainst& a, const ComparedMessages& c) {
  std::vector<std::string> names;
  for (const std::size_t i : c.predicted) {
    const std::string name = dimension_name(a.report.messages[i].line.dimension);
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return joined(names, ", ");
}

Cell error_cell(double error) { return {signed_percent(error), error}; }

template <class Q>
Cell pretty_cell(Q x, int digits = 3, const std::string& more = "") {
  return {pretty(x, digits) + more, x.si()};
}

Table matched_messages(const CommAgainst& a) {
  Table table({"operation",
               Column("collective").only(programs),
               Column("line").only(programs),
               {"size", "measured_bytes", true},
               Column("size_is").only(programs),
               Column("of").only(people),
               {"count", "measured_count", true},
               {"a step", "predicted_count_per_step", true},
               {"steps", "steps", true},
               {"measured", "measured_time_s", true},
               {"predicted", "predicted_time_s", true},
               {"error", "error", true},
               Column("messages").only(programs)},
              2);
  for (const ComparedMessages& c : a.comparison.matched) {
    const LoggedMessages& m = a.log.rows[c.measured];
    table.add({m.operation, name_of(*m.collective), data_cell(m.line),
               pretty_cell(m.size, 3, c.is_share ? " a rank" : ""),
               c.is_share ? "share of a rank" : "full buffer", dimensions_of(a, c),
               count_cell(m.count), count_cell(c.count), Cell(fixed(c.steps, 2), c.steps),
               pretty_cell(m.each), pretty_cell(c.each), error_cell(c.error),
               data_cell(value_of(Json(c.predicted)))});
  }
  return table;
}

Table only_predicted_messages(const CommAgainst& a) {
  Table table({{""}, {"collective"}, {"size", true}, {"a step", true}, {"predicted", true}}, 2);
  for (const std::size_t i : a.comparison.only_predicted) {
    const MessageClass& m = a.report.messages[i];
    table.add({dimension_name(m.line.dimension), name_of(m.line.collective), pretty(m.message, 3),
               grouped(m.line.count), pretty(time_of_one(m), 3)});
  }
  return table;
}

Table only_measured_messages(const CommAgainst& a) {
  Table table({"operation",
               Column("line").only(programs),
               {"size", "measured_bytes", true},
               {"count", "measured_count", true},
               {"measured", "measured_time_s", true},
               Column("line", true).only(people)},
              2);
  for (const std::size_t i : a.comparison.only_measured) {
    const LoggedMessages& m = a.log.rows[i];
    table.add({m.operation, data_cell(m.line), pretty_cell(m.size), count_cell(m.count),
               pretty_cell(m.each), std::to_string(m.line)});
  }
  return table;
}

Table all_messages(const CommAgainst& a) {
  Table table({{"found"},
               {"operation"},
               {"bytes"},
               {"measured_count"},
               {"predicted_count_per_step"},
               {"measured_time_s"},
               {"predicted_time_s"},
               {"error"}});
  const auto add = [&](const char* found, const std::string& operation,
                       std::initializer_list<Value> values) {
    std::vector<Cell> row = {found, operation};
    for (const Value& v : values) row.push_back(data_cell(v));
    table.add(row);
  };
  for (const ComparedMessages& c : a.comparison.matched) {
    const LoggedMessages& m = a.log.rows[c.measured];
    add("both", m.operation, {m.size.si(), m.count, c.count, m.each.si(), c.each.si(), c.error});
  }
  for (const std::size_t i : a.comparison.only_predicted) {
    const MessageClass& m = a.report.messages[i];
    add("predicted", std::string(name_of(m.line.collective)),
        {m.message.si(), nullptr, m.line.count, nullptr, time_of_one(m).si(), nullptr});
  }
  for (const std::size_t i : a.comparison.only_measured) {
    const LoggedMessages& m = a.log.rows[i];
    add("measured", m.operation, {m.size.si(), m.count, nullptr, m.each.si(), nullptr, nullptr});
  }
  return table;
}

CurveErrors errors_in(const AgainstCurve& c) { return errors_of({&c, 1}); }

BytesPerSecond measured_busbw(const AgainstCurve& c, const AgainstPoint& p) {
  const CollectiveQuestion& q = c.question;
  return p.predicted.size / p.measured * bus_factor(q.kind, ranks_of(q));
}

Table point_table(const std::vector<AgainstCurve>& curves) {
  Table table({Column("file").only(programs),
               Column("collective").only(programs),
               Column("ranks").only(programs),
               {"size", "size_bytes", true},
               {"measured", "measured_s", true},
               {"predicted", "time_s", true},
               {"error", "error", true},
               Column("busbw, GB/s", true).only(people),
               Column("predicted", true).only(people),
               "algorithm",
               "tier"});
  for (const AgainstCurve& c : curves) {
    for (const AgainstPoint& p : c.points) {
      const auto size = static_cast<std::int64_t>(p.predicted.size.si());
      table.add({c.file, name_of(c.question.kind), data_cell(ranks_of(c.question)),
                 Cell(collective_size_text(p.predicted.size), size), pretty_cell(p.measured, 4),
                 pretty_cell(p.predicted.time, 4), error_cell(error_of(p)),
                 collective_rate_text(measured_busbw(c, p)),
                 collective_rate_text(p.predicted.busbw), name_of(p.predicted.algorithm),
                 collective_tier_name(c.question, p.predicted)});
    }
  }
  return table;
}

Table curve_table(const std::vector<AgainstCurve>& curves) {
  Table table({{"file"},
               {"collective"},
               {"ranks", true},
               {"node"},
               {"points", true},
               {"median", true},
               {"p90", true},
               {"largest", true},
               {"bias", true},
               {""}});
  const auto add = [&](std::vector<std::string> row, const CurveErrors& e,
                       const std::string& role) {
    row.insert(row.end(), {std::to_string(e.points), percent(e.median), percent(e.p90),
                           percent(e.largest), signed_percent(e.bias), role});
    table.add(row);
  };
  for (const AgainstCurve& c : curves) {
    const CollectiveQuestion& q = c.question;
    add({c.file.substr(c.file.rfind('/') + 1), std::string(name_of(q.kind)), grouped(ranks_of(q)),
         std::string(q.cluster.cluster.node.view())},
        errors_in(c), c.role);
  }
  add({"all", "", "", ""}, errors_of(curves), "");
  return table;
}

Json errors_json(const CurveErrors& e) {
  return {{"points", e.points},
          {"median", e.median},
          {"p90", e.p90},
          {"largest", e.largest},
          {"bias", e.bias}};
}

Json curve_json(const AgainstCurve& c) {
  Json j = {{"file", c.file},
            {"source", c.source},
            {"role", c.role},
            {"collective", name_of(c.question.kind)},
            {"ranks", ranks_of(c.question)},
            {"cluster", *c.question.cluster_input},
            {"error", errors_json(errors_in(c))},
            {"points", json_rows(point_table({c}))}};
  for (Json& point : j["points"]) {
    for (const char* of_curve : {"file", "collective", "ranks"}) point.erase(of_curve);
  }
  return j;
}

std::string amount(double x, const std::string& unit) {
  if (unit == "s") return seconds_text(Seconds(x));
  if (unit == "B") return gib_text(Bytes(x));
  return pretty_text(x, kFlops - kSeconds);
}

Table training_table(const TrainingAgainst& a) {
  Table table({{"", "name"},
               Column("unit").only(programs),
               {"predicted", "predicted", true},
               {"measured", "measured", true},
               {"error", "error", true}},
              2);
  for (const AgainstLine& l : a.lines) {
    table.add({l.name, l.unit, Cell(amount(l.predicted, l.unit), l.predicted),
               Cell(amount(l.measured, l.unit), l.measured),
               error_cell(l.predicted / l.measured - 1)});
  }
  return table;
}

Table cause_table(const TrainingAgainst& a) {
  Table table({{"what would explain the step", "what"},
               {"likely", "probability", true},
               {"step", "step_time_s", true},
               {"through", "term"},
               {"in the run file", "change"},
               Column("check").only(programs)},
              2);
  for (const StepCause& c : a.causes) {
    table.add({c.what, Cell(percent(c.probability, 0), c.probability),
               Cell(seconds_text(c.step_time), c.step_time.si()), c.term, c.change, c.check});
  }
  return table;
}

std::vector<std::string> other_words(const TrainingAgainst& a) {
  std::vector<std::string> words;
  for (const OtherSetting& s : a.other_settings) words.push_back(words_of(s));
  return words;
}

}  // namespace

AnswerDocument comm_against_document(const CommAgainst& a) {
  const CommComparison& c = a.comparison;
  AnswerDocument d{a.report.run.resolved.model_name + " against " + a.file,
                   {run_header(a.report.run.resolved)},
                   all_messages(a)};
  Section& s = d.add({bold("Against") + " " + a.file + ", time of one message"});
  if (c.matched.empty()) {
    s.add(Paragraph{"no predicted message is in the log", 2, 2});
  } else {
    s.add(matched_messages(a));
    s.add(Paragraph{"in all, by the counts measured: " + signed_percent(c.error), 2, 2});
  }
  const auto add = [&](const char* heading, const Table& table) {
    if (!table.empty()) d.add({bold(heading), {table}});
  };
  add("Only predicted", only_predicted_messages(a));
  add("Only measured", only_measured_messages(a));
  d.add({"",
         {Paragraph{"error: predicted/measured - 1. steps: count in the log over count in a step; "
                    "where it differs between rows, the log holds other steps or other "
                    "messages."}}});
  return d;
}

Json comm_against_json(const CommAgainst& a) {
  Json j = comm_json(a.report);
  j["against"] = {{"file", a.file},
                  {"form", a.log.form == CommLogForm::deepspeed ? "deepspeed" : "csv"},
                  {"error", a.comparison.matched.empty() ? Json() : Json(a.comparison.error)},
                  {"matched", json_rows(matched_messages(a))},
                  {"only_predicted", a.comparison.only_predicted},
                  {"only_measured", json_rows(only_measured_messages(a))}};
  return j;
}

namespace {

// A measured time this much longer than the predicted one is a fault of the network, and no error
// of the prediction [judgement]; so is a shorter one.
constexpr double kAsExpected = 1.25;

// The largest message says what the links carry.
Section collective_verdict(const AgainstCurve& c) {
  Section s;
  if (c.points.empty()) return s;
  const auto largest = std::max_element(c.points.begin(), c.points.end(),
                                        [](const AgainstPoint& a, const AgainstPoint& b) {
                                          return a.predicted.size < b.predicted.size;
                                        });
  const double slower = largest->measured / largest->predicted.time;
  const std::string at = pretty(largest->predicted.size, 3) + ": " +
                         pretty(largest->predicted.busbw * (1 / slower), 3) +
                         " of bus bandwidth, " + pretty(largest->predicted.busbw, 3) + " predicted";
  if (slower > kAsExpected) {
    s.add(labelled("answer", bold("slower than this network") + " by " + significant(slower, 2) +
                                 " times at " + at));
    s.add(
        labelled("check",
                 "that all NICs are in use (NCCL_DEBUG=INFO: NET/IB, GPU Direct RDMA), a pair of "
                 "nodes at a time, error counters of links, PCIe ACS, another job on the network"));
  } else if (slower * kAsExpected < 1) {
    s.add(labelled("answer", bold("faster than this network") +
                                 ": another node than the one that "
                                 "was given, at " +
                                 at));
  } else {
    s.add(labelled("answer", bold("as this network should") + ", at " + at));
  }
  return s;
}

}  // namespace

AnswerDocument collective_against_document(const std::vector<AgainstCurve>& curves) {
  const AgainstCurve& c = curves.front();
  AnswerDocument d{"Measured collectives", {}, point_table(curves)};
  if (curves.size() > 1) {
    d.add({"", {curve_table(curves)}});
    d.add({"",
           {Paragraph{"error = predicted/measured - 1; median, p90 and largest are of its size"}}});
    return d;
  }
  const CurveErrors e = errors_in(c);
  const Section verdict = collective_verdict(c);
  d.add({bold(collective_heading(c.question)),
         {Paragraph{"beside " + c.file + (c.source.empty() ? "" : ": " + c.source)}}});
  d.add({"", {d.rows}});
  d.add({"",
         {Paragraph{"error = predicted/measured - 1: median of its size " + percent(e.median) +
                    ", largest " + percent(e.largest) + ", bias " + signed_percent(e.bias) +
                    " over " + grouped(static_cast<std::int64_t>(c.points.size())) + " points"}}});
  d.add(verdict);
  return d;
}

Json collective_against_json(const std::vector<AgainstCurve>& curves) {
  return versioned(
      {{"curves", json_list(curves, curve_json)}, {"error", errors_json(errors_of(curves))}});
}

AnswerDocument training_against_document(const RunReport& r, const TrainingLog& log) {
  const TrainingAgainst a = against(r, log);
  const Table table = training_table(a);
  AnswerDocument d{r.resolved.model_name + " against a log", {run_header(r.resolved)}, table};
  const std::string rule = log.set_aside > 0
                               ? ", the median without the first " + std::to_string(log.set_aside)
                           : log.steps > 1 ? ", their median"
                                           : "";
  const std::string steps = std::to_string(log.steps) + (log.steps == 1 ? " step" : " steps");
  const std::string ramp =
      log.other_batch > 0 ? "; " + std::to_string(log.other_batch) + " of another batch left out"
                          : "";
  Section& s = d.add({"Against " + steps + " of a log of " + log.form + rule + ramp, {table}});
  if (!a.unused_timers.empty()) {
    s.add(Paragraph{"timers without a predicted term: " + joined(a.unused_timers, ", "), 4, 2});
  }
  if (!a.other_settings.empty()) {
    d.add({"The log is of another run: no causes are weighed",
           {Paragraph{joined(other_words(a), "; "), 2, 2}}});
    return d;
  }
  Section& why = d.add({"Why it differs", {cause_table(a)}});
  why.add(Paragraph{
      "priors are judgements, weighted by how well the step (and the memory) that each change "
      "gives agrees with the log, under the estimate's own interval",
      2, 2});
  return d;
}

Json training_against_json(const RunReport& r, const TrainingLog& log) {
  const TrainingAgainst a = against(r, log);
  Json j = {{"form", log.form},
            {"steps", log.steps},
            {"set_aside", log.set_aside},
            {"other_batch", log.other_batch},
            {"terms", json_rows(training_table(a))},
            {"other_settings", other_words(a)},
            {"causes", json_rows(cause_table(a))},
            {"unused_timers", a.unused_timers}};
  add_frame(r, j);
  return j;
}

}  // namespace orrery
