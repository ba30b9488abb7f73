// SPDX-License-Identifier: Apache-2.0
//
// How likely a run fits into the device's memory, and what Orrery may choose by itself.
//
// ln(measured/predicted) peak is taken as normal, with 80 % of it inside the interval of runs alike
// (estimate/accuracy.h). Judged is the memory that is needed: a full device gives cached blocks
// back. `risk` is the accepted probability of running out of memory; what a user states himself is
// never judged by it. Leaves out the error of the host's memory. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "estimate/accuracy.h"
#include "estimate/answer.h"
#include "estimate/memory_risk.h"

namespace orrery {

struct Run;

inline constexpr double kDefaultRisk = 0.1;
inline constexpr double kMostRisk = 0.5;  // as predicted: no room for an error

MemoryRisk memory_risk(const StepInterval& memory, double risk);

double fit_probability(double spread, Bytes needed, Bytes capacity);

// 0 where the host lacks memory.
template <Number R>
double fit_probability(const Run& run, const AnswerOf<R>& answer);

// How surely a run fits, by its probability: 0 "fits" (0.95 or more), 1 "likely" (0.8), 2 "tight"
// (0.5), 3 "unlikely" (0.15), 4 "does not fit". As predicted, those from "unlikely" on do not.
int fit_rank(double probability);
int fit_rank(const Run& run, const Answer& answer);
std::string_view fit_words(double probability);
std::string_view fit_words(const Run& run, const Answer& answer);

// "94 %", "over 99 %", "below 1 %": no prediction is surer.
std::string probability_words(double probability);

// "likely (92 %)": the word of the scale and its probability, wherever a run is judged.
std::string fit_text(double probability);
std::string fit_text(const Run& run, const Answer& answer);

}  // namespace orrery
