// SPDX-License-Identifier: Apache-2.0
//
// Number formats a run may compute in, and the bytes an element of each takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class Precision : std::uint8_t { fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4, int8 };

constexpr EnumNames<Precision> names_of(Precision) {
  return {"fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4", "int8"};
}

// Bytes of one stored element. tf32 is stored as fp32; mxfp8 carries one scale byte per 32 elements
// and nvfp4 one per 16 (OCP MX 1.0; NVIDIA NVFP4), so an element takes 1 + 1/32 and 1/2 + 1/16.
// int8 has scales of a row or column, which are not counted (AQT, as MaxText quantises training).
inline constexpr EnumArray<Precision, double> kElementBytes = {4, 4, 2, 2, 1, 1.03125, 0.5625, 1};

constexpr double element_bytes(Precision p) { return kElementBytes[p]; }

constexpr bool is_low_precision(Precision p) {
  return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::nvfp4 ||
         p == Precision::int8;
}

// The precision of saved activations outside matrix products: low formats only feed the products.
constexpr Precision storage_precision(Precision p) {
  return is_low_precision(p) ? Precision::bf16 : p;
}

}  // namespace orrery
