// SPDX-License-Identifier: Apache-2.0
//
// Days of the proleptic Gregorian calendar, "2026-12-01". Leaves out time zones and leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/quantity.h"

namespace orrery {

struct Date {
  std::int64_t day = 0;  // since 1970-01-01
};

inline constexpr Seconds kDay{86400};
inline constexpr Seconds kHour{3600};
inline constexpr Seconds kYear{365.25 * 86400};

// Empty if the text is no date of the years 1970 to 2199.
std::optional<Date> parse_date(std::string_view text);
std::string text_of(Date d);

// The day after a time `t` from the beginning of `start`; at most the last known day.
Date after(Date start, Seconds t);

}  // namespace orrery
