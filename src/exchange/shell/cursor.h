// SPDX-License-Identifier: Apache-2.0
//
// A place in a script's text: blanks, comments, continued lines, and how deep the reader is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::shell {

inline constexpr std::size_t kNone = std::string_view::npos;

class Cursor {
 public:
  Cursor(std::string_view text, const std::string& file, std::size_t line, int depth)
      : text_(text), file_(&file), line_(line), depth_(depth) {}

  // The same place of the file, over a part of its text.
  Cursor inside(std::string_view text) const { return {text, *file_, line_, depth_}; }

  bool ended() const { return at_ >= text_.size(); }
  char next(std::size_t n = 0) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }
  bool sees(std::string_view sign) const { return text_.substr(at_, sign.size()) == sign; }
  void move(std::size_t n);               // by characters; lines are counted
  void skip_blanks();                     // comments too
  bool take_sign(std::string_view sign);  // behind blanks
  std::string_view take_line();           // without its end, which is taken too

  std::size_t at() const { return at_; }
  std::size_t line() const { return line_; }
  int depth() const { return depth_; }
  std::string_view text() const { return text_; }
  const std::string& file() const { return *file_; }
  [[noreturn]] void fail(const std::string& found) const;

 private:
  friend class Deeper;

  std::string_view text_;
  const std::string* file_;
  std::size_t line_;
  int depth_;
  std::size_t at_ = 0;
};

// One level of nesting while it lives; refuses the level beyond kDeepestNesting.
class Deeper {
 public:
  explicit Deeper(Cursor& cursor);
  ~Deeper() { --cursor_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Cursor& cursor_;
};

bool is_name_character(char c);
std::size_t end_of_name(std::string_view text, std::size_t at);

// The place of the bracket that closes the one before `at`, quotes and escapes passed over; npos
// where there is none.
std::size_t closing(std::string_view text, std::size_t at, char open, char close);

std::vector<std::string> split_words(std::string_view text);  // at blanks

// Each "<PATH TO DATA>", which a user is to fill in, as a variable that nobody has set.
std::string with_placeholders(std::string_view text);

}  // namespace orrery::shell
