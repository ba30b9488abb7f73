// SPDX-License-Identifier: Apache-2.0
#include "validate/site_fit.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/json.h"
#include "core/json_reader.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "estimate/workspace.h"
#include "shipped_runs.h"
#include "support/about.h"

namespace orrery {
namespace {

Run run_of(const char* model, std::int64_t tp, std::int64_t gpus) {
  const Json json = {{"model", model},
                     {"cluster", {{"node", "dgx-h100"}, {"gpus", gpus}}},
                     {"training",
                      {{"sequence_length", 4096},
                       {"global_batch", 64},
                       {"micro_batch", 1},
                       {"precision", "bf16"}}},
                     {"parallel", {{"tp", tp}, {"recompute", "full"}, {"zero", 1}}},
                     {"framework", "megatron-core"}};
  return resolve_for_numbers(json, "run", testing::shipped_lookup()).run;
}

SitePrior prior() { return {{0.08, 0.08, 0.15, 0.12, 0.3, 0.4, 0.5}, 0.4, 0.01, 0.01}; }

SiteRun measured(const char* model, const Run& run, const Site& truth) {
  Run turned = run;
  apply(truth, turned);
  return {"a run", model, run, estimate(turned).step_time, {}};
}

Site slower(SiteLevel level, double factor) {
  Site site;
  site.log[level] = std::log(factor);
  return site;
}

TEST_CASE("a level that the steps see is found again, and the others stay near 1") {
  const Site truth = slower(SiteLevel::products, 1.12);
  const std::vector<SiteRun> runs = {measured("llama-2-7b", run_of("llama-2-7b", 1, 8), truth),
                                     measured("llama-2-13b", run_of("llama-2-13b", 2, 16), truth),
                                     measured("llama-3-8b", run_of("llama-3-8b", 4, 16), truth)};
  const Site site = fit_site(runs, prior());
  // Where all steps are mostly products, the software takes a part of it.
  CHECK(site.log[SiteLevel::products] > 0.03);
  for (const SiteLevel level : {SiteLevel::network_links, SiteLevel::host, SiteLevel::attention}) {
    CAPTURE(std::string(name_of(level)));
    CHECK(std::abs(site.log[level]) < 0.06);
  }
  // A model that nobody measured there is predicted as the truth has it.
  Run other = run_of("llama-2-70b", 8, 32);
  Run by_truth = other;
  apply(truth, by_truth);
  apply(site, other);
  CHECK(estimate(other).step_time / estimate(by_truth).step_time ==
        testing::about(1).epsilon(0.02));
}

TEST_CASE("steps without a network leave its level at the prior") {
  const Site truth = slower(SiteLevel::network_links, 2);
  const std::vector<SiteRun> runs = {measured("llama-2-7b", run_of("llama-2-7b", 1, 8), truth)};
  const Site site = fit_site(runs, prior());
  CHECK(site.log[SiteLevel::network_links] == testing::about(0));
  CHECK_FALSE(is_determined(site, SiteLevel::network_links));
  CHECK(std::sqrt(site.covariance[SiteLevel::network_links][SiteLevel::network_links]) ==
        testing::about(0.4).epsilon(0.001));
}

TEST_CASE("shares of what follows each other sum to the step") {
  Workspace workspace;
  const SiteVector shares = shares_of(run_of("llama-2-7b", 1, 1), workspace);
  CHECK(shares[SiteLevel::software] == testing::about(1).epsilon(1e-4));
  for (const SiteLevel level : kAllOf<SiteLevel>) CHECK(shares[level] > -1e-6);
  CHECK(shares[SiteLevel::network_links] == testing::about(0));
}

// By hand: levels a and b with variances 0.04 and 0.01, shares 0.5 and 1, noise 0.01² + 0.02².
// Before: 0.25·0.04 + 0.01 + 0.0005 = 0.0205. Measuring a with noise 0.01²: less
// (0.5·0.04)²/(0.04 + 0.0001).
TEST_CASE("the spread of a run, and what one more measurement leaves of it") {
  Site site;
  site.step_noise = 0.01;
  site.model_noise = 0.02;
  site.covariance[SiteLevel::software][SiteLevel::software] = 0.04;
  site.covariance[SiteLevel::products][SiteLevel::products] = 0.01;
  SiteVector shares{};
  shares[SiteLevel::software] = 0.5;
  shares[SiteLevel::products] = 1;
  CHECK(spread_of(site, shares) == testing::about(std::sqrt(0.0205)));
  CHECK(spread_after(site, shares, SiteLevel::software) ==
        testing::about(std::sqrt(0.0205 - 0.0004 / 0.0401)));
  CHECK(spread_after(site, shares, SiteLevel::host) == testing::about(std::sqrt(0.0205)));
}

TEST_CASE("a site is written and read back") {
  Site site = slower(SiteLevel::host, 1.5);
  site.name = "hall";
  site.device = "h100-sxm5-80gb";
  site.prior = prior().levels;
  site.step_noise = 0.05;
  site.memory.prior = 0.4;
  const Json json = site_json(site);
  const Site again = site_at(Reader(json, "s"), testing::shipped_lookup().hardware);
  CHECK(again.log[SiteLevel::host] == testing::about(std::log(1.5)));
  CHECK(again.prior == site.prior);
  CHECK(again.device == site.device);
}

// Half of the weight on a step twice as long: √(spread² + 1.2816²·0.5·ln²2) on that side alone.
TEST_CASE("an open key widens a site's interval, and nothing passes the one before") {
  Site site = slower(SiteLevel::host, 1);
  site.step_noise = 0.05;
  const Run run = run_of("llama-2-7b", 1, 8);
  Workspace workspace;
  const OpenKey key{"a", "b", "c", {{"d", 0.5, 2, 1}}};
  StepInterval before;
  before.low = 0.01;
  before.high = 100;
  const StepInterval alone = interval_of(site, run, {}, workspace, before);
  CHECK(std::log(alone.high) == testing::about(kNormal80 * 0.05));
  const StepInterval open = interval_of(site, run, {&key, 1}, workspace, before);
  CHECK(open.low == alone.low);
  CHECK(std::log(open.high) ==
        testing::about(kNormal80 * std::sqrt(0.05 * 0.05 + 0.5 * std::log(2) * std::log(2))));
  before.high = 1.01;
  CHECK(interval_of(site, run, {&key, 1}, workspace, before).high == 1.01);
}

TEST_CASE("a spread other than its covariance's is refused") {
  Site site = slower(SiteLevel::host, 1.5);
  site.name = "hall";
  site.device = "d";
  site.prior = prior().levels;
  site.step_noise = 0.05;
  site.memory.prior = 0.4;
  Json json = site_json(site);
  json["levels"]["host"]["spread"] = 0.1;
  CHECK_THROWS_WITH(
      site_at(Reader(json, "s"), testing::shipped_lookup().hardware),
      "s: levels.host.spread: found 0.1; allowed: the root of the level's variance, 0");
}

TEST_CASE("the shipped priors are read") {
  const SitePrior shipped = read_site_prior(testing::text_of(ORRERY_CONFIG_DIR "/site.json"), "s");
  for (const double spread : shipped.levels) CHECK(spread > 0);
}

}  // namespace
}  // namespace orrery
