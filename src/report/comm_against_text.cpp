// SPDX-License-Identifier: Apache-2.0
#include "report/comm_against_text.h"

#include "core/json.h"
#include "core/units.h"
#include "document/rows.h"
#include "document/table.h"
#include "document/text.h"
#include "report/comm.h"
#include "report/estimate_json.h"
#include "report/run_header.h"

namespace orrery {
namespace {

// "tp, dp"
std::string dimensions_of(const CommAgainst& a, const ComparedMessages& c) {
  std::vector<std::string> names;
  for (const std::size_t i : c.predicted) {
    const std::string name = dimension_name(a.report.messages[i].line.dimension);
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return joined(names, ", ");
}

const LoggedMessages& row_of(const CommAgainst& a, const ComparedMessages& c) {
  return a.log.rows[c.measured];
}

std::string matched_table(const CommAgainst& a) {
  Table table({{"operation"},
               {"size", true},
               {"of"},
               {"count", true},
               {"a step", true},
               {"steps", true},
               {"measured", true},
               {"predicted", true},
               {"error", true}});
  for (const ComparedMessages& c : a.comparison.matched) {
    const LoggedMessages& m = row_of(a, c);
    table.add({m.operation, pretty(m.size, 3) + (c.is_share ? " a rank" : ""), dimensions_of(a, c),
               grouped(m.count), grouped(c.count), fixed(c.steps, 2), pretty(m.each, 3),
               pretty(c.each, 3), signed_percent(c.error)});
  }
  return text_of(table.indented(2), {});
}

std::string only_predicted(const CommAgainst& a) {
  Table table({{""}, {"collective"}, {"size", true}, {"a step", true}, {"predicted", true}});
  for (const std::size_t i : a.comparison.only_predicted) {
    const MessageClass& m = a.report.messages[i];
    table.add({dimension_name(m.line.dimension), std::string(name_of(m.line.collective)),
               pretty(m.message, 3), grouped(m.line.count), pretty(time_of_one(m), 3)});
  }
  return text_of(table.indented(2), {});
}

std::string only_measured(const CommAgainst& a) {
  Table table({{"operation"}, {"size", true}, {"count", true}, {"measured", true}, {"line", true}});
  for (const std::size_t i : a.comparison.only_measured) {
    const LoggedMessages& m = a.log.rows[i];
    table.add({m.operation, pretty(m.size, 3), grouped(m.count), pretty(m.each, 3),
               std::to_string(m.line)});
  }
  return text_of(table.indented(2), {});
}

Json matched_json(const CommAgainst& a, const ComparedMessages& c) {
  const LoggedMessages& m = row_of(a, c);
  Json j;
  j["operation"] = m.operation;
  j["collective"] = std::string(name_of(*m.collective));
  j["line"] = m.line;
  j["measured_bytes"] = m.size.si();
  j["size_is"] = c.is_share ? "share of a rank" : "full buffer";
  j["measured_count"] = m.count;
  j["predicted_count_per_step"] = c.count;
  j["steps"] = c.steps;
  j["measured_time_s"] = m.each.si();
  j["predicted_time_s"] = c.each.si();
  j["error"] = c.error;
  j["messages"] = c.predicted;
  return j;
}

Json measured_json(const LoggedMessages& m) {
  return {{"operation", m.operation},
          {"line", m.line},
          {"measured_bytes", m.size.si()},
          {"measured_count", m.count},
          {"measured_time_s", m.each.si()}};
}

}  // namespace

Json comm_against_json(const CommAgainst& a) {
  Json j = comm_json(a.report);
  Json& against = j["against"];
  against["file"] = a.file;
  against["form"] = a.log.form == CommLogForm::deepspeed ? "deepspeed" : "csv";
  against["error"] = a.comparison.matched.empty() ? Json() : Json(a.comparison.error);
  against["matched"] = Json::array();
  for (const ComparedMessages& c : a.comparison.matched) {
    against["matched"].push_back(matched_json(a, c));
  }
  against["only_predicted"] = a.comparison.only_predicted;
  against["only_measured"] = Json::array();
  for (const std::size_t i : a.comparison.only_measured) {
    against["only_measured"].push_back(measured_json(a.log.rows[i]));
  }
  return j;
}

std::string comm_against_csv(const CommAgainst& a) {
  Table table({{"found"},
               {"operation"},
               {"bytes"},
               {"measured_count"},
               {"predicted_count_per_step"},
               {"measured_time_s"},
               {"predicted_time_s"},
               {"error"}});
  for (const ComparedMessages& c : a.comparison.matched) {
    const LoggedMessages& m = row_of(a, c);
    table.add({"both", m.operation, shortest(m.size.si()), std::to_string(m.count),
               std::to_string(c.count), shortest(m.each.si()), shortest(c.each.si()),
               shortest(c.error)});
  }
  for (const std::size_t i : a.comparison.only_predicted) {
    const MessageClass& m = a.report.messages[i];
    table.add({"predicted", std::string(name_of(m.line.collective)), shortest(m.message.si()), "",
               std::to_string(m.line.count), "", shortest(time_of_one(m).si()), ""});
  }
  for (const std::size_t i : a.comparison.only_measured) {
    const LoggedMessages& m = a.log.rows[i];
    table.add({"measured", m.operation, shortest(m.size.si()), std::to_string(m.count), "",
               shortest(m.each.si()), "", ""});
  }
  return csv_of(table);
}

std::string comm_against_text(const CommAgainst& a, const Style& style) {
  const CommComparison& c = a.comparison;
  std::string text = text_of(run_header(a.report.run.resolved), style) + "\n" +
                     ink(style, Ink::bold, "Against") + " " + a.file + ", time of one message\n";
  if (c.matched.empty()) {
    text += "  no predicted message is in the log\n";
  } else {
    text +=
        matched_table(a) + "  in all, by the counts measured: " + signed_percent(c.error) + "\n";
  }
  if (!c.only_predicted.empty()) {
    text += "\n" + ink(style, Ink::bold, "Only predicted") + "\n" + only_predicted(a);
  }
  if (!c.only_measured.empty()) {
    text += "\n" + ink(style, Ink::bold, "Only measured") + "\n" + only_measured(a);
  }
  return text + "\n" +
         wrapped(
             "error: predicted/measured - 1. steps: count in the log over count in a step; "
             "where it differs between rows, the log holds other steps or other messages.",
             0) +
         "\n";
}

}  // namespace orrery
