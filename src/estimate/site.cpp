// SPDX-License-Identifier: Apache-2.0
#include "estimate/site.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/significant_bits.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/run_rates.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

constexpr double kStep = 0.01;
constexpr double kMostFactor = 100;
constexpr std::int64_t kMostSteps = 1LL << 30;
constexpr const char* kOneEach = "one for each of the 7 levels";
static_assert(kSiteLevels == 7);

// A measurement of this level alone.
std::string_view measurement_of(SiteLevel level) {
  switch (level) {
    case SiteLevel::software:
      return "a step of this run";
    case SiteLevel::products:
      return "matrix products (orrery calibrate measure)";
    case SiteLevel::attention:
      return "attention (orrery calibrate measure)";
    case SiteLevel::memory_traffic:
      return "a step of a narrow model at a large micro batch";
    case SiteLevel::node_links:
      return "nccl-tests inside a node";
    case SiteLevel::network_links:
      return "nccl-tests over two nodes and more";
    case SiteLevel::host:
      return "a step at the smallest micro batch";
  }
  return "";
}

double log_step(const Run& run, SiteLevel level, double log, Workspace& workspace) {
  Run turned = run;
  turn(turned, level, log);
  return std::log(estimate<double>(turned, workspace).step_time.si());
}

SiteVector times(const SiteMatrix& m, const SiteVector& v) {
  SiteVector out{};
  for (const SiteLevel i : kAllOf<SiteLevel>) {
    for (const SiteLevel j : kAllOf<SiteLevel>) out[i] += m[i][j] * v[j];
  }
  return out;
}

double inner(const SiteVector& a, const SiteVector& b) {
  double sum = 0;
  for (const SiteLevel i : kAllOf<SiteLevel>) sum += a[i] * b[i];
  return sum;
}

double noise_of(const Site& site) {
  return site.step_noise * site.step_noise + site.model_noise * site.model_noise;
}

// The level whose measurement would narrow the run's interval most.
SiteLevel most_telling(const Site& site, const SiteVector& shares) {
  return *std::min_element(kAllOf<SiteLevel>.begin(), kAllOf<SiteLevel>.end(),
                           [&](SiteLevel a, SiteLevel b) {
                             return spread_after(site, shares, a) < spread_after(site, shares, b);
                           });
}

std::string percent_of(double share) { return std::to_string(std::llrint(100 * share)) + " %"; }

std::string words_of(const Site& site, const SiteVector& shares, double low, double high) {
  std::string words = "8 of 10 steps measure " + percent_of(1 - low) + " less to " +
                      percent_of(high - 1) + " more than predicted: by " +
                      counted(site.steps, "step") + " of " + counted(site.models, "model") +
                      " measured at " + site.name;
  const SiteLevel level = most_telling(site, shares);
  const double after = std::exp(kNormal80 * spread_after(site, shares, level));
  constexpr double kWorthSaying = 0.98;
  if (after > kWorthSaying * high) return words;
  return words + "; most open is " + std::string(name_of(level)) + ": " +
         std::string(measurement_of(level)) + " would make it " + percent_of(after - 1);
}

void read_level(const Reader& given, Site& site, SiteLevel level) {
  Reader r = given;
  site.log[level] = std::log(r.at("factor").number(1 / kMostFactor, kMostFactor));
  const Reader spread = r.at("spread");
  const double root = spread_of(site, level);
  constexpr double kRounding = 1e-6;
  if (std::abs(spread.number(0, kMostFactor) - root) > kRounding) {
    spread.fail(spread.json().dump(), "the root of the level's variance, " + shortest(root));
  }
  site.prior[level] = r.at("prior").number(1e-6, kMostFactor);
  r.reject_unknown();
}

void read_levels(const Reader& given, Site& site) {
  Reader r = given;
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    read_level(r.at(std::string(name_of(level))), site, level);
  }
  r.reject_unknown();
}

void read_covariance(const Reader& given, Site& site) {
  const std::vector<Reader> rows = given.items();
  if (rows.size() != kSiteLevels) {
    given.fail(counted(static_cast<std::int64_t>(rows.size()), "row"), kOneEach);
  }
  for (std::size_t i = 0; i < kSiteLevels; ++i) {
    const std::vector<Reader> cells = rows[i].items();
    if (cells.size() != kSiteLevels) {
      rows[i].fail(counted(static_cast<std::int64_t>(cells.size()), "value"), kOneEach);
    }
    for (std::size_t j = 0; j < kSiteLevels; ++j) {
      site.covariance.values[i].values[j] = cells[j].number(-kMostFactor, kMostFactor);
    }
  }
}

SiteMemory read_memory(const Reader& given) {
  Reader r = given;
  SiteMemory m;
  m.log = std::log(r.at("factor").number(1 / kMostFactor, kMostFactor));
  m.spread = r.at("spread").number(0, kMostFactor);
  m.prior = r.at("prior").number(1e-6, kMostFactor);
  r.reject_unknown();
  return m;
}

