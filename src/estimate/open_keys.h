// SPDX-License-Identifier: Apache-2.0
//
// Keys that a run leaves open and that move its answer: the value that is taken, and the values
// that others run.
//
// A prediction takes what the stack does by itself. An alternative's weight is the probability that
// the run has it: the share of published runs that do (`recompute.shares` of a framework's profile)
// times the probability that it fits, over the sum of this for all values. Alternatives widen the
// interval of the answer. Leaves out alternatives of several open keys together. Errors: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimate/accuracy.h"

namespace orrery {

struct Alternative {
  std::string value;
  double weight = 0;
  double time_ratio = 1;    // its step over that of the value taken
  double memory_ratio = 1;  // the same of the peak
};

struct OpenKey {
  std::string path;
  std::string taken;
  std::string why;
  std::vector<Alternative> alternatives;
};

// The interval with the spread of the alternatives, each side for itself: the half width in ln is
// √(before² + z²·Σ w·ln²(ratio)) over the alternatives on that side, the root of the summed second
// moments about the value taken; z as in kNormal80. Never narrower.
StepInterval widened(const StepInterval& interval, std::span<const Alternative> alternatives,
                     double Alternative::*ratio);

}  // namespace orrery
