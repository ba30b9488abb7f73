// SPDX-License-Identifier: Apache-2.0
#include "exchange/messages/amounts.h"

#include <array>
#include <cctype>

#include "core/units.h"

namespace orrery {
namespace {

struct AmountUnit {
  std::string_view name;
  double bytes;
};
// The longer of two that begin alike first.
constexpr std::array kAmountUnits = {
    AmountUnit{"bytes", 1},    AmountUnit{"byte", 1},     AmountUnit{"KiB", 0x1p10},
    AmountUnit{"MiB", 0x1p20}, AmountUnit{"GiB", 0x1p30}, AmountUnit{"TiB", 0x1p40},
    AmountUnit{"KB", 0x1p10},  AmountUnit{"kB", 0x1p10},  AmountUnit{"MB", 0x1p20},
    AmountUnit{"GB", 0x1p30},  AmountUnit{"TB", 0x1p40},  AmountUnit{"K", 0x1p10},
    AmountUnit{"M", 0x1p20},   AmountUnit{"G", 0x1p30},   AmountUnit{"T", 0x1p40},
    AmountUnit{"B", 1},
};
constexpr double kMostBytes = 0x1p60;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_of_number(char c) { return is_digit(c) || c == '.' || c == ','; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// "1,024.5", without the commas between thousands.
std::optional<double> number_of(std::string_view digits) {
  std::string plain;
  for (const char c : digits) {
    if (c != ',') plain += c;
  }
  while (!plain.empty() && plain.back() == '.') plain.pop_back();
  return parse_number(plain);
}

std::optional<double> unit_at(std::string_view text) {
  for (const AmountUnit& u : kAmountUnits) {
    if (!text.starts_with(u.name)) continue;
    const std::string_view rest = text.substr(u.name.size());
    if (rest.empty() || !is_letter(rest.front())) return u.bytes;
  }
  return {};
}

std::optional<Bytes> amount_of(std::string_view digits, std::optional<double> unit) {
  const auto number = number_of(digits);
  if (!number || !unit || *number < 0 || *number * *unit > kMostBytes) return {};
  return Bytes(*number * *unit);
}

}  // namespace

std::optional<Bytes> leading_amount(std::string_view text, bool bare) {
  std::size_t end = 0;
  while (end < text.size() && is_of_number(text[end])) ++end;
  if (end == 0) return {};
  const auto unit = unit_at(without_blanks(text.substr(end)));
  if (!unit && !bare) return {};
  return amount_of(text.substr(0, end), unit.value_or(1));
}

std::optional<Bytes> amount_behind(std::string_view text, std::string_view marker, bool bare) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + marker.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':' || rest.front() == '=' ||
                           rest.front() == '\t')) {
    rest.remove_prefix(1);
  }
  return leading_amount(rest, bare);
}

std::optional<Bytes> amount_before(std::string_view text, std::string_view marker) {
  for (std::size_t at = text.find(marker); at != std::string_view::npos;
       at = text.find(marker, at + 1)) {
    std::size_t end = at;
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t unit = end;
    while (unit > 0 && is_letter(text[unit - 1])) --unit;
    std::size_t last = unit;
    while (last > 0 && text[last - 1] == ' ') --last;
    std::size_t first = last;
    while (first > 0 && is_of_number(text[first - 1])) --first;
    const auto amount =
        amount_of(text.substr(first, last - first), unit_at(text.substr(unit, end - unit)));
    if (first < last && amount) return amount;
  }
  return {};
}

}  // namespace orrery
