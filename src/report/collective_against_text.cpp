// SPDX-License-Identifier: Apache-2.0
#include "report/collective_against_text.h"

#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "document/rows.h"
#include "document/table.h"
#include "document/text.h"
#include "network/bus_factor.h"
#include "orrery/version.h"
#include "report/collective.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

CurveErrors errors_in(const AgainstCurve& c) { return errors_of({&c, 1}); }

BytesPerSecond measured_busbw(const AgainstCurve& c, const AgainstPoint& p) {
  const CollectiveQuestion& q = c.question;
  return p.predicted.size / p.measured * bus_factor(q.kind, ranks_of(q));
}

std::string points_text(const AgainstCurve& c) {
  Table t({{"size", true},
           {"measured", true},
           {"predicted", true},
           {"error", true},
           {"busbw, GB/s", true},
           {"predicted", true},
           {"algorithm"},
           {"tier"}});
  for (const AgainstPoint& p : c.points) {
    t.add({collective_size_text(p.predicted.size), pretty(p.measured), pretty(p.predicted.time),
           signed_percent(error_of(p)), collective_rate_text(measured_busbw(c, p)),
           collective_rate_text(p.predicted.busbw), std::string(name_of(p.predicted.algorithm)),
           collective_tier_name(c.question, p.predicted)});
  }
  return text_of(t, {});
}

std::string one_curve(const AgainstCurve& c, const Style& style) {
  const CurveErrors e = errors_in(c);
  std::string text = ink(style, Ink::bold, collective_heading(c.question)) + "\n" +
                     wrapped("beside " + c.file + (c.source.empty() ? "" : ": " + c.source), 0) +
                     "\n\n" + points_text(c) + "\n";
  return text +
         wrapped("error = predicted/measured - 1: median of its size " + percent(e.median) +
                     ", largest " + percent(e.largest) + ", bias " + signed_percent(e.bias) +
                     " over " + grouped(static_cast<std::int64_t>(c.points.size())) + " points",
                 0) +
         "\n";
}

std::vector<std::string> errors_row(const std::vector<std::string>& heading, const CurveErrors& e,
                                    const std::string& role) {
  std::vector<std::string> row = heading;
  row.push_back(std::to_string(e.points));
  row.push_back(percent(e.median));
  row.push_back(percent(e.largest));
  row.push_back(signed_percent(e.bias));
  row.push_back(role);
  return row;
}

std::string many_curves(const std::vector<AgainstCurve>& curves) {
  Table t({{"file"},
           {"collective"},
           {"ranks", true},
           {"node"},
           {"points", true},
           {"median", true},
           {"largest", true},
           {"bias", true},
           {""}});
  for (const AgainstCurve& c : curves) {
    const CollectiveQuestion& q = c.question;
    t.add(errors_row({c.file.substr(c.file.rfind('/') + 1), std::string(name_of(q.kind)),
                      grouped(ranks_of(q)), std::string(q.cluster.cluster.node.view())},
                     errors_in(c), c.role));
  }
  t.add(errors_row({"all", "", "", ""}, errors_of(curves), ""));
  return text_of(t, {}) + "\nerror = predicted/measured - 1; median and largest are of its size\n";
}

Json errors_json(const CurveErrors& e) {
  return {{"points", e.points}, {"median", e.median}, {"largest", e.largest}, {"bias", e.bias}};
}

Json curve_json(const AgainstCurve& c) {
  Json j = {{"file", c.file},
            {"source", c.source},
            {"role", c.role},
            {"collective", std::string(name_of(c.question.kind))},
            {"ranks", ranks_of(c.question)},
            {"cluster", *c.question.cluster_input},
            {"error", errors_json(errors_in(c))}};
  j["points"] = Json::array();
  for (const AgainstPoint& p : c.points) {
    j["points"].push_back({{"size_bytes", std::llround(p.predicted.size.si())},
                           {"measured_s", p.measured.si()},
                           {"time_s", p.predicted.time.si()},
                           {"error", error_of(p)},
                           {"algorithm", std::string(name_of(p.predicted.algorithm))},
                           {"tier", collective_tier_name(c.question, p.predicted)}});
  }
  return j;
}

}  // namespace

std::string collective_against_text(const std::vector<AgainstCurve>& curves, const Style& style) {
  return curves.size() == 1 ? one_curve(curves.front(), style) : many_curves(curves);
}

Json collective_against_json(const std::vector<AgainstCurve>& curves) {
  Json j;
  j["curves"] = Json::array();
  for (const AgainstCurve& c : curves) j["curves"].push_back(curve_json(c));
  j["error"] = errors_json(errors_of(curves));
  j["schema_version"] = kSchemaVersion;
  j["tool_version"] = std::string(kVersion);
  check_finite(j);
  return j;
}

std::string collective_against_csv(const std::vector<AgainstCurve>& curves) {
  Table t({{"file"},
           {"collective"},
           {"ranks"},
           {"size_bytes"},
           {"measured_s"},
           {"time_s"},
           {"error"},
           {"algorithm"},
           {"tier"}});
  for (const AgainstCurve& c : curves) {
    for (const AgainstPoint& p : c.points) {
      t.add({c.file, std::string(name_of(c.question.kind)), std::to_string(ranks_of(c.question)),
             shortest(p.predicted.size.si()), shortest(p.measured.si()),
             shortest(p.predicted.time.si()), shortest(error_of(p)),
             std::string(name_of(p.predicted.algorithm)),
             collective_tier_name(c.question, p.predicted)});
    }
  }
  return csv_of(t);
}

}  // namespace orrery
