// SPDX-License-Identifier: Apache-2.0
#include "exchange/text_lines.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/one_line.h"
#include "core/units.h"

namespace orrery {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? trimmed(text.substr(1, text.size() - 2)) : text;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string shown(text);
  make_valid(shown);
  return one_line(std::move(shown));
}

void make_valid(std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (plain) return;
  const std::string dumped = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  text = Json::parse(dumped).get<std::string>();
}

std::string_view without_byte_order(std::string_view text) {
  constexpr std::string_view kByteOrder = "\xef\xbb\xbf";
  return begins_with(text, kByteOrder) ? text.substr(kByteOrder.size()) : text;
}

void make_plain(std::string& text) {
  text.erase(0, text.size() - without_byte_order(text).size());
  make_valid(text);
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[end++] = text[i];
  }
  text.resize(end);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string text_between(std::string_view line, std::string_view open, char close) {
  const std::size_t at = line.find(open);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + open.size());
  return std::string(rest.substr(0, rest.find(close)));
}

std::string without_colours(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t open = line[i] == '\x1b' ? i + 1 : i;
    // Only behind a bracket: a long number is not read again from each of its digits.
    const bool begins = open < line.size() && line[open] == '[';
    const std::size_t end =
        begins ? std::min(line.find_first_not_of("0123456789;", open + 1), line.size()) : i;
    const bool colour = begins && end > open + 1 && end < line.size() && line[end] == 'm';
    if (colour) {
      i = end;
    } else if (line[i] == '\x1b') {
      while (i < line.size() && line[i] != 'm') ++i;
    } else {
      out += line[i];
    }
  }
  return out;
}

char first_character(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? '\0' : text[first];
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_space(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(unquoted(trimmed(line.substr(0, end))));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

void fail(const LinePlace& place, const std::string& found, const std::string& allowed) {
  throw InputError(place.file, "line " + std::to_string(place.line), found, allowed);
}

double positive(const LinePlace& place, std::string_view text, const std::string& column) {
  constexpr double kLeast = 1e-12;
  constexpr double kMost = 1e18;
  const std::optional<double> x = parse_number(text);
  if (!x || *x < kLeast || *x > kMost) {
    fail(place, column + " \"" + std::string(text) + "\"", "a number above 0, at most 1e18");
  }
  return *x;
}

std::int64_t whole(const LinePlace& place, std::string_view text, const std::string& column) {
  constexpr double kMost = 1e15;
  const double x = positive(place, text, column);
  if (x != std::floor(x) || x > kMost) {
    fail(place, column + " \"" + std::string(text) + "\"", "a whole number from 1");
  }
  return static_cast<std::int64_t>(x);
}

}  // namespace orrery
