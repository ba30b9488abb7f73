// SPDX-License-Identifier: Apache-2.0
#include "report/sites.h"

#include <array>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
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

constexpr BytesPerSecond kUnlimited(1e30);

// The inner step is that of sites whose links take no time. The step of the answer does not give
// it: t + E(t)/H does not depend on t where all of a round hides a part of E.
SitesAnswer answer_of(const RunReport& r) {
  const Run& run = r.resolved.run;
  Run alone = run;
  alone.sites.bandwidth = kUnlimited;
  alone.sites.latency = {};
  const Seconds inner = estimate(alone).step_time;
  SitesAnswer a{inner, outer_exposed<double>(run, inner), 1};
  a.utilisation = outer_utilisation(run.training.outer, a.inner, a.exposed);
  return a;
}

std::string rate_words(const std::optional<BytesPerSecond>& rate) {
  if (!rate) return "is out of reach at any bandwidth: latency alone takes more";
  return "takes " + pretty(*rate, 3) + " a site";
}

}  // namespace

std::optional<Paragraph> sites_line(const RunReport& r) {
  const Run& run = r.resolved.run;
  if (run.sites.count == 1) return {};
  const SitesAnswer a = answer_of(r);
  const OuterSteps& o = run.training.outer;
  return labelled("sites",
                  counted(run.sites.count, "site") + " that sum " +
                      pretty(outer_bytes<double>(run), 3) + " each over " +
                      pretty(run.sites.bandwidth, 3) + " every " + counted(o.every, "step") + ": " +
                      percent(a.utilisation) + " of the time trains, " + seconds_text(a.exposed) +
                      " of a round waits; 90 % " + rate_words(bandwidth_for(run, a.inner, 0.9)) +
                      ". Effects on convergence are not modelled");
}

Json sites_json(const RunReport& r) {
  const Run& run = r.resolved.run;
  if (run.sites.count == 1) return nullptr;
  const SitesAnswer a = answer_of(r);
  Json needs = Json::array();
  for (const double u : kUtilisations) {
    const auto rate = bandwidth_for(run, a.inner, u);
    needs.push_back(
        {{"utilisation", u}, {"bandwidth_bytes_per_s", rate ? Json(rate->si()) : Json()}});
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
