// SPDX-License-Identifier: Apache-2.0
//
// Words as written to the words that a command gets: quotes, $NAME, ${…}, $(( … )), $( … ).
//
// Left out: files that fit a pattern (a glob stays as written), the home of ~, and separators other
// than blanks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/shell/arithmetic.h"
#include "exchange/shell/evaluation.h"

namespace orrery::shell {

using Truth = std::optional<bool>;

// The value of a part of a word: several members, apart from each other or not.
struct Members {
  std::vector<Text> all;
  bool apart = false;
};

inline Members one(Text text) { return {{std::move(text)}}; }

// The value of $NAME and ${…}.
Members members_of(const WordPart& part, Evaluation& state);

// The fields of one written word.
std::vector<Text> expanded_fields(const Word& word, Evaluation& state);
// The word as one text, without splitting: the right side of an assignment, a here-document.
Text expanded_text(const Word& word, Evaluation& state);
// The pattern of a case or of [[ = ]], with what is quoted escaped; nothing where it is unknown.
std::optional<std::string> expanded_pattern(const Word& word, Evaluation& state);
Numbers expanded_numbers(const Word& word, Evaluation& state);

// The value fits one of the patterns, by each of the values that it may be.
Truth fits(const Text& value, const std::vector<Word>& patterns, Evaluation& state);

// The text that the commands of $( ) print; nothing where another program's output is in it.
std::optional<Text> printed_by(const List& commands, Evaluation& state);

// [ … ], [[ … ]] and `test`: unknown where the text of a script does not tell (a file's existence).
Truth truth_of_test(const std::vector<Word>& words, Evaluation& state);

Truth negated(Truth t);
Truth both(Truth a, Truth b);
Truth either(Truth a, Truth b);

}  // namespace orrery::shell
