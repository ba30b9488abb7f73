// SPDX-License-Identifier: Apache-2.0
#include "exchange/yaml_text.h"

#include <array>
#include <cstdint>

#include "exchange/text_lines.h"

namespace orrery {
namespace {

void put_utf8(std::uint32_t c, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0 | (c >> 6)), rest(0);
  if (c < 0x10000) return put(0xE0 | (c >> 12)), rest(6), rest(0);
  put(0xF0 | (c >> 18)), rest(12), rest(6), rest(0);
}

struct Escape {
  char written;
  char meant;
};
constexpr std::array kEscapes = {Escape{'n', '\n'},  Escape{'t', '\t'},   Escape{'"', '"'},
                                 Escape{'\\', '\\'}, Escape{'/', '/'},    Escape{'0', '\0'},
                                 Escape{'a', '\a'},  Escape{'b', '\b'},   Escape{'f', '\f'},
                                 Escape{'r', '\r'},  Escape{'e', '\x1b'}, Escape{'v', '\v'},
                                 Escape{' ', ' '}};

std::optional<std::uint32_t> code_point(std::string_view digits, std::size_t size) {
  std::uint32_t c = 0;
  for (const char d : digits) {
    const std::size_t v = std::string_view("0123456789abcdefABCDEF").find(d);
    if (v == std::string_view::npos) return {};
    c = c * 16 + static_cast<std::uint32_t>(v > 15 ? v - 6 : v);
  }
  return digits.size() < size || c > 0x10FFFF ? std::nullopt : std::optional(c);
}

// The escape behind a backslash; `rest` goes on behind it. False: there is no such escape.
bool take_escape(std::string_view& rest, std::string& out) {
  const char c = rest.empty() ? '\0' : rest.front();
  const std::size_t hex = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (hex > 0) {
    const auto code = code_point(rest.substr(1, hex), hex);
    if (!code) return false;
    put_utf8(*code, out);
    rest.remove_prefix(hex + 1);
    return true;
  }
  for (const Escape& e : kEscapes) {
    if (rest.empty() || e.written != c) continue;
    out += e.meant;
    rest.remove_prefix(1);
    return true;
  }
  return false;
}

std::optional<std::string> without_escapes(std::string_view rest) {
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\\') {
      out += c;
    } else if (!take_escape(rest, out)) {
      return {};
    }
  }
  return out;
}

std::string without_doubles(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\'') ++i;
  }
  return out;
}

bool is_flush(std::string_view line) {
  return !line.empty() && !contains(kYamlSpaces, line.substr(0, 1));
}

// Between a line of ">" and the next.
std::string break_of(std::span<const std::string_view> lines, std::size_t i) {
  if (!is_flush(lines[i])) return "\n";
  if (is_flush(lines[i + 1])) return " ";
  // An empty line between two flush ones is the break itself.
  std::size_t after = i + 1;
  while (after < lines.size() && lines[after].empty()) ++after;
  return after > i + 1 && after < lines.size() && is_flush(lines[after]) ? "" : "\n";
}

}  // namespace

std::size_t behind_quoted(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

bool is_blank_at(std::string_view text, std::size_t i) {
  return i >= text.size() || contains(kYamlSpaces, text.substr(i, 1)) || text[i] == '\n';
}

std::size_t behind_brackets(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || contains("[{,: \t\n", text.substr(i - 1, 1));
    if (is_quote(text[i]) && starts) {
      const std::size_t behind = behind_quoted(text.substr(i));
      if (behind == std::string_view::npos) return behind;
      i += behind - 1;
    } else if (text[i] == '[' || text[i] == '{') {
      ++open;
    } else if ((text[i] == ']' || text[i] == '}') && --open == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::string_view without_comment(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || is_blank_at(text, i - 1))) return trimmed(text.substr(0, i));
  }
  return trimmed(text);
}

std::size_t colon_of(std::string_view text) {
  std::size_t at = 0;
  if (!text.empty() && is_quote(text.front())) {
    at = behind_quoted(text);
    if (at == std::string_view::npos) return at;
    at = text.find_first_not_of(kYamlSpaces, at);
    return at != std::string_view::npos && text[at] == ':' ? at : std::string_view::npos;
  }
  if (!text.empty() && contains("[{#|>", text.substr(0, 1))) return std::string_view::npos;
  for (; at < text.size(); ++at) {
    if (text[at] == '#' && at > 0 && is_blank_at(text, at - 1)) break;
    if (text[at] == ':' && is_blank_at(text, at + 1)) return at;
  }
  return std::string_view::npos;
}

std::string folded(std::string_view text) {
  std::string out;
  std::size_t breaks = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (!t.empty() && !out.empty()) out += breaks > 1 ? std::string(breaks - 1, '\n') : " ";
    if (!t.empty()) breaks = 0;
    out += t;
    ++breaks;
  }
  return out;
}

std::optional<std::string> yaml_unquoted(std::string_view text) {
  const std::string_view inside = text.substr(1, text.size() - 2);
  const std::string flat = contains(inside, "\n") ? folded(inside) : std::string(inside);
  if (text.front() == '"') return without_escapes(flat);
  return without_doubles(flat);
}

std::string yaml_block(std::span<const std::string_view> lines, bool folds) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    if (i + 1 < lines.size()) text += folds ? break_of(lines, i) : "\n";
  }
  return text;
}

}  // namespace orrery
