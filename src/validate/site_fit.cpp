// SPDX-License-Identifier: Apache-2.0
#include "validate/site_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/least_squares.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "estimate/estimate.h"

namespace orrery {
namespace {

constexpr double kMostDeviations = 4;
constexpr int kLooks = 3;
// What a run's own memory says of the factor beside tensors: its tensors are predicted to so much.
constexpr double kTensorNoise = 0.05;

double read_prior(const Reader& given) {
  Reader r = given;
  const double prior = r.at("prior").number(1e-3, 3);
  r.allow("source");
  r.reject_unknown();
  return prior;
}

void turn_all(Run& run, const SitePrior& prior, const std::vector<double>& x) {
  for (std::size_t i = 0; i < kSiteLevels; ++i) {
    turn(run, kAllOf<SiteLevel>[i], x[i] * prior.levels.values[i]);
  }
}

std::vector<const SiteRun*> timed(const std::vector<SiteRun>& runs) {
  std::vector<const SiteRun*> out;
  for (const SiteRun& r : runs) {
    if (r.time) out.push_back(&r);
  }
  return out;
}

std::vector<std::string> models_of(const std::vector<const SiteRun*>& runs) {
  std::set<std::string> models;
  for (const SiteRun* r : runs) models.insert(r->model);
  return {models.begin(), models.end()};
}

FitProblem problem_of(const std::vector<const SiteRun*>& runs, const SitePrior& prior) {
  FitProblem p;
  const std::vector<std::string> models = models_of(runs);
  p.knobs.assign(kSiteLevels, {-kMostDeviations, kMostDeviations});
  p.levels = models.size();
  p.level_spread = prior.model_noise;
  for (const SiteRun* r : runs) {
    FitDatum d;
    d.noise = prior.step_noise;
    d.level = static_cast<std::size_t>(std::find(models.begin(), models.end(), r->model) -
                                       models.begin());
    for (std::size_t k = 0; k < kSiteLevels; ++k) d.knobs.push_back(k);
    p.data.push_back(std::move(d));
  }
  p.residual = [runs, &prior](std::size_t i, const std::vector<double>& x) {
    Run run = runs[i]->run;
    turn_all(run, prior, x);
    return std::log(estimate(run).step_time / *runs[i]->time);
  };
  return p;
}

void take_levels(const FitSolution& at, const SitePrior& prior, Site& site) {
  for (std::size_t i = 0; i < kSiteLevels; ++i) {
    const double own = prior.levels.values[i];
    site.log.values[i] = at.x[i] * own;
    for (std::size_t j = 0; j < kSiteLevels; ++j) {
      site.covariance.values[i].values[j] = at.covariance[i][j] * own * prior.levels.values[j];
    }
  }
}

SiteMemory fit_memory(const std::vector<SiteRun>& runs, double prior) {
  double precision = 1 / (prior * prior);
  double sum = 0;
  for (const SiteRun& r : runs) {
    if (!r.device_memory) continue;
    const StageMemory<double> memory = estimate(r.run).memory;
    const Bytes beside = memory.lines[MemoryLine::context] +
                         memory.lines[MemoryLine::communicators] +
                         memory.lines[MemoryLine::fragmentation];
    const Bytes tensors = memory.peak - beside;
    const Bytes found = std::max(*r.device_memory - tensors, beside * 0.1);
    const double share = tensors / found;
    const double noise = kTensorNoise * std::max(share, 1.0);
    sum += std::log(found / beside) / (noise * noise);
    precision += 1 / (noise * noise);
  }
  return {sum / precision, 1 / std::sqrt(precision), prior};
}

}  // namespace

SitePrior read_site_prior(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  Reader r(document, file);
  SitePrior prior;
  prior.step_noise = r.at("step_noise").number(1e-3, 1);
  prior.model_noise = r.at("model_noise").number(1e-3, 1);
  Reader levels = r.at("levels");
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    prior.levels[level] = read_prior(levels.at(std::string(name_of(level))));
  }
  levels.reject_unknown();
  prior.memory = read_prior(r.at("memory"));
  check_sources(r);
  r.reject_unknown();
  return prior;
}

Site fit_site(const std::vector<SiteRun>& runs, const SitePrior& prior) {
  Site site;
  site.prior = prior.levels;
  site.step_noise = prior.step_noise;
  site.model_noise = prior.model_noise;
  const std::vector<const SiteRun*> steps = timed(runs);
  site.steps = static_cast<std::int64_t>(steps.size());
  site.models = static_cast<std::int64_t>(models_of(steps).size());
  const FitProblem problem = problem_of(steps, prior);
  const FitSlopes start = slopes_at(problem, std::vector<double>(kSiteLevels, 0));
  take_levels(fit(problem, select_all(problem), start, kLooks), prior, site);
  site.memory = fit_memory(runs, prior.memory);
  for (const SiteRun& r : runs) site.measured.push_back(r.what);
  return site;
}

}  // namespace orrery
