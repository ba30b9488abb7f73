// SPDX-License-Identifier: Apache-2.0
//
// A script's text to its tree. Words and brackets that close nothing are passed over: people paste
// pages that are scripts in part. Errors: InputError with the line for a quote, a bracket or a
// construct without end, and for more than kDeepestNesting levels.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/shell/cursor.h"
#include "exchange/shell/tree.h"

namespace orrery::shell {

std::shared_ptr<const List> parse_script(std::string_view text, const std::string& file,
                                         std::size_t line, int depth);

// The list of $( ) up to its bracket, which is not taken.
std::shared_ptr<const List> parse_substitution(Cursor& cursor);

// One word at the cursor; empty at a sign or a line's end.
Word parse_word(Cursor& cursor);
// All of a text as one word: in double quotes, or out of quotes with its blanks.
Word parse_quoted(Cursor cursor);
Word parse_unquoted(Cursor cursor);

// a{b,c}d is abd and acd; a word without such braces is itself.
std::vector<Word> braced_words(Word word);

// The characters of a word that were written as such, out of quotes; "" where it has others.
std::string plain_text(const Word& word);

}  // namespace orrery::shell
