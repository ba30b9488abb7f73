// SPDX-License-Identifier: Apache-2.0
//
// Tokens that a pass of speculative decoding gives a sequence: each of k drafted tokens is accepted
// with probability a where all before it were, and one more comes from the pass itself,
//
//   1 + a + a² + … + a^k = (1 − a^(k+1)) / (1 − a)
//
// (arXiv:2211.17192, equation 1). Leaves out: acceptance that differs by position, trees of drafts.
// Errors: none.
#pragma once

#include <cstdint>

namespace orrery {

constexpr double tokens_of_pass(double acceptance, std::int64_t drafted) {
  double sum = 1;
  for (std::int64_t i = 0; i < drafted; ++i) sum = 1 + acceptance * sum;
  return sum;
}

}  // namespace orrery
