// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_text.h"

#include <algorithm>
#include <cctype>

#include "exchange/text_lines.h"

namespace orrery {

bool is_name_sign(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
         text.back() == text.front();
}

bool is_python_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_name_sign);
}

std::size_t PythonText::end_of_expression(std::size_t at) const {
  int depth = 0;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(at);
      continue;
    }
    if (c == '#') {
      at = std::min(text_.find('\n', at), text_.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return at;
      --depth;
    }
    if (c == ',' && depth == 0) return at;
    ++at;
  }
  return at;
}

std::size_t end_of_python_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.compare(at, 3, std::string(3, quote)) == 0;
  const std::string end(is_long ? 3 : 1, quote);
  std::size_t i = at + end.size();
  while (i < text.size()) {
    if (text[i] == '\\') {
      i += 2;
      continue;
    }
    if (text.compare(i, end.size(), end) == 0) return i + end.size();
    if (!is_long && text[i] == '\n') return i;
    ++i;
  }
  return text.size();
}

std::vector<std::string> PythonText::expressions(std::size_t at) const {
  std::vector<std::string> all;
  while (at < text_.size()) {
    const std::size_t end = end_of_expression(at);
    all.push_back(without_python_comments(std::string_view(text_).substr(at, end - at)));
    if (end >= text_.size() || text_[end] != ',') break;
    at = end + 1;
  }
  return all;
}

std::string_view PythonText::before(std::size_t at) const {
  const std::size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
  return std::string_view(text_).substr(begin, at - begin);
}

std::size_t PythonText::indent(std::size_t at) const {
  const std::size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
  return std::min(text_.find_first_not_of(" \t", begin), text_.size()) - begin;
}

bool PythonText::is_definition(std::size_t at) const {
  const std::string_view line = trimmed(before(at));
  return begins_with(line, "def ") || begins_with(line, "class ") || begins_with(line, "#");
}

std::string PythonText::value_from(std::size_t at) const {
  constexpr std::size_t kLongest = 1 << 16;
  const std::size_t most = std::min(text_.size(), at + kLongest);
  int depth = 0;
  std::size_t i = at;
  for (; i < most && (depth > 0 || text_[i] != '\n'); ++i) {
    const char c = text_[i];
    if (c == '"' || c == '\'') {
      i = std::min(end_of_string(i), text_.size()) - 1;
    } else if (c == '#') {
      i = std::min(text_.find('\n', i), text_.size()) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return without_python_comments(std::string_view(text_).substr(at, i - at));
}

// Places of lines that no bracket is open before.
std::vector<std::size_t> PythonText::statements() const {
  std::vector<std::size_t> all = {0};
  int depth = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"' || c == '\'') {
      i = std::min(end_of_string(i), text_.size()) - 1;
    } else if (c == '#') {
      i = std::min(text_.find('\n', i), text_.size()) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == '\n' && depth == 0) {
      all.push_back(i + 1);
    }
  }
  return all;
}

std::vector<PythonText::Assignment> PythonText::assignments() const {
  std::vector<Assignment> all;
  for (const std::size_t at : statements()) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = std::string_view(text_).substr(at, end - at);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.substr(equals, 2) == "==") continue;
    std::string_view target = trimmed(line.substr(0, equals));
    const std::size_t type = target.find(':');
    if (type != std::string_view::npos && target.find_first_of("[({\"'") > type)
      target = trimmed(target.substr(0, type));
    const bool plain = !target.empty() && std::all_of(target.begin(), target.end(), [](char c) {
      return is_name_sign(c) || c == '.';
    });
    if (plain) all.push_back({std::string(target), at + equals + 1, at, indent(at)});
  }
  return all;
}

std::vector<std::string> PythonText::parameters(std::size_t at) const {
  const std::size_t open = text_.find('(', at);
  std::vector<std::string> names;
  if (open == std::string::npos) return names;
  for (const std::string& part : expressions(open + 1)) {
    const std::size_t begin = std::min(part.find_first_not_of('*'), part.size());
    names.emplace_back(trimmed(part.substr(begin, part.find_first_of(":=", begin) - begin)));
  }
  return names;
}

// A function ends before the next statement that is not further in than it.
std::vector<PythonText::Function> PythonText::functions() const {
  std::vector<Function> all;
  std::vector<std::pair<std::size_t, std::size_t>> open;  // place in `all`, blanks before it
  for (const std::size_t at : statements()) {
    const std::size_t blanks = std::min(text_.find_first_not_of(" \t", at), text_.size()) - at;
    const std::string_view line = std::string_view(text_).substr(at + blanks, 10);
    if (line.empty() || line[0] == '\n' || line[0] == '\r' || line[0] == '#') continue;
    for (; !open.empty() && open.back().second >= blanks; open.pop_back())
      all[open.back().first].end = at;
    if (!begins_with(line, "def ") && !begins_with(line, "async def ")) continue;
    open.emplace_back(all.size(), blanks);
    all.push_back({at, text_.size(), parameters(at)});
  }
  return all;
}

std::string beginning_of(std::string_view expression) {
  constexpr std::size_t kMostShown = 60;
  std::size_t end = std::min(kMostShown, expression.size());
  const auto is_within = [&] {  // a character
    return end > 0 && end < expression.size() &&
           (static_cast<unsigned char>(expression[end]) & 0xC0U) == 0x80U;
  };
  while (is_within()) --end;
  return std::string(expression.substr(0, end));
}

std::string without_python_comments(std::string_view expression) {
  std::string out;
  for (const std::string_view line : lines_of(expression)) {
    // A sign within a string is none.
    std::size_t at = 0;
    char quote = 0;
    for (; at < line.size(); ++at) {
      if (quote == 0 && line[at] == '#') break;
      if (quote == 0 && (line[at] == '"' || line[at] == '\''))
        quote = line[at];
      else if (line[at] == quote)
        quote = 0;
    }
    out += std::string(trimmed(line.substr(0, at))) + " ";
  }
  return std::string(trimmed(out));
}

}  // namespace orrery
