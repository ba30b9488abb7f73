// SPDX-License-Identifier: Apache-2.0
#include "document/escape.h"

#include <span>
#include <utility>

namespace orrery {
namespace {

using Replacement = std::pair<char, const char*>;

std::string replaced(const std::string& text, std::span<const Replacement> replacements) {
  std::string out;
  for (const char c : text) {
    const char* by = nullptr;
    for (const Replacement& r : replacements) {
      if (r.first == c) by = r.second;
    }
    if (by == nullptr) {
      out += c;
    } else {
      out += by;
    }
  }
  return out;
}

constexpr Replacement kHtml[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
constexpr Replacement kScript[] = {{'<', "\\u003c"}};
constexpr Replacement kCsv[] = {{'"', "\"\""}};
constexpr Replacement kMarkdown[] = {{'|', "\\|"}, {'\n', " "}};

// A spreadsheet runs a cell that begins so; of those with a sign, only what calls something.
bool is_formula(const std::string& text) {
  if (text.empty()) return false;
  const char first = text[0];
  const bool is_signed = first == '-' || first == '+';
  return first == '=' || first == '@' || first == '\t' || first == '\r' ||
         (is_signed && text.find_first_of("(|!") != std::string::npos);
}

}  // namespace

std::string html_escaped(const std::string& text) { return replaced(text, kHtml); }
std::string script_escaped(const std::string& json) { return replaced(json, kScript); }
std::string markdown_escaped(const std::string& text) { return replaced(text, kMarkdown); }

std::string csv_escaped(const std::string& text) {
  const std::string cell = is_formula(text) ? "'" + text : text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return "\"" + replaced(cell, kCsv) + "\"";
}

}  // namespace orrery
