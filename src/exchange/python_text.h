// SPDX-License-Identifier: Apache-2.0
//
// Python's source as text: expressions and statements, without a parser. Strings, comments and
// brackets are known; control flow is not. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// The place behind the string that begins at `at`; a string in one line ends with it.
std::size_t end_of_python_string(std::string_view text, std::size_t at);

class PythonText {
 public:
  explicit PythonText(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }

  // The end of the expression from `at` to a comma, or to the bracket that closes around it.
  std::size_t end_of_expression(std::size_t at) const;
  std::size_t end_of_string(std::size_t at) const { return end_of_python_string(text_, at); }
  // The expressions from behind an opening bracket to the one that closes it.
  std::vector<std::string> expressions(std::size_t at) const;

  // The text of a line before a place, and the number of blanks that it begins with.
  std::string_view before(std::size_t at) const;
  std::size_t indent(std::size_t at) const;
  // True behind "def ", "class " or a comment's sign.
  bool is_definition(std::size_t at) const;

  // "name = value", "name: Type = value" and "a.b = value", wherever they stand.
  struct Assignment {
    std::string target;
    std::size_t value_at = 0;
    std::size_t at = 0;      // of the line
    std::size_t indent = 0;  // blanks before it
  };
  std::vector<Assignment> assignments() const;
  // A function's text, and the names of its parameters.
  struct Function {
    std::size_t begin = 0, end = 0;
    std::vector<std::string> parameters = {};
  };
  std::vector<Function> functions() const;
  // To the end of the line, and on where a bracket is open.
  std::string value_from(std::size_t at) const;

 private:
  std::vector<std::size_t> statements() const;
  std::vector<std::string> parameters(std::size_t at) const;

  std::string text_;
};

bool is_python_name(std::string_view word);
bool is_name_sign(char c);
bool is_quoted(std::string_view text);
std::string without_python_comments(std::string_view expression);
// Enough of an expression to be known by: 60 bytes, never half a character.
std::string beginning_of(std::string_view expression);

}  // namespace orrery
