// SPDX-License-Identifier: Apache-2.0
//
// Paths of a device's numbers that occur several times, as labels of the chain.
#pragma once

#include <array>

#include "core/precision.h"
#include "hardware/device.h"

namespace orrery {

inline constexpr std::array<const char*, kPrecisions> kPeakPaths = {
    "device.peak.fp32", "device.peak.tf32",  "device.peak.fp16", "device.peak.bf16",
    "device.peak.fp8",  "device.peak.mxfp8", "device.peak.nvfp4"};

inline constexpr std::array<const char*, kPrecisions> kGemmPaths = {
    "device.efficiency.gemm.fp32", "device.efficiency.gemm.tf32", "device.efficiency.gemm.fp16",
    "device.efficiency.gemm.bf16", "device.efficiency.gemm.fp8",  "device.efficiency.gemm.mxfp8",
    "device.efficiency.gemm.nvfp4"};

inline constexpr std::array<const char*, kAttentionKernels> kAttentionPaths = {
    "device.efficiency.attention.flash-2", "device.efficiency.attention.flash-3",
    "device.efficiency.attention.flash-4", "device.efficiency.attention.cudnn",
    "device.efficiency.attention.triton",  "device.efficiency.attention.sdpa"};

inline constexpr std::array<const char*, kAttentionKernels> kHalfLengthPaths = {
    "device.efficiency.attention.flash-2.half_length",
    "device.efficiency.attention.flash-3.half_length",
    "device.efficiency.attention.flash-4.half_length",
    "device.efficiency.attention.cudnn.half_length",
    "device.efficiency.attention.triton.half_length",
    "device.efficiency.attention.sdpa.half_length"};

constexpr const char* peak_path(Precision p) { return kPeakPaths[static_cast<std::size_t>(p)]; }

}  // namespace orrery
