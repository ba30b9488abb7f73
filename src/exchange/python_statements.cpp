// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_statements.h"

#include <algorithm>

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

}  // namespace

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