Site read_site(Reader r) {
  Site site;
  site.name = r.at("name").text();
  site.device = r.at("device").text();
  site.steps = r.at("steps").integer(0, kMostSteps);
  site.models = r.at("models").integer(0, kMostSteps);
  read_covariance(r.at("covariance"), site);
  read_levels(r.at("levels"), site);
  site.step_noise = r.at("step_noise").number(1e-6, 1);
  site.model_noise = r.at("model_noise").number(0, 1);
  site.memory = read_memory(r.at("memory"));
  for (const Reader& line : r.at("measured").items()) site.measured.push_back(line.text());
  r.allow("source");
  r.reject_unknown();
  return site;
}

Json level_json(double log, double spread, double prior) {
  return {{"factor", std::exp(log)}, {"spread", spread}, {"prior", prior}};
}

}  // namespace

double spread_of(const Site& site, SiteLevel level) {
  return std::sqrt(site.covariance[level][level]);
}

bool is_determined(const Site& site, SiteLevel level) {
  return spread_of(site, level) < kDetermined * site.prior[level];
}

void turn(Run& run, SiteLevel level, double log) {
  const double longer = std::exp(log);
  switch (level) {
    case SiteLevel::software:
      run.framework.level.factor *= longer;
      return;
    case SiteLevel::products:
      return scale_products(run, 1 / longer);
    case SiteLevel::attention:
      return scale_attention(run, 1 / longer);
    case SiteLevel::memory_traffic:
      return scale_memory_bandwidth(run, 1 / longer);
    case SiteLevel::node_links:
      return scale_node_links(run, 1 / longer);
    case SiteLevel::network_links:
      return scale_network_links(run, 1 / longer);
    case SiteLevel::host:
      return scale_launches(run, longer);
  }
}

void apply(const Site& site, Run& run) {
  for (const SiteLevel level : kAllOf<SiteLevel>) turn(run, level, site.log[level]);
  scale_memory_beside_tensors(run, std::exp(site.memory.log));
}

SiteVector shares_of(const Run& run, Workspace& workspace) {
  SiteVector shares{};
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    shares[level] =
        (log_step(run, level, kStep, workspace) - log_step(run, level, -kStep, workspace)) /
        (2 * kStep);
  }
  return shares;
}

double spread_of(const Site& site, const SiteVector& shares) {
  return std::sqrt(std::max(0.0, inner(shares, times(site.covariance, shares))) + noise_of(site));
}

// The Kalman update of the covariance by one scalar measurement.
double spread_after(const Site& site, const SiteVector& shares, SiteLevel measured) {
  const SiteVector seen = times(site.covariance, shares);
  const double own = site.covariance[measured][measured];
  const double noise = site.step_noise * site.step_noise;
  const double known = seen[measured] * seen[measured] / (own + noise);
  return std::sqrt(std::max(0.0, inner(shares, seen) - known) + noise_of(site));
}

StepInterval interval_of(const Site& site, const Run& run, std::span<const OpenKey> open,
                         Workspace& workspace, const StepInterval& before) {
  const SiteVector shares = shares_of(run, workspace);
  const double wide = kNormal80 * spread_of(site, shares);
  StepInterval own;
  own.low = to_40_bits(std::exp(-wide));
  own.high = to_40_bits(std::exp(wide));
  for (const OpenKey& key : open) own = widened(own, key.alternatives, &Alternative::time_ratio);
  const double low = std::max(own.low, before.low);
  const double high = std::min(own.high, before.high);
  return {low, high, site.steps, 1, words_of(site, shares, low, high)};
}

Site site_at(const Reader& given, const HardwareLookup& lookup) {
  if (given.json().is_object()) return read_site(given);
  const std::string name = given.text();
  const auto found = lookup.find(HardwareKind::calibration, name);
  if (!found) {
    given.fail("the unknown site \"" + name + "\"",
               "a path of one that `orrery calibrate site` wrote");
  }
  const Json document = parse_json(found->text, found->file);
  return read_site(Reader(document, found->file));
}

Json site_json(const Site& site) {
  Json j = {{"name", site.name},
            {"device", site.device},
            {"steps", site.steps},
            {"models", site.models},
            {"levels", Json::object()},
            {"covariance", Json::array()},
            {"step_noise", site.step_noise},
            {"model_noise", site.model_noise},
            {"memory", level_json(site.memory.log, site.memory.spread, site.memory.prior)},
            {"measured", site.measured}};
  for (const SiteLevel level : kAllOf<SiteLevel>) {
    j["levels"][std::string(name_of(level))] =
        level_json(site.log[level], spread_of(site, level), site.prior[level]);
    j["covariance"].push_back(site.covariance[level].values);
  }
  return j;
}

}  // namespace orrery
