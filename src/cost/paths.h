// SPDX-License-Identifier: Apache-2.0
//
// Paths of a device's numbers that occur several times, as labels of the chain. Errors: none.
#pragma once

#include <array>

#include "core/precision.h"
#include "hardware/device.h"

namespace orrery {

inline constexpr EnumArray<Precision, const char*> kPeakPaths = {
    "device.peak.fp32", "device.peak.tf32",  "device.peak.fp16",  "device.peak.bf16",
    "device.peak.fp8",  "device.peak.mxfp8", "device.peak.nvfp4", "device.peak.int8"};

inline constexpr EnumArray<Precision, const char*> kGemmPaths = {
    "device.efficiency.gemm.fp32",  "device.efficiency.gemm.tf32", "device.efficiency.gemm.fp16",
    "device.efficiency.gemm.bf16",  "device.efficiency.gemm.fp8",  "device.efficiency.gemm.mxfp8",
    "device.efficiency.gemm.nvfp4", "device.efficiency.gemm.int8"};

inline constexpr EnumArray<AttentionKernel, const char*> kAttentionPaths = {
    "device.efficiency.attention.flash-2", "device.efficiency.attention.flash-3",
    "device.efficiency.attention.flash-4", "device.efficiency.attention.cudnn",
    "device.efficiency.attention.triton",  "device.efficiency.attention.sdpa",
    "device.efficiency.attention.native"};

inline constexpr EnumArray<AttentionKernel, const char*> kHalfLengthPaths = {
    "device.efficiency.attention.flash-2.half_length",
    "device.efficiency.attention.flash-3.half_length",
    "device.efficiency.attention.flash-4.half_length",
    "device.efficiency.attention.cudnn.half_length",
    "device.efficiency.attention.triton.half_length",
    "device.efficiency.attention.sdpa.half_length",
    "device.efficiency.attention.native.half_length"};

}  // namespace orrery
