// SPDX-License-Identifier: Apache-2.0
//
// Carbon by the hour of the day.
#include "capacity/energy.h"

#include <doctest/doctest.h>

#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kPerKwh = 1 / 3.6e6;  // kg a kWh in kg a joule

// 0.1 kg/kWh by night, 0.5 from 6 to 18 o'clock.
HourlyCarbon day_and_night() {
  HourlyCarbon hours;
  for (std::size_t h = 0; h < 24; ++h) hours[h] = {(h >= 6 && h < 18 ? 0.5 : 0.1) * kPerKwh};
  return hours;
}

}  // namespace

TEST_CASE("an even power emits by the hours that it is on") {
  const HourlyCarbon hours = day_and_night();
  const Watts kilowatt(1000);
  // A day: 12·0.1 + 12·0.5 kg.
  CHECK(carbon_from(hours, kilowatt, kDay, 5).kg == about(7.2));
  // 2.5 hours from 5 o'clock: 0.1 + 0.5 + 0.25 kg; from 17 o'clock 0.5 + 0.1 + 0.05.
  CHECK(carbon_from(hours, kilowatt, kHour * 2.5, 5).kg == about(0.85));
  CHECK(carbon_from(hours, kilowatt, kHour * 2.5, 17).kg == about(0.65));
  // Over midnight, after two days.
  CHECK(carbon_from(hours, kilowatt, kDay * 2 + kHour * 2, 23).kg == about(14.6));
}
