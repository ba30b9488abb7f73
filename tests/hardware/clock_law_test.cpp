// SPDX-License-Identifier: Apache-2.0
// Clocks under a power cap, computed by hand from P(f) = P0 + A·u·(f/f_max)^γ.
#include "hardware/clock_law.h"

#include <doctest/doctest.h>

#include <cmath>

#include "hardware/power.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// A B200's: 1,000 W at 1,580 of 1,965 MHz under attention (flashinfer-ai/flashinfer pull request
// 2899), 250 W between products.
ClockLaw b200() {
  ClockLaw c;
  c.highest = PerSecond(1965e6);
  c.at_rest = Watts(250);
  c.at_load = Watts(1265);
  c.exponent = 2.4;
  c.other_load = 0.5;
  return c;
}

doctest::Approx near(double x) { return about(x).epsilon(2e-4); }

}  // namespace

TEST_CASE("the clock is what leaves the power at the cap") {
  CHECK(sustained_clock(b200(), Watts(1000), 1) * 1965 == near(1580.4));
  CHECK(sustained_clock(b200(), Watts(1000), 0.75) == near(0.90669));
  const double f = sustained_clock(b200(), Watts(750), 1);
  CHECK(f == near(0.67925));
  CHECK(250 + 1265 * std::pow(f, 2.4) == near(750));
}

TEST_CASE("a device that draws less than its cap keeps its highest clock") {
  CHECK(sustained_clock(b200(), Watts(1515), 1) == 1);
  CHECK(sustained_clock(b200(), Watts(1000), 0.5) == 1);
}

TEST_CASE("1,200 W beside 750 W are the measured 1.4 times as fast") {
  // pytorch/FBGEMM pull request 4197: ×2.8 against ×2.0 of an H100.
  const double gb200 = sustained_clock(b200(), Watts(1200), 1) * 2062;
  const double of_750 = sustained_clock(b200(), Watts(750), 1) * 1965;
  CHECK(gb200 / of_750 == near(1.3711));
  CHECK(gb200 / of_750 == about(1.4).epsilon(0.03));
}

TEST_CASE("a slower clock gives products a larger share of the time, and the clock more load") {
  // 0.7 s of products and 0.3 s else: their share becomes 0.732, the load 0.866.
  const double rate = sustained_rate(b200(), Watts(1000), {Seconds(0.7), Seconds(0.3)});
  CHECK(rate == near(0.85395));
  CHECK(rate == near(sustained_clock(b200(), Watts(1000), 0.86603)));
  CHECK(sustained_rate(b200(), Watts(1000), {Seconds(1), Seconds()}) == near(0.80428));
  CHECK(sustained_rate(b200(), Watts(1000), {Seconds(), Seconds(1)}) == 1);
}

TEST_CASE("rates of training under the rated power are not slowed again") {
  ClockLaw hopper = b200();
  hopper.at_rest = Watts(218);
  hopper.at_load = Watts(589);
  hopper.rates_at = Watts(700);
  const WorkByClock wide{Seconds(0.9), Seconds(0.1)};
  CHECK(sustained_rate(hopper, Watts(700), wide) == 1);
  // (500 − 218)/(700 − 218) to the power 1/2.4, whatever the load.
  CHECK(sustained_rate(hopper, Watts(500), wide) == near(0.79983));
  // A load of 0.55 leaves 700 W at the highest clock: 282/(589·0.55) to the power 1/2.4.
  CHECK(sustained_rate(hopper, Watts(500), {Seconds(0.1), Seconds(0.9)}) == near(0.94189));
}

TEST_CASE("neither more power nor less of other work ever makes the whole slower") {
  for (double watts = 500; watts < 1500; watts += 50) {
    for (double other = 0; other < 4; other += 0.25) {
      const auto whole = [](double w, double rest) {
        return 1 / sustained_rate(b200(), Watts(w), {Seconds(1), Seconds(rest)}) + rest;
      };
      CHECK(whole(watts + 50, other) <= whole(watts, other) * (1 + 1e-12));
      CHECK(whole(watts, other + 0.01) >= whole(watts, other));
    }
  }
}

TEST_CASE("the cap that keeps a limit is what is left for each device, in whole watts") {
  Cluster c;
  c.device.clock = b200();
  c.device.power = Watts(1000);
  c.devices_per_node = 8;
  c.gpus = 16;
  c.node_power = Watts(14'300);
  CHECK(most_power(c, 2) == Watts(28'600));
  // (12,500 W − 6,300 W around the devices) / 8
  CHECK(cap_within(c, 2, Watts(25'000)) == Watts(775));
  CHECK(cap_within(c, 2, Watts(25'007)) == Watts(775));
  CHECK(cap_within(c, 2, Watts(60'000)) == Watts(1000));
  CHECK_FALSE(cap_within(c, 2, Watts(20'000)));  // 462 W, below half of the rating
  c.device.clock = {};
  CHECK_FALSE(cap_within(c, 2, Watts(25'000)));
}
