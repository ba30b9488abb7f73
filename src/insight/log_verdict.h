// SPDX-License-Identifier: Apache-2.0
//
// A verdict from the numbers of a training log alone, without a prediction: steps wait for data,
// they grow longer, the allocator is short of memory, or they are steady.
// Leaves out how fast the run should be: that needs the run. Errors: none.
#pragma once

#include <optional>

#include "exchange/logs/training_log.h"
#include "insight/diagnosed_cause.h"

namespace orrery {

// The share of a step that waits for data, where the log states both.
std::optional<double> data_share(const TrainingLog& log);

// A cause outside of any run's settings, where the log names one; nothing where it is steady.
std::optional<DiagnosedCause> fault_of(const TrainingLog& log);

// "steady: 24 steps of 5.47 s …"
std::string steady_words(const TrainingLog& log);

}  // namespace orrery
