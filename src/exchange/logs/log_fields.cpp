// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/log_fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "core/units.h"
#include "exchange/text_lines.h"

namespace orrery::training_logs {
namespace {

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "12,345.6GiB" begins with 12345.6; newer versions of Hugging Face's Trainer put a number in
// quotes.
std::string leading_digits(std::string_view text) {
  std::string digits;
  const std::size_t first = text.find_first_not_of(" \t'\"");
  if (first == std::string_view::npos) return {};
  for (const char c : text.substr(first)) {
    if (c == ',') continue;
    const bool of_number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' ||
                           ((c == 'e' || c == 'E' || c == '-' || c == '+') && !digits.empty());
    if (!of_number) break;
    digits += c;
  }
  while (!digits.empty() && std::isdigit(static_cast<unsigned char>(digits.back())) == 0) {
    digits.pop_back();
  }
  return digits;
}

std::optional<double> positive_number(const std::string& digits) {
  const auto x = parse_number(digits);
  constexpr double kMost = 1e15;
  return x && *x > 0 && *x < kMost ? x : std::nullopt;
}

std::optional<double> number_before(std::string_view text) {
  const std::size_t other = text.find_last_not_of("0123456789.");
  return leading_number(other == std::string_view::npos ? text : text.substr(other + 1));
}

// "0.412s, 2485.43/s  (0.512s, 2000.12/s)": 0.512, which stands in the same column of the line.
std::optional<double> bracketed_number(std::string_view text) {
  text = text.substr(0, text.find('\t', text.empty() ? 0 : 1));
  const std::size_t open = text.find('(');
  return open == std::string_view::npos ? std::nullopt : leading_number(text.substr(open + 1));
}

// Rates of steps have three decimals or more: a small one says less than one of samples. Half a
// unit of the last decimal is half a percent at most.
std::optional<double> rate_of_steps(std::string_view text) {
  constexpr std::size_t kDecimals = 3;
  const std::string digits = leading_digits(text);
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  const double least = 100 * std::pow(0.1, static_cast<double>(std::max(kDecimals, decimals)));
  const auto x = leading_number(text);
  return x && *x >= least * (1 - 1e-9) ? x : std::nullopt;
}

std::optional<double> number_at(std::string_view line, std::size_t at, const Field& f) {
  const std::string_view behind = line.substr(at + f.marker.size());
  if (f.quantity == Logged::steps) return rate_of_steps(behind);
  switch (f.written) {
    case Written::behind:
      return leading_number(behind);
    case Written::magnitude:
      return number_with_magnitude(behind);
    case Written::before:
      return number_before(line.substr(0, at));
    case Written::bracket:
      return bracketed_number(behind);
  }
  return {};
}

bool is_validation(std::string_view line) { return contains(line, "validate step:"); }

}  // namespace

std::optional<double> leading_number(std::string_view text) {
  return positive_number(leading_digits(text));
}

std::optional<double> number_with_magnitude(std::string_view text) {
  constexpr std::string_view kMagnitudes = "KMGT";
  const std::string digits = leading_digits(text);
  auto x = positive_number(digits);
  const std::size_t end = text.find(digits) + digits.size();
  if (!x || end >= text.size()) return x;
  const std::size_t power = kMagnitudes.find(text[end]);
  return power == std::string_view::npos ? x : *x * std::pow(1e3, static_cast<double>(power + 1));
}

std::optional<double> value_in(std::string_view line, const Field& f) {
  if (!contains(line, f.beside) || is_validation(line)) return {};
  for (std::size_t at = line.find(f.marker); at != std::string_view::npos;
       at = line.find(f.marker, at + 1)) {
    const bool in_word = at > 0 && is_alnum(line[at - 1]) && is_alnum(f.marker.front());
    if (in_word && f.written != Written::before) continue;
    if (const auto x = number_at(line, at, f)) return x;
  }
  return {};
}

}  // namespace orrery::training_logs
