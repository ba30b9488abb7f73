// SPDX-License-Identifier: Apache-2.0
//
// The levels of a site from steps that were measured there, of any models.
//
// Models ln(measured/predicted) of a step as the sum of the levels' logarithms by the step's shares
// of each (estimate/site.h), a factor of its model that no level explains, and noise. Each level
// has a prior around 1 (configs/site.json), so that it stays there as far as the steps do not
// determine it: three steps of tp 1 say nothing of links. The estimate itself is evaluated, not a
// line through it; a disturbed step has little pull (calibrate/least_squares.h). Memory beside
// tensors is one factor, from runs whose device memory was measured: the mean of the prior and of
// each run's own, by their precisions. Leaves out: levels of attention kernels apart, time of day.
// Errors: InputError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/run.h"
#include "estimate/site.h"

namespace orrery {

struct SitePrior {
  SiteVector levels{};  // standard deviations of ln
  double memory = 0;
  double step_noise = 0;
  double model_noise = 0;
};

SitePrior read_site_prior(std::string_view text, const std::string& file);

// One measured run of the site.
struct SiteRun {
  std::string what;   // for readers
  std::string model;  // runs of one model share what no level explains
  Run run;            // by the documents alone
  std::optional<Seconds> time;
  std::optional<Bytes> device_memory;
};

Site fit_site(const std::vector<SiteRun>& runs, const SitePrior& prior);

}  // namespace orrery
