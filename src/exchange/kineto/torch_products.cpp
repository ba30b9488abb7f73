// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/torch_products.h"

#include <algorithm>
#include <array>

namespace orrery::detail {
namespace {

constexpr std::array<TorchProduct, 5> kProducts = {{{"aten::mm", 0, 2, false},
                                                    {"aten::addmm", 1, 2, false},
                                                    {"aten::bmm", 0, 3, false},
                                                    {"aten::baddbmm", 1, 3, false},
                                                    {"aten::_scaled_mm", 0, 2, true}}};

}  // namespace

const TorchProduct* torch_product(std::string_view name) {
  const auto* found = std::find_if(kProducts.begin(), kProducts.end(),
                                   [&](const TorchProduct& p) { return p.name == name; });
  return found == kProducts.end() ? nullptr : found;
}

std::optional<ProductShape> shape_of(const TorchProduct& p, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& b) {
  const bool fit = a.size() == p.rank && b.size() == p.rank && a[p.rank - 1] == b[p.rank - 2] &&
                   (p.rank == 2 || a[0] == b[0]);
  if (!fit) return {};
  ProductShape shape{a[p.rank - 2], b[p.rank - 1], a[p.rank - 1]};
  if (p.rank == 3) shape.groups = a[0];
  return shape;
}

}  // namespace orrery::detail
