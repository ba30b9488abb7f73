// SPDX-License-Identifier: Apache-2.0
//
// One accelerator, as a plain fixed-size value: its peak rates, and the fraction of them that real
// kernels reach.
//
// Models peaks, memory, the last cache before it, the clock that its power sustains
// (hardware/clock_law.h), the link to the host, and the attained fractions that the cost module
// uses. Leaves out the caches inside multiprocessors, clocks that change with the data, and
// differences between two samples of the same part. Every number comes from
// configs/hardware/devices, with its source beside it. Units: SI; peaks are dense (no structured
// sparsity), bandwidths are for one direction. Errors: none here; hardware/device_reader.h refuses
// senseless values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "core/precision.h"
#include "hardware/clock_law.h"
#include "hardware/name.h"
#include "orrery/quantity.h"

namespace orrery {

enum class Vendor : std::uint8_t { nvidia, amd, google, amazon, intel, huawei, other };
constexpr EnumNames<Vendor> names_of(Vendor) {
  return {"nvidia", "amd", "google", "amazon", "intel", "huawei", "other"};
}

// Kinds of chip, by which published runs are told apart (estimate/accuracy.h). The chips of
// NVIDIA's Ampere and Blackwell for graphics and inference have GDDR and other tensor cores than
// A100 and B200. All generations of TPUs count as one kind, and so do those of Trainium, Gaudi and
// Ascend.
enum class Generation : std::uint8_t {
  volta,
  turing,
  ampere,
  ampere_ga10x,
  ada,
  hopper,
  blackwell,
  blackwell_gb20x,
  rubin,
  cdna2,
  cdna3,
  cdna4,
  cdna5,
  tpu,
  trainium,
  gaudi,
  xe_hpc,
  ascend,
  other,
};
constexpr EnumNames<Generation> names_of(Generation) {
  return {"volta",           "turing", "ampere", "ampere-ga10x", "ada",   "hopper", "blackwell",
          "blackwell-gb20x", "rubin",  "cdna2",  "cdna3",        "cdna4", "cdna5",  "tpu",
          "trainium",        "gaudi",  "xe-hpc", "ascend",       "other"};
}

// Fused attention kernels. Unfused attention is made of matrix products and passes over memory.
// native: what the vendor's own stack calls where there is one kernel: splash attention on TPUs,
// NKI's on Trainium, FusedSDPA on Gaudi, npu_fusion_attention on Ascend.
enum class AttentionKernel : std::uint8_t {
  flash_2,
  flash_3,
  flash_4,
  cudnn,
  triton,
  sdpa,
  native
};
constexpr EnumNames<AttentionKernel> names_of(AttentionKernel) {
  return {"flash-2", "flash-3", "flash-4", "cudnn", "triton", "sdpa", "native"};
}

inline constexpr std::array<std::int64_t, 3> kAttentionHeadSizes = {64, 128, 256};
using ByHeadSize = std::array<double, kAttentionHeadSizes.size()>;

// Fraction of the dense 16-bit peak that a fused attention kernel attains on sequences of s tokens:
// f·s/(s + half_length), f by head size. The FLOPs it refers to are those of the causal half where
// attention is causal. f = 0: this device has no such kernel.
struct AttentionCurve {
  ByHeadSize forward{};
  ByHeadSize backward{};
  double half_length = 0;           // tokens
  bool of_earlier_devices = false;  // runs, but not with this device's own matrix instructions

  bool operator==(const AttentionCurve&) const = default;
};

constexpr bool is_available(const AttentionCurve& c) { return c.forward[0] > 0; }

constexpr bool is_native(const AttentionCurve& c) {
  return is_available(c) && !c.of_earlier_devices;
}

struct DeviceEfficiency {
  EnumArray<Precision, double> gemm;  // of the dense peak, by large training-shape products
  double power_factor = 1;            // on every compute rate: 0.8 where power is capped
  std::int64_t tile_m = 128;          // of a matrix product's output
  std::int64_t tile_n = 128;
  double tile_load = 0;          // multiply-adds that loading an element costs; 0: one tile only
  double k_fill = 0;             // elements of the inner dimension lost to prologue and epilogue
  double misaligned_64 = 1;      // time multiplier where a dimension is no multiple of 64
  double misaligned_8 = 1;       // the same for 8, in place of the one above
  double misaligned_head = 1;    // the same for 8, of unfused attention's head size
  double grouped_gemm = 1;       // of the dense product's rate
  double memory = 1;             // of memory_bandwidth, by elementwise kernels
  Seconds launch{};              // of one kernel
  double unfused_attention = 1;  // of the dense peak, by the batched products of unfused attention
  EnumArray<AttentionKernel, AttentionCurve> attention;

  bool operator==(const DeviceEfficiency&) const = default;
};

// To the memory of the host, as a large copy attains it.
struct HostLink {
  BytesPerSecond bandwidth{};
  Seconds latency{};

  bool operator==(const HostLink&) const = default;
};

// The last cache before memory, which all multiprocessors share. 0: not known.
struct SharedCache {
  Bytes capacity{};  // that a kernel's tensors fill before they go to memory
  BytesPerSecond bandwidth{};

  bool operator==(const SharedCache&) const = default;
};

struct Device {
  Name name;
  Vendor vendor = Vendor::other;
  Generation generation = Generation::other;
  EnumArray<Precision, FlopsPerSecond> peak;  // 0: the device does not have this precision
  Bytes memory_capacity{};                    // as the driver shows it
  BytesPerSecond memory_bandwidth{};
  std::int64_t multiprocessors = 0;  // SMs or CUs
  Watts power{};
  ClockLaw clock;
  double sustained = 1;  // rate of products and attention in a run, over `efficiency`'s
  SharedCache cache;
  HostLink host_link;
  DeviceEfficiency efficiency;

  bool operator==(const Device&) const = default;
};

constexpr FlopsPerSecond peak_of(const Device& d, Precision p) { return d.peak[p]; }

constexpr bool has_precision(const Device& d, Precision p) { return peak_of(d, p).si() > 0; }

constexpr const AttentionCurve& curve_of(const Device& d, AttentionKernel k) {
  return d.efficiency.attention[k];
}

}  // namespace orrery
