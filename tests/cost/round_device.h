// SPDX-License-Identifier: Apache-2.0
// A device of round numbers, for times by hand: 1 PFLOP/s (2 in fp8), 1 TB/s of which kernels
// attain 0.9, 100 multiprocessors, a launch of 4 us.
#pragma once

#include "hardware/device.h"

namespace orrery::testing {

inline Device round_device() {
  Device d;
  d.peak.values.fill(FlopsPerSecond(1e15));
  d.peak[Precision::fp8] = FlopsPerSecond(2e15);
  d.memory_bandwidth = BytesPerSecond(1e12);
  d.multiprocessors = 100;
  d.efficiency.gemm.values.fill(0.8);
  d.efficiency.tile_m = 128;
  d.efficiency.tile_n = 256;
  d.efficiency.k_fill = 100;
  d.efficiency.misaligned_64 = 1.2;
  d.efficiency.misaligned_8 = 1.65;
  d.efficiency.grouped_gemm = 0.5;
  d.efficiency.memory = 0.9;
  d.efficiency.launch = Seconds(4e-6);
  d.efficiency.unfused_attention = 0.4;
  AttentionCurve& c = d.efficiency.attention[AttentionKernel::flash_2];
  c.forward = {0.5, 0.6, 0.55};
  c.backward = {0.4, 0.5, 0.45};
  c.half_length = 500;
  return d;
}

// The same where nothing waits for memory.
inline Device compute_bound_device() {
  Device d = round_device();
  d.memory_bandwidth = BytesPerSecond(1e16);
  return d;
}

}  // namespace orrery::testing
