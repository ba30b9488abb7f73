// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_statements.h"

#include <algorithm>

#include "exchange/python_expression.h"
#include "exchange/python_text.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_(text) {}

  std::vector<PythonStatement> split() {
    while (at_ < text_.size()) step();
    end_statement();
    return std::move(all_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(end_of_python_string(text_, at_), text_.size());
      now_.append(text_, at_, end - at_);
      at_ = end;
      return;
    }
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    ++at_;
    if (c == '\\' && at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
      now_ += ' ';
    } else if ((c == '\n' || c == ';') && depth_ == 0) {
      end_statement();
      begins_line_ = c == '\n';
    } else {
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if (c == ')' || c == ']' || c == '}') depth_ = std::max(0, depth_ - 1);
      now_ += c == '\n' || c == '\r' ? ' ' : c;
    }
  }

  void end_statement() {
    const std::string_view text = trimmed(now_);
    if (begins_line_) indent_ = std::min(now_.find_first_not_of(" \t"), now_.size());
    if (!text.empty()) all_.push_back({indent_, std::string(text)});
    now_.clear();
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool begins_line_ = true;  // else it stands behind a semicolon
  std::size_t indent_ = 0;
  std::string now_;
  std::vector<PythonStatement> all_;
};

// The next place from `at` of a sign outside of strings and brackets.
template <class Is>
std::size_t find_outside(const std::string& text, std::size_t at, Is is) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_python_string(text, at) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      at = end_of_bracket(text, at);
    } else if (is(at)) {
      return at;
    }
  }
  return std::string::npos;
}

std::size_t find_equals(const std::string& text, std::size_t from) {
  return find_outside(text, from, [&](std::size_t at) {
    const bool is_sign = text[at] == '=' && (at + 1 >= text.size() || text[at + 1] != '=');
    return is_sign && at > 0 && !contains("=!<>:", {&text[at - 1], 1});
  });
}

std::string part_of(const std::string& text, std::size_t from, std::size_t to) {
  return std::string(trimmed(std::string_view(text).substr(from, to - from)));
}

}  // namespace

std::size_t find_python_sign(const std::string& text, char sign) {
  return find_outside(text, 0, [&](std::size_t at) { return text[at] == sign; });
}

std::optional<PythonAssignment> python_assignment(const std::string& statement) {
  PythonAssignment made;
  std::size_t from = 0;
  for (std::size_t at = find_equals(statement, 0); at != std::string::npos;
       at = find_equals(statement, from)) {
    std::size_t end = at;
    while (made.targets.empty() && end > 0 && contains("+-*/%|&@", {&statement[end - 1], 1})) --end;
    made.sign = part_of(statement, end, at);
    const std::string target = part_of(statement, from, end);
    made.targets.push_back(
        part_of(target, 0, std::min(find_python_sign(target, ':'), target.size())));
    from = at + 1;
    if (!made.sign.empty()) break;
  }
  if (made.targets.empty()) return {};
  made.value = part_of(statement, from, statement.size());
  if (find_python_sign(made.value, ',') != std::string::npos) made.value = "(" + made.value + ")";
  return made;
}

std::vector<PythonStatement> python_statements(const std::string& text) {
  return Splitter(text).split();
}

std::size_t end_of_block(const std::vector<PythonStatement>& all, std::size_t first,
                         std::size_t indent) {
  std::size_t end = first;
  while (end < all.size() && all[end].indent > indent) ++end;
  return end;
}

}  // namespace orrery
