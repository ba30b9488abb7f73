// SPDX-License-Identifier: Apache-2.0
//
// The texts beside measurements (device, date, …) by their names in files.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "calibrate/measurement.h"

namespace orrery::detail {

struct HeadingText {
  std::string_view name;
  std::string MeasurementSet::*field;
};

inline constexpr std::array kHeadingTexts = {
    HeadingText{"device", &MeasurementSet::device},
    HeadingText{"node", &MeasurementSet::node},
    HeadingText{"driver", &MeasurementSet::driver},
    HeadingText{"library", &MeasurementSet::library},
    HeadingText{"clocks", &MeasurementSet::clocks},
    HeadingText{"date", &MeasurementSet::date},
    HeadingText{"source", &MeasurementSet::source},
    HeadingText{"role", &MeasurementSet::role},
};

}  // namespace orrery::detail
