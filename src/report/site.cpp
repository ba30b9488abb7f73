// SPDX-License-Identifier: Apache-2.0
#include "report/site.h"

#include <cmath>

#include "document/table.h"
#include "document/words.h"
#include "estimate/estimate.h"

namespace orrery {
namespace {

Table levels_table(const Site& site) {
  Table t({{"level"}, {"measured over predicted", true}, {"±", true}, {"± before", true}, {""}}, 2);
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    t.add({std::string(name_of(level)), fixed(std::exp(site.log[level]), 3),
           percent(spread_of(site, level)), percent(site.prior[level]),
           is_determined(site, level) ? "" : "not determined by these steps"});
  }
  t.add(
      {"memory beside tensors", fixed(std::exp(site.memory.log), 3), percent(site.memory.spread),
       percent(site.memory.prior),
       site.memory.spread < kDetermined * site.memory.prior ? "" : "not determined by these runs"});
  return t;
}

// Predicted over measured step, less 1.
double error_by(const SiteRun& r, const Run& run) { return estimate(run).step_time / *r.time - 1; }

Run with_levels(const SiteReport& report, const SiteRun& r) {
  Run run = r.run;
  apply(report.site, run);
  return run;
}

Table runs_table(const SiteReport& report) {
  Table t({{"run"}, {"measured", true}, {"by the documents", true}, {"by these levels", true}}, 2);
  for (const SiteRun& r : report.runs) {
    if (!r.time) continue;
    t.add({r.what, seconds_text(*r.time), signed_percent(error_by(r, r.run)),
           signed_percent(error_by(r, with_levels(report, r)))});
  }
  return t;
}

Json runs_json(const SiteReport& report) {
  Json list = Json::array();
  for (const SiteRun& r : report.runs) {
    Json j = {{"run", r.what}};
    if (r.time) {
      j["step_time_s"] = r.time->si();
      j["error_before"] = error_by(r, r.run);
      j["error"] = error_by(r, with_levels(report, r));
    }
    if (r.device_memory) j["device_memory_bytes"] = r.device_memory->si();
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace

AnswerDocument site_document(const SiteReport& report) {
  const Site& site = report.site;
  AnswerDocument d{"Levels of " + site.name + ", on " + site.device};
  d.add({bold(site.name) + (": " + counted(site.steps, "step") + " of " +
                            counted(site.models, "model") + " on " + site.device)});
  d.add({"Time of each part, measured over predicted"}).add(levels_table(site));
  d.add({"Predicted over measured, less 1"}).add(runs_table(report));
  d.add({}).add(Paragraph{
      "Use them with --site FILE or cluster.site; the estimate says which level its interval then "
      "rests on, and what measurement would narrow it most."});
  return d;
}

Json site_report_json(const SiteReport& report) {
  Json j = site_json(report.site);
  j["determined"] = Json::array();
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    if (is_determined(report.site, level)) j["determined"].push_back(name_of(level));
  }
  j["runs"] = runs_json(report);
  return j;
}

}  // namespace orrery
