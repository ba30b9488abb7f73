// SPDX-License-Identifier: Apache-2.0
#include "capacity/date.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace orrery {
namespace {

constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2199;

constexpr bool is_leap(int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

constexpr int days_of(int year, int month) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

constexpr int days_of(int year) { return is_leap(year) ? 366 : 365; }

constexpr std::int64_t last_day() {
  std::int64_t n = 0;
  for (int y = kFirstYear; y <= kLastYear; ++y) n += days_of(y);
  return n - 1;
}

std::optional<int> digits(std::string_view text) {
  int n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    n = 10 * n + (c - '0');
  }
  return n;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day || *year < kFirstYear || *year > kLastYear) return {};
  if (*month < 1 || *month > 12 || *day < 1 || *day > days_of(*year, *month)) return {};
  Date d;
  for (int y = kFirstYear; y < *year; ++y) d.day += days_of(y);
  for (int m = 1; m < *month; ++m) d.day += days_of(*year, m);
  d.day += *day - 1;
  return d;
}

std::string text_of(Date d) {
  int year = kFirstYear;
  std::int64_t rest = d.day;
  while (rest >= days_of(year)) rest -= days_of(year++);
  int month = 1;
  while (rest >= days_of(year, month)) rest -= days_of(year, month++);
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02d", year, month,
                static_cast<int>(rest) + 1);
  return buffer.data();
}

Date after(Date start, Seconds t) {
  const double days = std::floor(t / kDay);
  const auto room = static_cast<double>(last_day() - start.day);
  return {start.day + static_cast<std::int64_t>(std::clamp(days, 0.0, room))};
}

}  // namespace orrery
