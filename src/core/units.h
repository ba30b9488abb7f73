// SPDX-License-Identifier: Apache-2.0
//
// Quantities as text, both ways. "80 GiB", "3.35 TB/s", "400 Gb/s", "312 TFLOP/s", "4 us", "700 W",
// "1965 MHz".
//
// GB is 10⁹ bytes, GiB 2³⁰; b is a bit, B a byte; k/M/G/T/P/E are powers of 1000. There is one
// space or none between number and unit, and no other spelling. exact_text() gives the shortest
// text that parses back to the same number; pretty() rounds for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// The SI value of `text` if it is a number with a unit of dimension `d`; nothing otherwise.
std::optional<double> parse_quantity(std::string_view text, Dimension d);

// A decimal number without unit ("300e9"); no hex, infinity or NaN.
std::optional<double> parse_number(std::string_view text);

// Units a text of dimension `d` may carry, for messages: {"B", "kB", …}.
std::vector<std::string> units_of(Dimension d);

// Example of a text of dimension `d`, for messages: "80 GiB".
std::string example_of(Dimension d);

// SI unit of a dimension: "B", "s", "FLOP/s", "" for none.
std::string unit_text(Dimension d);

std::string exact_text(double si, Dimension d);
std::string pretty_text(double si, Dimension d, int digits = 4);

// Shortest decimal text that reads back as the same double.
std::string shortest(double x);

template <Dimension D>
std::string exact(Quantity<D> q) {
  return exact_text(q.si(), D);
}

template <Dimension D>
std::string pretty(Quantity<D> q, int digits = 4) {
  return pretty_text(q.si(), D, digits);
}

// 27.16 GiB: memory is shown in binary units everywhere.
std::string gib_text(Bytes b, int decimals = 2);

}  // namespace orrery
