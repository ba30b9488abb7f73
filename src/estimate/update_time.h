// SPDX-License-Identifier: Apache-2.0
//
// The products with which an optimizer updates one matrix.
//
// Muon orthogonalises the momentum by five Newton-Schulz steps, each XXᵀ, its square, and their
// product with X, in bf16 (KellerJordan/Muon, muon.py): 20a²b + 10a³ FLOPs of a matrix a × b, a the
// smaller side. Shampoo multiplies the gradient with itself and with two preconditioners, SOAP
// rotates gradient and update there and back, in tf32 where the device has it. GaLore projects to a
// low rank and back. Leaves out roots, QR and SVD, which run once in 10 to 200 steps; symmetric
// kernels, which halve Newton-Schulz. Units: seconds of one device. Errors: none.
#pragma once

#include <cstdint>

#include "hardware/device.h"
#include "memory/optimizer.h"

namespace orrery {

Seconds update_products_time(Optimizer o, std::int64_t m, std::int64_t n, std::int64_t rank,
                             const Device& d);

}  // namespace orrery
