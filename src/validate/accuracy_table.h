// SPDX-License-Identifier: Apache-2.0
//
// The table of estimate/accuracy.h from residuals of rows whose team was left out.
//
// Sources count, not rows, and what one team published is one source: each weighs one in its cell,
// however many rows it has. Sources that wider cells add, the nearest first, weigh four more
// together, so that no source alone sets an interval; the widest cell takes the conformal quantile
// of its n sources, 0.8·(1 + 1/n). No interval is narrower than that of 80 % of its cell's own
// rows, where it has twenty or more. An interval holds that share of |ln(measured/predicted)|: the
// sign of other sources' errors says little about the next one's. A cell that knows less (no
// generation, no framework, no class; a mixture of experts, of which fewer sources speak than of
// dense models) is at least as wide as each that knows more. Source: Lei et al., Distribution-free
// predictive inference for regression (2018), section 2.2, for the quantile. How the error changes
// with the number of GPUs is taken from series of runs, median over sources. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "estimate/accuracy.h"
#include "validate/judge.h"

namespace orrery {

struct Residual {
  StackKind of;        // a known stack with its framework, an unknown one without
  std::string source;  // the team: its publications count as one
  double log = 0;      // ln(measured/predicted)
  std::int64_t gpus = 0;
  std::string series = {};  // of the row, see below
};

// Rows of one model, node and precision, for which three steps of one's own can speak.
std::string series_of(const JudgedRow& r);

// The error of the row's time, or of its memory.
Residual time_residual(const JudgedRow& r, Protocol protocol);
Residual memory_residual(const JudgedRow& r, Protocol protocol);

// Errors of rows judged by both protocols.
struct Residuals {
  std::vector<Residual> time;
  std::vector<Residual> memory;
};

Accuracy accuracy_from(const Residuals& residuals);

// The text of configs/accuracy.json.
std::string accuracy_json(const Accuracy& table);

}  // namespace orrery
