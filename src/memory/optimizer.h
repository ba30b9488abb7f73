// SPDX-License-Identifier: Apache-2.0
//
// The states of an optimizer for one matrix, besides master weights.
//
// Adam keeps two moments of an element, of one byte each where they are quantised by blocks
// (arXiv:2110.02861, whose scales, 4 bytes for each 2,048 elements, are left out). Others keep one
// (Lion, arXiv:2302.06675; Muon's momentum, KellerJordan/Muon, muon.py), a sum of each row and
// column (Adafactor, arXiv:1804.04235), or products of the gradient with itself along both sides
// and their roots in fp32 (Shampoo, arXiv:1802.09568; SOAP, NVIDIA Emerging-Optimizers, soap.py).
// GaLore (arXiv:2403.03507) keeps Adam's moments of a projection to rank r, and the projector.
// Where only matrices are treated so, embeddings, head, norms and biases keep Adam's moments.
// Leaves out paging of states, and limits of the size of preconditioned sides. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class Optimizer : std::uint8_t {
  adam,
  adam_8bit,
  sgd,
  lion,
  adafactor,
  muon,
  shampoo,
  soap,
  galore,
};
constexpr EnumNames<Optimizer> names_of(Optimizer) {
  return {"adam", "adam-8bit", "sgd", "lion", "adafactor", "muon", "shampoo", "soap", "galore"};
}

// Elements kept for a matrix of m × n: of each element, of m + n, and of m² + n² in fp32.
struct OptimizerStates {
  double of_element = 0;
  double of_sides = 0;
  double of_squares = 0;
  bool matrices_only = false;
};
inline constexpr EnumArray<Optimizer, OptimizerStates> kOptimizerStates = {
    OptimizerStates{2, 0, 0, false}, OptimizerStates{2, 0, 0, false},
    OptimizerStates{1, 0, 0, false}, OptimizerStates{1, 0, 0, false},
    OptimizerStates{0, 1, 0, false}, OptimizerStates{1, 0, 0, true},
    OptimizerStates{1, 0, 2, true},  OptimizerStates{2, 0, 2, true},
    OptimizerStates{0, 0, 0, true}};

// Adam and SGD are recipes of bytes a parameter; of the others the shapes of the matrices decide.
constexpr bool is_by_shape(Optimizer o) {
  return o != Optimizer::adam && o != Optimizer::adam_8bit && o != Optimizer::sgd;
}

inline constexpr double kPreconditionerBytes = 4;

// Bytes for a matrix; `moment`: bytes of one moment of an element, `rank`: GaLore's.
constexpr double state_bytes_of_matrix(Optimizer o, double m, double n, double moment,
                                       double rank) {
  const OptimizerStates& s = kOptimizerStates[o];
  const double low = o == Optimizer::galore ? std::min(rank, std::min(m, n)) : 0;
  return moment * (s.of_element * m * n + s.of_sides * (m + n) +
                   low * (2 * std::max(m, n) + std::min(m, n))) +
         kPreconditionerBytes * s.of_squares * (m * m + n * n);
}

}  // namespace orrery
