// SPDX-License-Identifier: Apache-2.0
//
// GPUs by the names of products that drivers and benchmarks print. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// rocm-smi --showproductname prints it before a card's product.
inline constexpr std::string_view kAmdProduct = "Card Series:";
inline constexpr std::string_view kAmdOlderProduct = "Card series:";

// Our device by its product's name ("NVIDIA H100 80GB HBM3"). A product that is not known keeps its
// name.
std::string device_of_product(std::string_view name);

// True if both are known and differ.
bool are_other_devices(std::string_view product, std::string_view device);

}  // namespace orrery
