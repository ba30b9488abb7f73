// SPDX-License-Identifier: Apache-2.0
//
// tqdm's progress bars, " 5/1000 [00:47<2:31:10,  9.05s/it". Only the reader of training logs
// (training_log.cpp) uses it.
#pragma once

#include <string_view>
#include <vector>

namespace orrery::training_logs {

// "1 day, 2:03:04", "0:15:19.02"; 0 where it is none.
double seconds_of_clock(std::string_view text);

// Seconds of a step from the bar of the training: not of those that load weights, map samples or
// evaluate; none where fewer than three writings of it say them.
std::vector<double> bar_steps(std::string_view text);

}  // namespace orrery::training_logs
