// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

using namespace orrery;

namespace {

constexpr Dimension kRate = kBytes - kSeconds;
constexpr Dimension kFlopRate = kFlops - kSeconds;
constexpr Dimension kPower = kJoules - kSeconds;
constexpr std::array<Dimension, 7> kDimensions = {kBytes,   kRate,  kFlops, kFlopRate,
                                                  kSeconds, kPower, kJoules};

double parsed(const char* text, Dimension d) { return parse_quantity(text, d).value_or(-1); }

}  // namespace

TEST_CASE("a text means its SI value") {
  CHECK(parsed("80 GiB", kBytes) == 80.0 * 1024 * 1024 * 1024);
  CHECK(parsed("80 GB", kBytes) == 80e9);
  CHECK(parsed("3.35 TB/s", kRate) == 3.35e12);
  CHECK(parsed("400 Gb/s", kRate) == 50e9);
  CHECK(parsed("400 GB/s", kRate) == 400e9);
  CHECK(parsed("1 Gb", kBytes) == 125e6);
  CHECK(parsed("312 TFLOP/s", kFlopRate) == 312e12);
  CHECK(parsed("3.14e23 FLOP", kFlops) == 3.14e23);
  CHECK(parsed("4 us", kSeconds) == 4 * 1e-6);
  CHECK(parsed("4 µs", kSeconds) == 4 * 1e-6);
  CHECK(parsed("90 min", kSeconds) == 5400);
  CHECK(parsed("60 days", kSeconds) == 60 * 86400.0);
  CHECK(parsed("4 y", kSeconds) == 4 * 365.25 * 86400);
  CHECK(parsed("2 d", kSeconds) == 172800);
  CHECK(parsed("700 W", kPower) == 700);
  CHECK(parsed("3 kWh", kJoules) == 3 * 3.6e6);
  CHECK(parsed("80GiB", kBytes) == 80.0 * 1024 * 1024 * 1024);
  CHECK(parsed("5 EB", kBytes) == 5e18);
  CHECK(parsed("5EB", kBytes) == 5e18);
  CHECK(parsed("1e3 B", kBytes) == 1000);
  CHECK(parsed("-1 s", kSeconds) == -1);
}

TEST_CASE("bits are not bytes, and powers of two are not powers of ten") {
  CHECK(parsed("1 GiB", kBytes) != parsed("1 GB", kBytes));
  CHECK(parsed("8 Gb/s", kRate) == parsed("1 GB/s", kRate));
  CHECK(parsed("8 Mb", kBytes) == parsed("1 MB", kBytes));
}

TEST_CASE("what is no quantity of the dimension is nothing") {
  for (const char* text :
       {"",        " ",         "80",        "GiB",      "80 gib",  "80 GIB",   "80 Gib",
        "80  GiB", "80 GiB ",   " 80 GiB",   "80 GiB/s", "80 s",    "0x10 GiB", "inf GiB",
        "nan GiB", "1e999 GiB", "8.5.1 GiB", "1e400 B",  "80 GB/S", "80\tGiB",  "--1 GiB",
        "1,5 GiB", "+ GiB",     "e9 GiB",    "1 GiBGiB"}) {
    CAPTURE(text);
    CHECK(!parse_quantity(text, kBytes));
  }
  CHECK(!parse_quantity("80 GiB", kSeconds));
  CHECK(!parse_quantity("1 GB", kRate));
  CHECK(!parse_quantity("1 FLOP", kFlopRate));
  CHECK(!parse_quantity("1 M", kSeconds));
  CHECK(!parse_quantity(std::string(200, '1') + " B", kBytes));
}

TEST_CASE("a bare number has no unit") {
  CHECK(parse_number("300e9") == 300e9);
  CHECK(parse_number("-2.5") == -2.5);
  for (const char* text :
       {"", "1 ", " 1", "1e", "0x10", "inf", "nan", "1e999", "1..2", "e5", "1-2"}) {
    CAPTURE(text);
    CHECK(!parse_number(text));
  }
}

TEST_CASE("every unit is read, and example and SI unit are units") {
  for (const Dimension d : kDimensions) {
    for (const std::string& unit : units_of(d)) {
      CAPTURE(unit);
      CHECK(parse_quantity("1 " + unit, d));
      for (const Dimension other : kDimensions) {
        if (!(other == d)) CHECK(!parse_quantity("1 " + unit, other));
      }
    }
    CHECK(parse_quantity(example_of(d), d));
    CHECK(parse_quantity("1 " + unit_text(d), d) == 1.0);
  }
  CHECK(unit_text(kNone).empty());
}

TEST_CASE("an exact text is read back bit for bit") {
  std::mt19937_64 random(7);
  const auto check = [](double x, Dimension d) {
    const std::string text = exact_text(x, d);
    CAPTURE(text);
    CHECK(parse_quantity(text, d) == x);
  };
  for (int i = 0; i < 20000; ++i) {
    const double mantissa = static_cast<double>(random() >> 11);
    const double x = std::ldexp(mantissa, static_cast<int>(random() % 100) - 100);
    const Dimension d = kDimensions[random() % kDimensions.size()];
    if (x > 0 && x < 1e24) check(x, d);
    check(static_cast<double>(random() % 100000), d);
  }
  // Every unit, with short numbers.
  for (const Dimension d : kDimensions) {
    for (const std::string& unit : units_of(d)) {
      for (const char* number : {"1", "80", "3.35", "0.1", "7.77e-3"}) {
        check(parsed((std::string(number) + " " + unit).c_str(), d), d);
      }
    }
  }
}

TEST_CASE("an exact text is the short one") {
  CHECK(exact_text(80.0 * 1024 * 1024 * 1024, kBytes) == "80 GiB");
  CHECK(exact_text(80e9, kBytes) == "80 GB");
  CHECK(exact_text(50e9, kRate) == "50 GB/s");
  CHECK(exact_text(4e-6, kSeconds) == "4 us");
  CHECK(exact_text(0, kBytes) == "0 B");
  CHECK(exact(FlopsPerSecond(312e12)) == "312 TFLOP/s");
}

TEST_CASE("a pretty text keeps its digits and finds its unit") {
  CHECK(pretty_text(1.5e9, kBytes) == "1.5 GB");
  CHECK(pretty_text(999, kBytes) == "999 B");
  CHECK(pretty_text(1000, kBytes) == "1 kB");
  CHECK(pretty_text(0.00042, kSeconds) == "420 us");
  CHECK(pretty_text(0, kSeconds) == "0 ns");
  CHECK(pretty_text(1e30, kBytes) == "1e+12 EB");
  CHECK(pretty(Seconds(12.3456)) == "12.35 s");
  CHECK(pretty(Seconds(1034.4), 3) == "1034 s");  // not 1.03e+03
  CHECK(pretty(Seconds(12345.0 * 86400)) == "12345 d");
  CHECK(gib_text(Bytes(27.16 * kGiB.si())) == "27.16 GiB");
  // Rounding up to a thousand must not leave "1000 MB" behind.
  CHECK(pretty_text(999.99e6, kBytes) == "1 GB");
}

TEST_CASE("the shortest text is the same double") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20000; ++i) {
    const double x =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 2000) - 1000);
    const std::string text = shortest(x);
    CHECK(std::strtod(text.c_str(), nullptr) == x);
  }
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(100) == "100");
  CHECK(shortest(-2.5) == "-2.5");
}
