// SPDX-License-Identifier: Apache-2.0
// The work to measure on a device: designed_work() of calibrate/bench.h.
#include "calibrate/bench.h"
#include "cost/product.h"

namespace orrery {
namespace {

constexpr std::array<const char*, 3> kLayouts = {"TN", "NN", "NT"};

struct Extents {
  std::int64_t m, n, k;
};

// Tokens by widths of 1 to 405 B models, tensor parallel or not; small, narrow and deep ones;
// few dimensions that are no multiple of 64 or of 8.
constexpr std::array<Extents, 34> kProducts = {{
    {128, 128, 4096},    {256, 4096, 1024},     {512, 512, 512},     {512, 4096, 4096},
    {1024, 1024, 1024},  {1024, 4096, 512},     {1024, 12288, 4096}, {1536, 1536, 1536},
    {2048, 2048, 2048},  {2048, 4096, 4096},    {2048, 1280, 5120},  {2048, 128256, 4096},
    {2304, 2304, 2304},  {3072, 3072, 3072},    {4096, 4096, 128},   {4096, 4096, 512},
    {4096, 4096, 1024},  {4096, 4096, 4096},    {4096, 6144, 4096},  {4096, 14336, 4096},
    {4096, 4096, 14336}, {4096, 28672, 4096},   {8192, 512, 8192},   {8192, 1024, 4096},
    {8192, 8192, 1024},  {8192, 8192, 8192},    {8192, 14336, 4096}, {8192, 4096, 14336},
    {16384, 4096, 4096}, {16384, 16384, 16384}, {4096, 4096, 4104},  {4096, 10920, 4096},
    {2048, 5464, 2048},  {8192, 4000, 8192},
}};

bool fits(const ProductShape& p, Precision precision, Bytes memory) {
  constexpr double kShare = 0.4;  // of free memory
  return product_bytes<double>(p, precision) < memory * kShare;
}

void add_product(const DeviceFacts& facts, const MeasuredProduct& p, const char* layout,
                 std::vector<Measurement>& out) {
  if (!fits(p.shape, p.precision, facts.memory)) return;
  Measurement m;
  m.work = p;
  m.kernel = layout;
  out.push_back(m);
}

void add_products(const DeviceFacts& facts, std::vector<Measurement>& out) {
  for (const Precision precision : facts.products) {
    for (const Extents& e : kProducts) {
      // cuBLASLt's fp8 wants multiples of 16 and one layout.
      const bool is_fp8 = precision == Precision::fp8;
      if (is_fp8 && (e.m % 16 != 0 || e.n % 16 != 0 || e.k % 16 != 0)) continue;
      for (const char* layout : kLayouts) {
        if (is_fp8 && layout != kLayouts[0]) continue;
        add_product(facts, {{e.m, e.n, e.k}, precision}, layout, out);
      }
    }
  }
}

struct Experts {
  std::int64_t groups;
  Extents each;  // m in the mean
};

// A few wide experts and many narrow ones, with many tokens each and with few.
constexpr std::array<Experts, 8> kExperts = {{
    {8, {512, 14336, 4096}},
    {8, {2048, 14336, 4096}},
    {8, {2048, 4096, 14336}},
    {8, {8192, 4096, 4096}},
    {32, {128, 4096, 7168}},
    {32, {512, 4096, 7168}},
    {32, {512, 7168, 2048}},
    {64, {256, 2816, 2048}},
}};

void add_grouped(const DeviceFacts& facts, std::vector<Measurement>& out) {
  for (const Precision precision : facts.products) {
    if (precision != Precision::bf16) continue;
    for (const Experts& x : kExperts) {
      const Extents& e = x.each;
      add_product(facts, {{e.m, e.n, e.k, x.groups, true, false}, precision}, "TN", out);
      // The uneven size is the inner one: the sum over tokens.
      add_product(facts, {{e.n, e.k, e.m, x.groups, true, true}, precision}, "NT", out);
    }
  }
}

constexpr std::int64_t kTokens = 16384;  // batch × sequence
constexpr std::int64_t kWidth = 2048;    // heads × head size

// Sizes of FlashAttention's own charts: tokens and width fixed, sequences of 512 to 16k.
void add_attention(std::vector<Measurement>& out) {
  for (const std::int64_t head : kAttentionHeadSizes) {
    for (std::int64_t s = 512; s <= kTokens; s *= 2) {
      for (const AttentionPass pass : {AttentionPass::forward, AttentionPass::backward}) {
        for (const double pairs : {1.0, 0.5}) {
          Measurement m;
          const std::int64_t groups = kTokens / s * (kWidth / head);
          m.work = MeasuredAttention{
              {groups, s, s, head, head, pairs}, AttentionKernel::cudnn, Precision::bf16, pass};
          out.push_back(m);
        }
      }
    }
  }
}

constexpr std::array<const char*, 7> kMemoryKernels = {
    "copy", "device copy", "norm", "softmax", "activation", "optimizer", "cross-entropy"};
constexpr double kSmallestBytes = 0x1p14;
constexpr double kLargestBytes = 0x1p32;
constexpr double kLargestHostCopy = 0x1p30;

void add_named(MeasuredWork work, const char* kernel, std::vector<Measurement>& out) {
  Measurement m;
  m.work = work;
  m.kernel = kernel;
  out.push_back(m);
}

void add_by_bytes(const DeviceFacts& facts, std::vector<Measurement>& out) {
  for (double bytes = kSmallestBytes; bytes <= kLargestBytes; bytes *= 4) {
    if (Bytes(bytes) > facts.memory * 0.4) break;
    for (const char* kernel : kMemoryKernels) add_named(MeasuredMemory{Bytes(bytes)}, kernel, out);
    if (bytes <= kLargestHostCopy) {
      add_named(MeasuredHostCopy{Bytes(bytes)}, "", out);
      add_named(MeasuredHostCopy{Bytes(bytes)}, kToHost, out);
    }
    if (facts.count < 2) continue;
    for (const Collective kind :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
      add_named(MeasuredCollective{kind, facts.count, Bytes(bytes)}, "", out);
    }
    add_named(MeasuredCollective{Collective::point_to_point, 2, Bytes(bytes)}, "", out);
  }
}

}  // namespace

std::vector<Measurement> designed_work(const DeviceFacts& facts) {
  std::vector<Measurement> out;
  add_named(MeasuredLaunch{}, "", out);
  add_products(facts, out);
  add_grouped(facts, out);
  add_attention(out);
  add_by_bytes(facts, out);
  return out;
}

}  // namespace orrery
