// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace orrery {
namespace {

struct Unit {
  const char* name;
  double si;
  Dimension dimension;
  bool preferred;  // may be chosen when writing
};

constexpr Dimension kRate = kBytes - kSeconds;
constexpr Dimension kFlopRate = kFlops - kSeconds;
constexpr Dimension kPower = kJoules - kSeconds;
constexpr Dimension kClock = kNone - kSeconds;
constexpr double kKi = 1024.0;

constexpr std::array kUnits = {
    Unit{"B", 1, kBytes, true},
    Unit{"kB", 1e3, kBytes, true},
    Unit{"MB", 1e6, kBytes, true},
    Unit{"GB", 1e9, kBytes, true},
    Unit{"TB", 1e12, kBytes, true},
    Unit{"PB", 1e15, kBytes, true},
    Unit{"EB", 1e18, kBytes, true},
    Unit{"KiB", kKi, kBytes, true},
    Unit{"MiB", kKi* kKi, kBytes, true},
    Unit{"GiB", kKi* kKi* kKi, kBytes, true},
    Unit{"TiB", kKi* kKi* kKi* kKi, kBytes, true},
    Unit{"PiB", kKi* kKi* kKi* kKi* kKi, kBytes, true},
    Unit{"b", 0.125, kBytes, false},
    Unit{"kb", 125, kBytes, false},
    Unit{"Mb", 125e3, kBytes, false},
    Unit{"Gb", 125e6, kBytes, false},
    Unit{"Tb", 125e9, kBytes, false},
    Unit{"B/s", 1, kRate, true},
    Unit{"kB/s", 1e3, kRate, true},
    Unit{"MB/s", 1e6, kRate, true},
    Unit{"GB/s", 1e9, kRate, true},
    Unit{"TB/s", 1e12, kRate, true},
    Unit{"PB/s", 1e15, kRate, true},
    Unit{"KiB/s", kKi, kRate, false},
    Unit{"MiB/s", kKi* kKi, kRate, false},
    Unit{"GiB/s", kKi* kKi* kKi, kRate, false},
    Unit{"TiB/s", kKi* kKi* kKi* kKi, kRate, false},
    Unit{"b/s", 0.125, kRate, false},
    Unit{"kb/s", 125, kRate, false},
    Unit{"Mb/s", 125e3, kRate, false},
    Unit{"Gb/s", 125e6, kRate, false},
    Unit{"Tb/s", 125e9, kRate, false},
    Unit{"FLOP", 1, kFlops, true},
    Unit{"kFLOP", 1e3, kFlops, true},
    Unit{"MFLOP", 1e6, kFlops, true},
    Unit{"GFLOP", 1e9, kFlops, true},
    Unit{"TFLOP", 1e12, kFlops, true},
    Unit{"PFLOP", 1e15, kFlops, true},
    Unit{"EFLOP", 1e18, kFlops, true},
    Unit{"ZFLOP", 1e21, kFlops, true},
    Unit{"YFLOP", 1e24, kFlops, true},
    Unit{"FLOP/s", 1, kFlopRate, true},
    Unit{"kFLOP/s", 1e3, kFlopRate, true},
    Unit{"MFLOP/s", 1e6, kFlopRate, true},
    Unit{"GFLOP/s", 1e9, kFlopRate, true},
    Unit{"TFLOP/s", 1e12, kFlopRate, true},
    Unit{"PFLOP/s", 1e15, kFlopRate, true},
    Unit{"EFLOP/s", 1e18, kFlopRate, true},
    Unit{"ns", 1e-9, kSeconds, true},
    Unit{"us", 1e-6, kSeconds, true},
    Unit{"µs", 1e-6, kSeconds, false},
    Unit{"ms", 1e-3, kSeconds, true},
    Unit{"s", 1, kSeconds, true},
    Unit{"min", 60, kSeconds, false},
    Unit{"h", kHour.si(), kSeconds, true},
    Unit{"d", kDay.si(), kSeconds, true},
    Unit{"hour", kHour.si(), kSeconds, false},
    Unit{"hours", kHour.si(), kSeconds, false},
    Unit{"day", kDay.si(), kSeconds, false},
    Unit{"days", kDay.si(), kSeconds, false},
    Unit{"w", 7 * kDay.si(), kSeconds, false},
    Unit{"week", 7 * kDay.si(), kSeconds, false},
    Unit{"weeks", 7 * kDay.si(), kSeconds, false},
    Unit{"month", kYear.si() / 12, kSeconds, false},
    Unit{"months", kYear.si() / 12, kSeconds, false},
    Unit{"y", kYear.si(), kSeconds, false},
    Unit{"year", kYear.si(), kSeconds, false},
    Unit{"years", kYear.si(), kSeconds, false},
    Unit{"MHz", 1e6, kClock, true},
    Unit{"GHz", 1e9, kClock, false},
    Unit{"W", 1, kPower, true},
    Unit{"kW", 1e3, kPower, true},
    Unit{"MW", 1e6, kPower, true},
    Unit{"GW", 1e9, kPower, true},
    Unit{"J", 1, kJoules, true},
    Unit{"kJ", 1e3, kJoules, true},
    Unit{"MJ", 1e6, kJoules, true},
    Unit{"GJ", 1e9, kJoules, true},
    Unit{"kWh", 3.6e6, kJoules, false},
    Unit{"MWh", 3.6e9, kJoules, false},
};

bool is_number_char(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-' ||
         c == 'e' || c == 'E';
}

// Length of the leading decimal number. An 'e' belongs to it only when digits follow: "5 EB" is
// not.
std::size_t number_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_number_char(text[n])) {
    if (text[n] == 'e' || text[n] == 'E') {
      std::size_t k = n + 1;
      if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
      if (k >= text.size() || std::isdigit(static_cast<unsigned char>(text[k])) == 0) break;
    }
    ++n;
  }
  return n;
}

