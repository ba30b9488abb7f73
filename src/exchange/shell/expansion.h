// SPDX-License-Identifier: Apache-2.0
//
// Words of a shell as written to the words a command gets: quotes, $NAME, ${…}, $(( … )).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/shell/shell.h"

namespace orrery::shell {

inline constexpr std::size_t kLongestValue = 64 * 1024;

bool is_name_character(char c);
std::size_t end_of_name(std::string_view text, std::size_t at);

// The place of the bracket that closes the one before `at`; npos where there is none.
// Beyond kDeepestNesting none is found: what is inside a group is expanded by recursion.
std::size_t closing(std::string_view text, std::size_t at, char open, char close);

// The place after the quote, $(…), ${…} or `…` that begins at `at`; npos where it does not end.
std::size_t end_of_group(std::string_view text, std::size_t at);

std::vector<std::string> split_words(std::string_view text);  // at blanks

// The fields of one written word.
std::vector<std::string> fields_of_word(std::string_view word, const ShellVariables& variables);
// The word as one text, without splitting: the right side of an assignment, a here-document.
std::string text_of_word(std::string_view word, const ShellVariables& variables);
std::string text_of_document(std::string_view text, const ShellVariables& variables);

// Arithmetic of whole numbers, as $(( )) has it; a truth is 1 or 0. Nothing where a name in it has
// no value, and where it is no such text.
std::optional<std::int64_t> arithmetic(std::string_view text, const ShellVariables& variables);

}  // namespace orrery::shell
