// SPDX-License-Identifier: Apache-2.0
#include "report/sites.h"

#include <array>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/outer_steps.h"
#include "estimate/run.h"
#include "insight/run_report.h"

namespace orrery {
namespace {

constexpr std::array kUtilisations = {0.5, 0.8, 0.9, 0.95, 0.99};

struct SitesAnswer {
  Seconds inner{};    // a step of one site
  Seconds exposed{};  // of a round
  double utilisation = 1;
};

// The inner step t and its round sum to what the answer has: step = t + E(t)/H, where E falls as t
// grows with overlap; found by halving.
SitesAnswer answer_of(const RunReport& r) {
  const Run& run = r.resolved.run;
  const auto every = static_cast<double>(run.training.outer.every);
  Seconds low{};
  Seconds high = r.answer.step_time;
  for (int i = 0; i < 200; ++i) {
    const Seconds middle = (low + high) / 2;
    const Seconds step = middle + outer_exposed<double>(run, middle) / every;
    (step < r.answer.step_time ? low : high) = middle;
  }
  SitesAnswer a{high, outer_exposed<double>(run, high), 1};
  a.utilisation = outer_utilisation(run.training.outer, a.inner, a.exposed);
  return a;
}

}  // namespace

std::optional<Paragraph> sites_line(const RunReport& r) {
  const Run& run = r.resolved.run;
  if (run.sites.count == 1) return {};
  const SitesAnswer a = answer_of(r);
  const OuterSteps& o = run.training.outer;
  return labelled(
      "sites", counted(run.sites.count, "site") + " that sum " +
                   pretty(outer_bytes<double>(run), 3) + " each over " +
                   pretty(run.sites.bandwidth, 3) + " every " + counted(o.every, "step") + ": " +
                   percent(a.utilisation) + " of the time trains, " + seconds_text(a.exposed) +
                   " of a round waits; 90 % takes " + pretty(bandwidth_for(run, a.inner, 0.9), 3) +
                   " a site. Effects on convergence are not modelled");
}

Json sites_json(const RunReport& r) {
  const Run& run = r.resolved.run;
  if (run.sites.count == 1) return nullptr;
  const SitesAnswer a = answer_of(r);
  Json needs = Json::array();
  for (const double u : kUtilisations) {
    needs.push_back(
        {{"utilisation", u}, {"bandwidth_bytes_per_s", bandwidth_for(run, a.inner, u).si()}});
  }
  return {{"count", run.sites.count},
          {"every_steps", run.training.outer.every},
          {"sent_bytes_per_round", outer_bytes<double>(run).si()},
          {"inner_step_time_s", a.inner.si()},
          {"exposed_s_per_round", a.exposed.si()},
          {"utilisation", a.utilisation},
          {"needs", needs}};
}

}  // namespace orrery
