// SPDX-License-Identifier: Apache-2.0
//
// The text of a script word by word: blanks, comments, continued lines, here-documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::shell {

struct HereDocument {
  std::string end;
  bool quoted = false;    // nothing in it is expanded
  bool unindent = false;  // <<-
  std::string text = {};
};

class ScriptText {
 public:
  ScriptText(std::string_view text, const std::string& file, std::size_t first_line)
      : text_(text), file_(&file), line_(first_line) {}

  bool at_end();                        // after blanks and comments
  bool at_sign(std::string_view sign);  // the same
  bool take_sign(std::string_view sign);
  std::string peek();  // the next written word, "" at a sign or a line's end
  std::string word();
  bool take_word(std::string_view word);
  void skip_lines();  // ends of lines and of commands
  bool at_line_end();
  bool touches_redirection() const;  // < or > without a blank before it
  // The text up to the bracket that closes the one just taken, which is taken too.
  std::string_view until(char open, char close);
  std::string_view line_rest();

  // Begins at the next line; read with `documents()` once that line has begun.
  void expect_document(HereDocument document) { awaited_.push_back(std::move(document)); }
  bool awaits_document() const { return !awaited_.empty(); }
  std::vector<HereDocument> documents();  // takes the line's end too

  std::size_t line() const { return line_; }
  std::size_t at() const { return at_; }
  const std::string& file() const { return *file_; }
  [[noreturn]] void fail(const std::string& found) const;

 private:
  void skip_blanks();
  std::size_t end_of_word() const;
  void move_to(std::size_t at);
  std::string_view take_line();

  std::string_view text_;
  const std::string* file_;
  std::size_t line_;
  std::size_t at_ = 0;
  std::vector<HereDocument> awaited_;
};

// Each "<PATH TO DATA>", which a user is to fill in, as a variable that nobody has set.
std::string with_placeholders(std::string_view text);

}  // namespace orrery::shell
