// SPDX-License-Identifier: Apache-2.0
//
// The kinds of work that a host launches, by which a profile says how many kernels its stack
// launches for one operator, forward and backward.
//
// product, grouped_product: one matrix, forward and the gradient of its input; weight_gradient: the
// gradient of its weight and the addition to the sum of the step; expert: each expert of a grouped
// product, where experts have kernels of their own; bias: the gradient of a bias;
// fork: the sum of the gradients of a tensor that one more product reads. quantise, unpack: a
// product in 8 or 4 bits, a frozen weight stored in them. exchange: one collective. replay: what
// checkpointing does around a block, and what it does again in backward. elementwise: any other
// operator. adapter: the Python around one adapter, beside its kernels. Chains that run operator by
// operator and adapters count their kernels themselves (model/chains.h).
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class HostWork : std::uint8_t {
  norm,
  product,
  weight_gradient,
  bias,
  fork,
  quantise,
  unpack,
  grouped_product,
  expert,
  attention,
  rotary,
  activation,
  residual,
  lookup,
  router,
  permutation,
  elementwise,
  exchange,
  replay,
  adapter,
};
constexpr EnumNames<HostWork> names_of(HostWork) {
  return {"norm",        "product",     "weight_gradient", "bias",   "fork",
          "quantise",    "unpack",      "grouped_product", "expert", "attention",
          "rotary",      "activation",  "residual",        "lookup", "router",
          "permutation", "elementwise", "exchange",        "replay", "adapter"};
}

}  // namespace orrery
