// SPDX-License-Identifier: Apache-2.0
//
// Static facts about a part of an expression: number or truth, its dimension, the unit in its name;
// and the facts about the sum, product or comparison of two parts. Used by core/expression.h only.
//
// Units are checked as far as the text says them: a path alone has no dimension. Errors: InputError
// at the column of the part that is wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/expression.h"
#include "core/expression_lexer.h"

namespace orrery::detail {

struct ExpressionPart {
  std::size_t node = 0;
  ExpressionKind kind = ExpressionKind::number;
  std::optional<Dimension> dimension;  // only where units in the text say so
  bool is_plain = false;               // numbers without unit alone
  std::string own_unit;                // a path in it that counts in a unit of its own
  std::size_t column = 1;
};

// `kind` is number or truth; a path may be either.
void must_be(const ExpressionPart& p, ExpressionKind kind, const ExpressionPlace& place);

ExpressionPart literal_part(const Token& t);
ExpressionPart path_part(const Token& t);

// The result for two parts, without checks and without dimension.
ExpressionPart both(const ExpressionPart& left, const ExpressionPart& right, ExpressionKind kind);

// A sign, or abs: the dimension stays.
ExpressionPart magnitude_part(const ExpressionPart& inner);

// Parts of one dimension: a sum, a minimum.
ExpressionPart sum_part(const ExpressionPart& left, const ExpressionPart& right,
                        const ExpressionPlace& place);

// `op`: multiply or divide.
ExpressionPart product_part(ExpressionOp op, const ExpressionPart& left,
                            const ExpressionPart& right, const ExpressionPlace& place);

ExpressionPart power_part(const ExpressionPart& base, const ExpressionPart& exponent,
                          const ExpressionPlace& place);

ExpressionPart comparison_part(const ExpressionPart& left, const ExpressionPart& right,
                               const ExpressionPlace& place);

}  // namespace orrery::detail
