// SPDX-License-Identifier: Apache-2.0
//
// Words and signs of a script in their order; a line's end brings the documents that <<E awaits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/shell/cursor.h"
#include "exchange/shell/tree.h"

namespace orrery::shell {

template <std::size_t N>
bool is_in(std::string_view word, const std::string_view (&words)[N]) {
  for (const std::string_view w : words) {
    if (w == word) return true;
  }
  return false;
}

// A document of a command, by the place of its redirection.
struct Awaited {
  std::shared_ptr<Statement> command;
  std::size_t at;
  std::string end;
  bool quoted;    // nothing in it is expanded
  bool unindent;  // <<-
};

class Tokens {
 public:
  explicit Tokens(Cursor& cursor) : c_(cursor) {}

  Cursor& cursor() { return c_; }
  char next();  // behind blanks; '\0' at the end
  bool at_end() { return next(), c_.ended(); }
  std::string peek();  // the next written word, "" at a sign or a line's end
  Word word();
  bool take_word(std::string_view wanted);
  void expect(std::string_view wanted, const char* part);  // behind ends of lines
  bool ends_part();                                        // fi, done, } and their kin
  void separators();                                       // ends of lines and of commands
  std::string_view in_brackets();  // up to the bracket that closes the one before, which is taken

  void await(Awaited document) { awaited_.push_back(std::move(document)); }

 private:
  void documents();

  Cursor& c_;
  std::vector<Awaited> awaited_;
};

// A command without compound ones: assignments, words, redirections. The name before "( )", which
// defines a function; "" for others.
std::string parse_simple(Tokens& tokens, const std::shared_ptr<Statement>& out);
// > file, 2>&1, <<EOF, <<< word; whether there was one.
bool parse_redirection(Tokens& tokens, const std::shared_ptr<Statement>& out);

}  // namespace orrery::shell
