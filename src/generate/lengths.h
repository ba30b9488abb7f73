// SPDX-License-Identifier: Apache-2.0
//
// Lengths of answers: a distribution, as the list of its quantiles that a step of n answers has.
//
// A body (equal, normal or lognormal, `spread` = standard deviation over mean) is cut at `cap`, and
// `at_cap` of the answers stop there whatever the body says: looping answers are a mass of their
// own. The quantiles (i + ½)/n of the body are scaled so that the mean of all answers is `mean`,
// which a run reports. Leaves out: lengths that depend on the prompt, so that answers of a group
// are no more alike than others. Units: tokens. Errors: none; estimate/rl_resolve.h refuses a mean
// that cap and mass cannot give.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

enum class LengthShape : std::uint8_t { equal, normal, lognormal };
constexpr EnumNames<LengthShape> names_of(LengthShape) { return {"equal", "normal", "lognormal"}; }

struct AnswerLengths {
  double mean = 0;
  LengthShape shape = LengthShape::lognormal;
  double spread = 0;
  std::int64_t cap = 0;              // 0: none
  double at_cap = 0;                 // share of the answers
  std::vector<std::int64_t> listed;  // in place of all these
};

// Φ⁻¹(p), to a relative error of 1.15e-9 (P. J. Acklam's rational approximation).
double normal_quantile(double p);

// Quantile of a lognormal of mean one and standard deviation `spread`.
double lognormal_quantile(double spread, double p);

// n lengths, shortest first.
std::vector<std::int64_t> lengths_of(const AnswerLengths& a, std::int64_t n);

double mean_of(const AnswerLengths& a);
std::int64_t longest_of(const AnswerLengths& a, std::int64_t n);

// The numbers below n in an order in which neighbours are unlike; `stride`: of n, irrational.
std::vector<std::int64_t> dealt_order(std::int64_t n, double stride);

// The same lengths in an order in which neighbours are unlike, the same on every machine.
std::vector<std::int64_t> dealt(const std::vector<std::int64_t>& sorted);

}  // namespace orrery
