// SPDX-License-Identifier: Apache-2.0
//
// Text of an expression to tokens: numbers with their unit, names with their dots and indices,
// signs. Behind core/expression.h only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/quantity.h"

namespace orrery::detail {

enum class TokenKind : std::uint8_t { number, name, sign, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;                    // of a name or sign; of a number as written
  double number = 0;                   // SI where there is a unit
  std::optional<Dimension> dimension;  // of a number with a unit
  std::size_t column = 1;
};

struct WithUnit {
  double si = 0;
  Dimension dimension;
};

// A number with a unit of any dimension: "80 GiB".
std::optional<WithUnit> with_unit(std::string_view text);

// The place of an expression, for its errors.
struct ExpressionPlace {
  std::string file;
  std::string path;
};

[[noreturn]] void fail_at(const ExpressionPlace& place, std::size_t column,
                          const std::string& found, const std::string& allowed,
                          const std::string& nearest = "");

// Ends with one token of kind `end`.
std::vector<Token> tokens_of(std::string_view text, const ExpressionPlace& place);

}  // namespace orrery::detail
