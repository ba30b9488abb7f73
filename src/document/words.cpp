// SPDX-License-Identifier: Apache-2.0
#include "document/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/enum_names.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr EnumArray<TextStyle, const char*> kStyleCodes = {"", "1", "2", "31", "32", "33", "34"};

struct CountScale {
  double factor;
  const char* name;
};
constexpr std::array<CountScale, 4> kCountScales = {
    {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string text_style(const Style& style, TextStyle i, const std::string& text) {
  if (!style.color || i == TextStyle::plain || text.empty()) return text;
  return std::string("\x1b[") + kStyleCodes[i] + "m" + text + "\x1b[0m";
}

std::string dressed(const Style& style, const Phrase& phrase) {
  std::string text;
  for (const StyledSpan& s : phrase.spans()) text += text_style(style, s.text_style, s.text);
  return text;
}

std::string fixed(double x, int decimals) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, x);
  return buffer.data();
}

std::string significant(double x, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, x);
  return buffer.data();
}

BinaryAmount binary_amount(double bytes) {
  static constexpr std::array<const char*, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                        "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; std::abs(bytes) >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return {bytes, kUnits[unit]};
}

std::string plain_number(double x) {
  constexpr double kExact = 1e15;
  return x == std::floor(x) && std::abs(x) < kExact ? fixed(x, 0) : shortest(x);
}

std::string grouped(double n) {
  std::string digits = fixed(n, 0);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string grouped(std::int64_t n) { return grouped(static_cast<double>(n)); }

std::string short_count(double n) {
  for (const CountScale& s : kCountScales) {
    if (n >= s.factor) return significant(n / s.factor, 4) + " " + s.name;
  }
  return significant(n, 4);
}

std::string percent(double ratio, int decimals) { return fixed(100 * ratio, decimals) + " %"; }

std::string seconds_text(Seconds t) {
  if (t >= 2 * kDay) {
    const double days = t / kDay;
    return (days < 100 ? significant(days, 3) : grouped(days)) + " days";
  }
  if (t.si() == 0) return "0 s";
  return pretty(t);
}

std::string signed_seconds(Seconds t) {
  return (t < Seconds() ? "−" : "+") + pretty(Seconds(std::abs(t.si())), 3);
}

std::string counted(std::int64_t n, const std::string& noun) {
  return grouped(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string signed_percent(double ratio) { return (ratio < 0 ? "" : "+") + percent(ratio); }

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if (starts_code_point(text[i])) {
      ++width;
    }
  }
  return width;
}

std::string left(const std::string& text, std::size_t width) {
  const std::size_t w = width_of(text);
  return w >= width ? text : text + std::string(width - w, ' ');
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t w = width_of(text);
  return w >= width ? text : std::string(width - w, ' ') + text;
}

std::string bar(double share, std::size_t width) {
  static constexpr std::array<const char*, 9> kEighths = {"",  "▏", "▎", "▍", "▌",
                                                          "▋", "▊", "▉", "█"};
  const double clamped = std::clamp(share, 0.0, 1.0);
  const auto eighths =
      static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width * 8)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += kEighths[8];
  return text + kEighths[eighths % 8];
}

std::string shortened(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t n = 1; n < width; ++n) {
    ++end;
    while (end < text.size() && !starts_code_point(text[end])) ++end;
  }
  return text.substr(0, end) + "…";
}

namespace {

// A number keeps its sign: "99 %" stays in one line.
std::size_t end_of_word(const std::string& text, std::size_t begin) {
  std::size_t end = text.find(' ', begin);
  while (end < text.size() && end + 1 < text.size() && text[end + 1] == '%')
    end = text.find(' ', end + 1);
  return std::min(end, text.size());
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t first,
                    std::size_t width) {
  std::string out;
  std::size_t column = first;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_word(text, begin);
    const std::string word = text.substr(begin, end - begin);
    const std::size_t w = width_of(word);
    if (begin > 0 && column + 1 + w > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begin > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += w;
    begin = end + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string joined_runs(const std::vector<std::string>& parts, const std::string& between) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end < parts.size() && parts[end] == parts[i]) ++end;
    runs.push_back(parts[i] + (end - i > 1 ? " ×" + std::to_string(end - i) : ""));
    i = end;
  }
  return joined(runs, between);
}

}  // namespace orrery
