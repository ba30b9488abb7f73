// SPDX-License-Identifier: Apache-2.0
//
// The meaning of "best" in the words of a search's report: the shortest step, or the objective that
// was given. Objectives are as `Found` has them: less is better. Errors: none.
#pragma once

#include <string>

#include "explore/conditions.h"

namespace orrery {

// "the fastest"; "the best by memory.peak_gib".
std::string the_best(const Conditions& c);

// How much worse an objective is than the best, as a share of it; infinite beside a best of 0.
double loss(double objective, double best);

// "as fast as the fastest", "3.1 % over the fastest", "3.1 % worse than the best by mfu".
std::string loss_words(const Conditions& c, double loss);

// The value of the objective that was given, as its expression has it.
double stated_value(const Aim& aim, double objective);

}  // namespace orrery
