// SPDX-License-Identifier: Apache-2.0
//
// The one thing that limits a run, in a sentence: the memory that is missing, or the largest part
// of the step that is not the model's own FLOPs at the dense peak.
#pragma once

#include <string>

#include "estimate/answer.h"

namespace orrery {

struct Run;

std::string limiter(const Run& run, const Answer& answer);

// "activations 31.2 GiB": the largest line of a stage's memory.
std::string largest_line(const StageMemory<double>& m);

// Why a peak is the device's capacity: "cached blocks fill it, …; 70.3 GiB are allocated, …".
std::string filled_words(const StageMemory<double>& m);

}  // namespace orrery