// Decimal units for what is sold in decimal; the unit that leaves 1 ≤ number < 1000 (10 min, not
// h).
const Unit& unit_for(double si, Dimension d, bool binary) {
  const Unit* best = nullptr;
  for (const Unit& u : kUnits) {
    if (!(u.dimension == d) || !u.preferred) continue;
    const bool is_binary = std::string_view(u.name).find('i') == 1;
    if (d == kBytes && u.si != 1 && is_binary != binary) continue;
    if (best == nullptr || std::abs(si) >= u.si) best = &u;
  }
  return *best;  // NOLINT(clang-analyzer-*): has_unit(d), or nobody asks
}

std::string with_digits(double x, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, x);
  return buffer.data();
}

bool has_unit(Dimension d) {
  for (const Unit& u : kUnits) {
    if (u.dimension == d) return true;
  }
  return false;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.empty() || text.size() > 100 || number_length(text) != text.size()) return {};
  const std::string copy(text);
  char* end = nullptr;
  const double x = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(x)) return {};
  return x;
}

std::optional<double> parse_quantity(std::string_view text, Dimension d) {
  const std::size_t n = number_length(text);
  const std::optional<double> number = parse_number(text.substr(0, n));
  if (!number) return {};
  std::string_view unit = text.substr(n);
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& u : kUnits) {
    if (u.dimension == d && unit == u.name) {
      const double si = *number * u.si;
      return std::isfinite(si) ? std::optional<double>(si) : std::nullopt;
    }
  }
  return {};
}

std::vector<std::string> units_of(Dimension d) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits) {
    if (u.dimension == d) names.emplace_back(u.name);
  }
  return names;
}

std::string example_of(Dimension d) {
  if (d == kBytes) return "80 GiB";
  if (d == kRate) return "400 Gb/s";
  if (d == kFlops) return "3.14e23 FLOP";
  if (d == kFlopRate) return "312 TFLOP/s";
  if (d == kSeconds) return "4 us";
  if (d == kPower) return "700 W";
  if (d == kClock) return "1965 MHz";
  if (d == kJoules) return "3 kWh";
  return "1";
}

std::string unit_text(Dimension d) {
  if (d == kNone) return "";
  for (const Unit& u : kUnits) {
    if (u.dimension == d && u.si == 1) return u.name;
  }
  return "?";
}

// 80, not 8e+01: whole numbers that can be read are written out.
std::string shortest(double x) {
  constexpr double kReadable = 1e15;
  if (x == std::floor(x) && std::abs(x) < kReadable) return with_digits(x, 15);
  for (int digits = 1; digits <= 17; ++digits) {
    std::string text = with_digits(x, digits);
    if (std::strtod(text.c_str(), nullptr) == x) return text;
  }
  return with_digits(x, 17);
}

std::string exact_text(double si, Dimension d) {
  if (!has_unit(d)) return shortest(si);
  if (si == 0) return "0 " + unit_text(d);
  const Unit* best = nullptr;
  std::string best_text;
  for (const Unit& u : kUnits) {
    if (!(u.dimension == d) || !u.preferred) continue;
    std::string text = shortest(si / u.si);
    if (std::strtod(text.c_str(), nullptr) * u.si != si) continue;
    if (best == nullptr || text.size() < best_text.size() ||
        (text.size() == best_text.size() && text.find('e') == std::string::npos &&
         u.si > best->si)) {
      best = &u;
      best_text = text;
    }
  }
  return best == nullptr ? shortest(si) : best_text + " " + best->name;
}

namespace {

// 1030 s, not 1.03e+03 s.
std::string whole_or_rounded(double x, int digits) {
  constexpr double kReadable = 1e7;
  const bool whole = std::abs(x) >= 1000 && std::abs(x) < kReadable;
  return whole ? shortest(std::round(x)) : with_digits(x, digits);
}

}  // namespace

std::string pretty_text(double si, Dimension d, int digits) {
  if (!has_unit(d)) return with_digits(si, digits);
  const Unit& u = unit_for(std::strtod(with_digits(si, digits).c_str(), nullptr), d, false);
  return whole_or_rounded(si / u.si, digits) + " " + u.name;
}

std::string gib_text(Bytes b, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f GiB", decimals, b.si() / kGiB.si());
  return buffer.data();
}

}  // namespace orrery
