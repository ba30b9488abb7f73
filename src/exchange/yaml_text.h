// SPDX-License-Identifier: Apache-2.0
//
// Pieces of YAML's text for exchange/plain_yaml.h: where quotes, keys and comments end, and what
// texts over several lines and escapes say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

inline constexpr std::string_view kYamlSpaces = " \t";

inline bool is_quote(char c) { return c == '"' || c == '\''; }

// Whether a space, a line's end or the text's end stands there.
bool is_blank_at(std::string_view text, std::size_t i);

// Behind the closing quote; npos where there is none.
std::size_t behind_quoted(std::string_view text);

// Behind the bracket that closes the first; npos where there is none.
std::size_t behind_brackets(std::string_view text);

// Of a plain text: up to " #".
std::string_view without_comment(std::string_view text);

// Where the colon of "key: value" stands; npos: the line has no key.
std::size_t colon_of(std::string_view text);

// Lines of a text as one: a break is a space, an empty line a break.
std::string folded(std::string_view text);

// Inside the quotes; nothing where an escape is none.
std::optional<std::string> yaml_unquoted(std::string_view text);

// Lines of "|", or of ">" where it folds, without the last break.
std::string yaml_block(std::span<const std::string_view> lines, bool folds);

}  // namespace orrery
