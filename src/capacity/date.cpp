// SPDX-License-Identifier: Apache-2.0
#include "capacity/date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace orrery {
namespace {

namespace calendar = std::chrono;

constexpr calendar::year kFirstYear{1970};
constexpr calendar::year kLastYear{2199};
constexpr calendar::sys_days kLastDay{kLastYear / calendar::December / 31};

// Digits alone: no sign, no space.
std::optional<int> number_of(std::string_view digits) {
  int n = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    n = 10 * n + (c - '0');
  }
  return n;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = number_of(text.substr(0, 4));
  const auto month = number_of(text.substr(5, 2));
  const auto day = number_of(text.substr(8, 2));
  if (!year || !month || !day) return {};
  const calendar::year_month_day date = calendar::year(*year) / *month / *day;
  if (!date.ok() || date.year() < kFirstYear || date.year() > kLastYear) return {};
  return Date{calendar::sys_days(date).time_since_epoch().count()};
}

std::string text_of(Date d) {
  const calendar::year_month_day date{calendar::sys_days(calendar::days(d.day))};
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return buffer.data();
}

Date after(Date start, Seconds t) {
  const double days = std::floor(t / kDay);
  const auto room = static_cast<double>(kLastDay.time_since_epoch().count() - start.day);
  return {start.day + static_cast<std::int64_t>(std::clamp(days, 0.0, room))};
}

}  // namespace orrery
