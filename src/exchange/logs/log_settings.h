// SPDX-License-Identifier: Apache-2.0
//
// Settings of the run that a training log says beside its steps. Only the reader of training logs
// (training_log.cpp) uses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/logs/training_log.h"

namespace orrery::training_logs {

// The batch of a step's line, "global batch size:    16" or "global_batch_size: 16"; 0 without one.
std::int64_t batch_in(std::string_view line);

// Settings that a log of this form says, as the last line has them.
std::vector<LoggedSetting> settings_in(const std::vector<std::string>& lines,
                                       std::string_view form);

}  // namespace orrery::training_logs
