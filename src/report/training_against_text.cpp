// SPDX-License-Identifier: Apache-2.0
#include "report/training_against_text.h"

#include "core/json.h"
#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "report/estimate_json.h"
#include "report/run_header.h"

namespace orrery {
namespace {

std::string cell(double x, const std::string& unit) {
  if (unit == "s") return seconds_text(Seconds(x));
  if (unit == "B") return gib_text(Bytes(x));
  return pretty_text(x, kFlops - kSeconds);
}

std::string error_cell(const AgainstLine& l) {
  const double error = l.predicted / l.measured - 1;
  return (error >= 0 ? "+" : "") + percent(error);
}

}  // namespace

std::string training_text(const RunReport& r, const TrainingLog& log, const Style& style) {
  const TrainingAgainst a = against(r, log);
  Table t({{""}, {"predicted", true}, {"measured", true}, {"error", true}});
  for (const AgainstLine& l : a.lines) {
    t.add({l.name, cell(l.predicted, l.unit), cell(l.measured, l.unit), error_cell(l)});
  }
  std::string text = text_of(run_header(r.resolved), style) + "\nAgainst " +
                     std::to_string(log.steps) + " steps of a log of " + log.form + "\n" +
                     text_of(t.indented(2), {});
  if (!a.unused_timers.empty()) {
    text +=
        "  " + wrapped("timers no term predicts: " + joined(a.unused_timers, ", "), 4, 2) + "\n";
  }
  return text;
}

Json training_json(const RunReport& r, const TrainingLog& log) {
  const TrainingAgainst a = against(r, log);
  Json j = {{"form", log.form}, {"steps", log.steps}, {"terms", Json::array()}};
  for (const AgainstLine& l : a.lines) {
    j["terms"].push_back({{"name", l.name},
                          {"unit", l.unit},
                          {"predicted", l.predicted},
                          {"measured", l.measured},
                          {"error", l.predicted / l.measured - 1}});
  }
  j["unused_timers"] = a.unused_timers;
  add_frame(r, j);
  return j;
}

}  // namespace orrery
