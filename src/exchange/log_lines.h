// SPDX-License-Identifier: Apache-2.0
//
// Lines and fields of a log, for its readers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exchange/logs/comm_log.h"

namespace orrery::detail {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Without line ends; CR LF is one.
std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);
// Trimmed, and out of double quotes.
std::vector<std::string_view> fields_of(std::string_view line, char separator);

// Where a field stands, for its errors.
struct LogPlace {
  const std::string& file;
  std::size_t line = 0;
};

[[noreturn]] void fail(const LogPlace& place, const std::string& found, const std::string& allowed);

// Above 0 (10⁻¹² and more), and at most 10¹⁸.
double positive(const LogPlace& place, std::string_view text, const std::string& column);
std::int64_t whole(const LogPlace& place, std::string_view text, const std::string& column);

// The predicted collective of an operation; empty if a known one has none. An unknown one is
// refused.
std::optional<Collective> known_operation(const LogPlace& place, const std::string& operation);

CommLog read_deepspeed_log(const std::vector<std::string_view>& lines, std::size_t header,
                           const std::string& file);
CommLog read_csv_log(const std::vector<std::string_view>& lines, std::size_t header,
                     const std::string& file);

}  // namespace orrery::detail
