// SPDX-License-Identifier: Apache-2.0
//
// Sizes of the kernels the cost module prices. Elements, not bytes. Errors: none.
#pragma once

#include <cstdint>

namespace orrery {

// Products of one launch: `groups` of m×k·k×n each.
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t groups = 1;
  bool grouped = false;  // groups of uneven height (experts), at the rate of grouped kernels
  bool weight_gradient = false;  // k counts the tokens, not m: the first factor is transposed
};

struct AttentionShape {
  std::int64_t groups = 0;  // heads × sequences
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t head_dim = 0;   // of queries and keys
  std::int64_t value_dim = 0;  // of values
  double pairs = 1;            // fraction of query-key pairs computed
  std::int64_t steps = 1;      // of a ring of context ranks: calls over a part of the keys each
};

// Elements of an a×b matrix.
constexpr double elements(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace orrery
