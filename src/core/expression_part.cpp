// SPDX-License-Identifier: Apache-2.0
#include "core/expression_part.h"

#include <algorithm>
#include <array>

namespace orrery::detail {
namespace {

using Kind = ExpressionKind;
using Part = ExpressionPart;

// Endings of names whose numbers are not SI.
constexpr std::array<std::string_view, 3> kOwnUnits = {"_gib", "_tflops", "_tflops_per_gpu"};

bool has_its_unit(std::string_view name) {
  const auto has_end = [&](std::string_view end) {
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  return std::any_of(kOwnUnits.begin(), kOwnUnits.end(), has_end);
}

// Added or compared parts have one dimension, as far as the text shows.
void must_match(const Part& a, const Part& b, const ExpressionPlace& place) {
  if (a.dimension && b.dimension && !(*a.dimension == *b.dimension)) {
    fail_at(place, b.column, "a quantity of another dimension", "two quantities of one dimension");
  }
  const Part& with_unit = a.dimension ? a : b;
  const Part& other = a.dimension ? b : a;
  if (!with_unit.dimension || other.dimension) return;
  if (other.is_plain) {
    fail_at(place, other.column, "a number without unit beside one with",
            "a unit for both, or for none");
  }
  if (!other.own_unit.empty()) {
    fail_at(place, with_unit.column, "a unit beside " + other.own_unit,
            "a plain number: the name says its unit");
  }
}

std::optional<Dimension> product_dimension(ExpressionOp op, const Part& a, const Part& b) {
  const bool known = (a.dimension || a.is_plain) && (b.dimension || b.is_plain);
  if (!known || (!a.dimension && !b.dimension)) return {};
  const Dimension left = a.dimension.value_or(kNone);
  const Dimension right = b.dimension.value_or(kNone);
  return op == ExpressionOp::multiply ? left + right : left - right;
}

void must_be_numbers(const Part& a, const Part& b, const ExpressionPlace& place) {
  must_be(a, Kind::number, place);
  must_be(b, Kind::number, place);
}

}  // namespace

void must_be(const Part& p, Kind kind, const ExpressionPlace& place) {
  if (p.kind == kind || p.kind == Kind::either) return;
  fail_at(place, p.column, kind == Kind::truth ? "a number" : "a comparison",
          kind == Kind::truth ? "a comparison" : "a number");
}

Part literal_part(const Token& t) {
  Part p;
  p.dimension = t.dimension;
  p.is_plain = !t.dimension;
  p.column = t.column;
  return p;
}

Part path_part(const Token& t) {
  Part p;
  p.kind = Kind::either;
  p.column = t.column;
  if (has_its_unit(t.text)) p.own_unit = t.text;
  return p;
}

Part both(const Part& left, const Part& right, Kind kind) {
  Part p;
  p.kind = kind;
  p.column = left.column;
  p.is_plain = left.is_plain && right.is_plain;
  p.own_unit = left.own_unit.empty() ? right.own_unit : left.own_unit;
  return p;
}

Part magnitude_part(const Part& inner) {
  Part p = both(inner, inner, Kind::number);
  p.dimension = inner.dimension;
  return p;
}

Part sum_part(const Part& left, const Part& right, const ExpressionPlace& place) {
  must_be_numbers(left, right, place);
  must_match(left, right, place);
  Part p = both(left, right, Kind::number);
  p.dimension = left.dimension ? left.dimension : right.dimension;
  return p;
}

Part product_part(ExpressionOp op, const Part& left, const Part& right,
                  const ExpressionPlace& place) {
  must_be_numbers(left, right, place);
  Part p = both(left, right, Kind::number);
  p.dimension = product_dimension(op, left, right);
  const bool ratio =
      op == ExpressionOp::divide && !left.own_unit.empty() && !right.own_unit.empty();
  if (ratio) p.own_unit.clear();
  return p;
}

Part power_part(const Part& base, const Part& exponent, const ExpressionPlace& place) {
  must_be_numbers(base, exponent, place);
  return both(base, exponent, Kind::number);
}

Part comparison_part(const Part& left, const Part& right, const ExpressionPlace& place) {
  must_be_numbers(left, right, place);
  must_match(left, right, place);
  return both(left, right, Kind::truth);
}

}  // namespace orrery::detail
