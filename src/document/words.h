// SPDX-License-Identifier: Apache-2.0
//
// Numbers and columns as a person reads them in a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/phrase.h"
#include "orrery/quantity.h"

namespace orrery {

inline constexpr std::size_t kTextWidth = 100;  // where no terminal gives one
inline constexpr std::size_t kLabel = 18;       // columns of the words that begin a line
inline constexpr std::size_t kBar = 50;         // columns of a bar beside a number

// How a text is dressed: escape codes only where a person reads, lines that fit a terminal.
struct Style {
  bool color = false;
  std::size_t width = kTextWidth;
  bool must_fit = false;  // tables too; a pipe takes lines of any length
};

std::string text_style(const Style& style, TextStyle i, const std::string& text);
std::string dressed(const Style& style, const Phrase& phrase);

// "1,024"
std::string grouped(std::int64_t n);
std::string grouped(double n);

// "174.6 B", "3.15 M"
std::string short_count(double n);

std::string percent(double ratio, int decimals = 1);
std::string signed_percent(double ratio);  // "+3.1 %"
std::string signed_seconds(Seconds t);     // "−3.21 ms"

// "1 node", "1,024 nodes"
std::string counted(std::int64_t n, const std::string& noun);

// "17.25 s", "3.2 ms", "12 us"; days where hours do not help.
std::string seconds_text(Seconds t);
std::string fixed(double x, int decimals);

std::string significant(double x, int digits);  // "0.01234" of four

// A number of bytes in the largest unit that leaves it 1 or more: {64, "KiB"}.
struct BinaryAmount {
  double amount = 0;
  const char* unit = "B";
};
BinaryAmount binary_amount(double bytes);

// "20", "0.5": as short as it can be, without exponent where it is a count.
std::string plain_number(double x);

// Columns a terminal shows: code points, escape codes not counted.
std::size_t width_of(std::string_view text);
std::string left(const std::string& text, std::size_t width);
std::string right(const std::string& text, std::size_t width);

// A bar of eighth blocks, `share` of `width` columns.
std::string bar(double share, std::size_t width);

// Lines of at most kTextWidth columns; the first begins in column `first`, the others at `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t first = 0,
                    std::size_t width = kTextWidth);

// At most `width` columns, cut with "…".
std::string shortened(const std::string& text, std::size_t width);

std::string joined(const std::vector<std::string>& parts, const std::string& between);

// The same with equal neighbours counted: "a ×2 → b".
std::string joined_runs(const std::vector<std::string>& parts, const std::string& between);

}  // namespace orrery
