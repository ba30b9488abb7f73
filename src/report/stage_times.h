// SPDX-License-Identifier: Apache-2.0
//
// The times of a simulated stage with their keys, as JSON and CSV name them.
#pragma once

#include <array>
#include <string_view>

#include "sim/streams.h"

namespace orrery {

struct StageTime {
  std::string_view key;
  Seconds StageUse::*time;
};

inline constexpr std::array<StageTime, 6> kStageTimes = {{
    {"first_pass_s", &StageUse::first_pass},
    {"finished_s", &StageUse::finished},
    {"reduced_s", &StageUse::reduced},
    {"end_s", &StageUse::end},
    {"bubble_s", &StageUse::bubble},
    {"mates_s", &StageUse::mates},
}};

}  // namespace orrery
