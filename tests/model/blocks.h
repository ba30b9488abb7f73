// SPDX-License-Identifier: Apache-2.0
//
// Bytes that a block of a model keeps for its backward pass. Errors: none.
#pragma once

#include <memory>

#include "model/operators.h"

namespace orrery::testing {

inline double saved_bytes(const Operator& op) {
  double sum = 0;
  for (std::uint8_t i = 0; i < op.saved_count; ++i) {
    const SavedTensor& t = op.saved[i];
    sum += static_cast<double>(t.rows.units * t.rows.unit * t.cols.units * t.cols.unit) *
           t.bytes_per_element;
  }
  return sum;
}

inline double saved_bytes(const Block& block) {
  double sum = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) sum += saved_bytes(block.operators[i]);
  return sum;
}

// Bytes that a layer keeps, without what grows with samples alone, the statistics of attention and
// keys of other tokens: the difference of two lengths.
inline double kept_a_token(const Architecture& a, std::size_t type, ListOptions o = {}) {
  const auto kept = [&](std::int64_t s) {
    o.sequence = s;
    const auto list = std::make_unique<ModelOperators>(model_operators(a, o));
    return saved_bytes(list->layers[type]);
  };
  return (kept(3072) - kept(2048)) / 1024;
}

}  // namespace orrery::testing
