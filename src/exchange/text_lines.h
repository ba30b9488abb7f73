// SPDX-License-Identifier: Apache-2.0
//
// Lines, words, fields and numbers of another tool's text. Errors: InputError with file and line.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text behind a marker in a line; nothing where the line has none.
inline std::string_view behind(std::string_view line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  return at == std::string_view::npos ? "" : line.substr(at + marker.size());
}

inline bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

// Bytes that are no UTF-8 become replacement characters: a name or a value of them can be shown.
void make_valid(std::string& text);

// A part of a file as one line can show it: made valid, without control characters.
std::string shown_text(std::string_view text);

// A text without the mark of its byte order that Excel and PowerShell put first.
std::string_view without_byte_order(std::string_view text);

// A file's text with both mended; CR LF becomes LF, so that a backslash before it continues a line.
void make_plain(std::string& text);

// Without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

// The part behind the first `open`, up to `close` or the end; "" without `open`.
std::string text_between(std::string_view line, std::string_view open, char close);

// Without a terminal's colours, "\x1b[31m"; what a page kept of them, "[31m", too.
std::string without_colours(std::string_view line);

// The first character that is no white space; '\0' where there is none.
char first_character(std::string_view text);

// Without line ends; CR LF is one.
std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);
// Trimmed, and out of double quotes.
std::vector<std::string_view> fields_of(std::string_view line, char separator);

// A text that ends with the call would leave them parts of nothing.
template <std::same_as<std::string> Text>
std::vector<std::string_view> lines_of(Text&&) = delete;
template <std::same_as<std::string> Text>
std::vector<std::string_view> words_of(Text&&) = delete;
template <std::same_as<std::string> Text>
std::vector<std::string_view> fields_of(Text&&, char) = delete;

// The place of a text, for its errors.
struct LinePlace {
  const std::string& file;
  std::size_t line = 0;
};

[[noreturn]] void fail(const LinePlace& place, const std::string& found,
                       const std::string& allowed);

// Above 0 (10⁻¹² and more), and at most 10¹⁸.
double positive(const LinePlace& place, std::string_view text, const std::string& column);
std::int64_t whole(const LinePlace& place, std::string_view text, const std::string& column);

}  // namespace orrery
