// SPDX-License-Identifier: Apache-2.0
//
// The matrix products among PyTorch's operators, by the shapes of their inputs. aten::linear and
// matmul are not among them: they call one that is. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cost/shapes.h"

namespace orrery::detail {

struct TorchProduct {
  std::string_view name;
  std::size_t first;  // of its two matrices among the inputs
  std::size_t rank;   // of each: 3 with a batch
  bool eight_bits;    // its elements; those of the others are not
};

// Null of other operators.
const TorchProduct* torch_product(std::string_view name);

// Nothing where the two do not fit each other.
std::optional<ProductShape> shape_of(const TorchProduct& p, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& b);

}  // namespace orrery::detail
