// SPDX-License-Identifier: Apache-2.0
// Which kernels an operator runs forward and backward, and what a framework's choices multiply.
#include <doctest/doctest.h>

#include <algorithm>

#include "cost/attention.h"
#include "cost/operator_time.h"
#include "cost/product.h"
#include "cost/quantise.h"
#include "cost/round_device.h"
#include "parallel/shard.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

ShardedOperator operator_of(OpKind kind, std::int64_t rows, std::int64_t inner, std::int64_t cols) {
  ShardedOperator op;
  op.kind = kind;
  op.role = PrecisionRole::linear;
  op.rows = rows;
  op.inner = inner;
  op.cols = cols;
  op.groups = 1;
  return op;
}

ShardedOperator linear_layer() { return operator_of(OpKind::product, 4096, 1024, 8192); }

ShardedOperator experts(std::int64_t rows) {
  ShardedOperator op = operator_of(OpKind::grouped_product, rows, 1024, 2048);
  op.groups = 8;
  return op;
}

OperatorTime<double> timed(const ShardedOperator& op, const KernelChoice& k = {}) {
  return operator_time<double>(op, round_device(), k);
}

Seconds alone(const ProductShape& p) {
  return product_time<double>(p, round_device(), Precision::bf16);
}

}  // namespace

TEST_CASE("a frozen weight has no gradient, and before the first that trains nothing runs back") {
  ShardedOperator op = linear_layer();
  const OperatorTime<double> whole = timed(op);
  CHECK(whole.backward_weight > Seconds());
  op.backward = Backward::input;
  CHECK(timed(op).forward == whole.forward);
  CHECK(timed(op).backward_input == whole.backward_input);
  CHECK(timed(op).backward_weight == Seconds());
  for (const Backward none : {Backward::none, Backward::never}) {
    op.backward = none;
    CHECK(timed(op).forward == whole.forward);
    CHECK(timed(op).backward_input == Seconds());
    CHECK(timed(op).backward_weight == Seconds());
  }
}

TEST_CASE("experts run their rows in groups, and their weights' gradients over uneven rows") {
  const OperatorTime<double> t = timed(experts(8 * 512));
  CHECK(t.forward == alone({512, 2048, 1024, 8, true}));
  CHECK(t.backward_input == alone({512, 1024, 2048, 8, true}));
  CHECK(t.backward_weight == alone({1024, 2048, 512, 8, true, true}));
  // One row more is shared out as one more for each: rounded up.
  CHECK(timed(experts(8 * 512 + 1)).forward == alone({513, 2048, 1024, 8, true}));
  // Odd rows of an expert are no matter of alignment in any of the three.
  CHECK(timed(experts(8 * 511)).backward_weight <= t.backward_weight);
}

TEST_CASE("one product is one group, whatever its operator's groups say") {
  ShardedOperator op = linear_layer();
  op.groups = 8;
  CHECK(timed(op).forward == alone({4096, 8192, 1024}));
}

TEST_CASE("adapters' narrow sides are padded to eight or to a tile of 64") {
  const Device d = compute_bound_device();
  const auto forward = [&](const ShardedOperator& op) {
    return operator_time<double>(op, d, {}).forward;
  };
  const auto product = [&](std::int64_t cols, std::int64_t inner) {
    return product_time<double>({512, cols, inner}, d, Precision::bf16);
  };
  ShardedOperator down = operator_of(OpKind::product, 512, 8192, 4);
  down.name = OpName::adapter_down;
  CHECK(forward(down) == std::min(product(8, 8192), product(64, 8192)));
  CHECK(forward(down) < product(4, 8192));
  // Eight of the 64 would do: they take no longer than 64, which fit.
  down.cols = 8;
  CHECK(forward(down) == product(64, 8192));
  CHECK(forward(down) < product(8, 8192));
  ShardedOperator up = operator_of(OpKind::product, 512, 4, 8192);
  up.name = OpName::adapter_up;
  CHECK(forward(up) == std::min(product(8192, 8), product(8192, 64)));
  CHECK(forward(up) < product(8192, 4));
  up.name = OpName::qkv;
  CHECK(forward(up) == product(8192, 4));
}

TEST_CASE("attention's kernel pays for both head sizes, its curve for their mean") {
  const Device d = compute_bound_device();
  // Keys of 192 and values of 64: 256 in all, the curve at 128.
  const AttentionShape a{16, 2048, 4096, 192, 64, 1};
  CHECK(attention_flops<double>(a).si() == 2.0 * 16 * 2048 * 4096 * 256);
  const auto time = [&](const Device& device) {
    return fused_attention_time<double>(a, device, AttentionKernel::flash_2, Precision::bf16, false)
               .si() -
           4e-6;
  };
  const double flops = 2.0 * 16 * 2048 * 4096 * 256;
  CHECK(time(d) == about(flops / (0.6e15 * 4096 / 4596)));
  Device capped = d;
  capped.efficiency.power_factor = 0.8;
  CHECK(time(capped) == about(time(d) / 0.8));
}

TEST_CASE("a ring of short kernels costs no more a row than its calls") {
  Device d = round_device();
  AttentionCurve& curve = d.efficiency.attention[AttentionKernel::flash_2];
  const AttentionShape ring{32, 2048, 8192, 128, 128, 1, 4};
  const auto time = [&] {
    return fused_attention_time<double>(ring, d, AttentionKernel::flash_2, Precision::bf16, false)
        .si();
  };
  const double flops = 2.0 * 32 * 2048 * 8192 * 256;
  // s½ within a tile of 128 queries: there is no more to a call than the tile.
  for (const double half : {0.0, 100.0, 128.0}) {
    curve.half_length = half;
    CHECK(time() == about(flops * (8192 + half) / 8192 / 0.6e15 + 4 * 4e-6));
  }
  curve.half_length = 130;  // h = 1
  CHECK(time() == about(flops * (8192 + 130 + 3 * 1) / 8192 / 0.6e15 + 4 * 4e-6));
}

TEST_CASE("a ring's operator merges after each call, the values forward and the queries backward") {
  ShardedOperator op;
  op.kind = OpKind::fused_attention;
  op.groups = 32;
  op.rows = 2048;
  op.cols = 8192;
  op.inner = 192;
  op.value_width = 64;
  op.pairs = 1;
  op.ring = 4;
  KernelChoice k;
  k.pointwise_passes = 2;
  const AttentionShape a{32, 2048, 8192, 192, 64, 1, 4};
  const OperatorTime<double> t = timed(op, k);
  const auto calls = [&](bool backward) {
    return fused_attention_time<double>(a, round_device(), AttentionKernel::flash_2,
                                        Precision::bf16, backward)
        .si();
  };
  const double rows = 2.0 * 32 * 2048 / 0.9e12;
  CHECK(t.forward.si() - calls(false) == about(3 * (rows * (64 * 10 + 12) + 4e-6)));
  CHECK(t.backward_input.si() - calls(true) == about(3 * (rows * 192 * 10 + 4e-6)));
  CHECK(t.backward_weight == Seconds());
  op.ring = 1;
  const AttentionShape whole{32, 2048, 8192, 192, 64, 1};
  CHECK(timed(op, k).forward == fused_attention_time<double>(whole, round_device(),
                                                             AttentionKernel::flash_2,
                                                             Precision::bf16, false));
}

TEST_CASE("a ring of two ranks merges once") {
  const AttentionShape two{32, 2048, 4096, 128, 128, 1, 2};
  const auto merging = [&](bool backward) {
    return ring_merging_time<double>(two, round_device(), Precision::bf16, 1, backward).si();
  };
  const double rows = 32.0 * 2048 / 0.9e12;
  CHECK(merging(false) == about(rows * (128 * 10 + 12) + 4e-6));
  CHECK(merging(true) == about(rows * 128 * 10 + 4e-6));
}

TEST_CASE("any share of the pairs below one is a mask") {
  AttentionShape a{1, 1, 1, 64, 64, 1};
  CHECK_FALSE(is_causal(a));
  a.pairs = 0.99;
  CHECK(is_causal(a));
}

TEST_CASE("unfused attention runs at its share of the peak under the cap") {
  Device d = round_device();
  d.efficiency.power_factor = 0.5;
  CHECK(unfused_rate<double>(d, Precision::bf16).si() == about(1e15 * 0.4 * 0.5));
  CHECK(unfused_rate<double>(d, Precision::fp8).si() == about(2e15 * 0.4 * 0.5));
}

TEST_CASE("lengths of unfused attention that fit no tile cost their factor, heads their own") {
  Device d = compute_bound_device();
  d.efficiency.misaligned_head = 3;
  const auto time = [&](std::int64_t length, std::int64_t width) {
    const AttentionShape a{32, length, length, width, width, 1};
    return unfused_product_time<double>(a, width, d, Precision::bf16).si() - 4e-6;
  };
  const auto flops = [](double length, double width) { return 64 * length * length * width; };
  CHECK(time(2048, 64) == about(flops(2048, 64) / 0.4e15));
  CHECK(time(2048, 72) == about(1.2 * flops(2048, 72) / 0.4e15));
  CHECK(time(2049, 64) == about(1.65 * flops(2049, 64) / 0.4e15));
  CHECK(time(2048, 68) == about(3 * flops(2048, 68) / 0.4e15));
}

// 1e8 elements of 12 bytes forward and 24 backward, 1 TB/s of memory, a cache of 300 MB at 10 TB/s.
TEST_CASE("of a chain's backward kernels the first alone reads what forward saved") {
  Device d = round_device();
  d.efficiency.memory = 1;
  d.cache = {Bytes(300e6), BytesPerSecond(10e12)};
  ShardedOperator op = operator_of(OpKind::pointwise, 10000, 1, 10000);
  op.forward_bytes = 12;
  op.backward_bytes = 24;
  const auto time = [&] { return operator_time<double>(op, d, {}); };
  const double launch = 4e-6;
  CHECK(time().backward_input.si() == about(2.4e-3 + launch));
  op.kernels = {4, 8};
  // A kernel moves 300 MB: half of it comes from the cache.
  const double kernel = 0.5 * 30e-6 + 0.5 * 300e-6;
  CHECK(time().forward.si() == about(4 * kernel + launch));
  CHECK(time().backward_input.si() == about(300e-6 + 7 * kernel + launch));
}

TEST_CASE("lookups move their bytes as pointwise operators do") {
  ShardedOperator op = operator_of(OpKind::lookup, 1000, 50000, 900);
  op.forward_bytes = 4;
  op.backward_bytes = 8;
  CHECK(timed(op).forward.si() == about(4e-6 + 4e-6));
  CHECK(timed(op).backward_input.si() == about(8e-6 + 4e-6));
}

TEST_CASE("passes of a framework multiply a recurrence's traffic") {
  ShardedOperator op = operator_of(OpKind::recurrence, 1000, 1, 900);
  op.groups = 10;
  op.pairs = 1;
  op.forward_bytes = op.backward_bytes = 2;
  KernelChoice k;
  k.pointwise_passes = 3;
  CHECK(timed(op, k).forward.si() == about(3 * 2e-5 + 4e-6));
  CHECK(timed(op, k).backward_input.si() == about(3 * 2e-5 + 4e-6));
}

TEST_CASE("products of linear layers are quantised where they run in a narrow format") {
  for (const Precision narrow : {Precision::fp8, Precision::mxfp8, Precision::nvfp4}) {
    CHECK(is_quantised(linear_layer(), narrow));
    CHECK(is_quantised(experts(8), narrow));
  }
  for (const Precision wide :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
    CHECK_FALSE(is_quantised(linear_layer(), wide));
  }
  CHECK_FALSE(is_quantised(operator_of(OpKind::fused_attention, 8, 8, 8), Precision::fp8));
  CHECK_FALSE(is_quantised(operator_of(OpKind::pointwise, 8, 8, 8), Precision::fp8));
}

TEST_CASE("quantising reads 16 bits and writes the narrow format twice") {
  OperatorTime<double> t;
  add_quantising<double>(operator_of(OpKind::product, 1000, 900, 2700), round_device(),
                         Precision::nvfp4, t);
  CHECK(t.forward.si() == about(1000 * 900 * (2 + 2 * 0.5625) / 0.9e12));
  CHECK(t.backward_input.si() == about(1000 * 2700 * (2 + 2 * 0.5625) / 0.9e12));
  CHECK(t.backward_weight == Seconds());
  OperatorTime<double> none;
  add_quantising<double>(linear_layer(), round_device(), Precision::bf16, none);
  CHECK(none.forward == Seconds());
  CHECK(none.backward_input == Seconds());
}

namespace {

// Nine million weights of 4 bits and their scales, half a byte and a sixteenth.
ShardedOperator packed_weight() {
  ShardedOperator op = linear_layer();
  op.weight = WeightUse::packed;
  op.parameters = 9'000'000;
  op.stored_bytes = 0.5625;
  return op;
}

OperatorTime<double> unpacked(const ShardedOperator& op, double passes) {
  KernelChoice k;
  k.unpacking_passes = passes;
  OperatorTime<double> t;
  add_unpacking<double>(op, round_device(), k, t);
  return t;
}

}  // namespace

TEST_CASE("a packed weight is read and written in 16 bits before each product that needs it") {
  const OperatorTime<double> t = unpacked(packed_weight(), 1);
  CHECK(t.forward.si() == about(1e-5 * (0.5625 + 2)));
  CHECK(t.backward_input == t.forward);
  CHECK(t.backward_weight == Seconds());
  CHECK(unpacked(packed_weight(), 3).forward.si() == about(3e-5 * (0.5625 + 2)));
}

TEST_CASE("a weight that is not packed, or has no numbers, is not unpacked") {
  ShardedOperator op = packed_weight();
  for (const WeightUse use : {WeightUse::trained, WeightUse::frozen}) {
    op.weight = use;
    CHECK(unpacked(op, 1).forward == Seconds());
    CHECK(unpacked(op, 1).backward_input == Seconds());
  }
  op = packed_weight();
  op.parameters = 0;
  CHECK(unpacked(op, 1).forward == Seconds());
}

TEST_CASE("a packed weight that no pass runs back through is unpacked once") {
  ShardedOperator op = packed_weight();
  for (const Backward back : {Backward::whole, Backward::input, Backward::none}) {
    op.backward = back;
    CHECK(unpacked(op, 1).backward_input > Seconds());
  }
  op.backward = Backward::never;
  CHECK(unpacked(op, 1).forward > Seconds());
  CHECK(unpacked(op, 1).backward_input == Seconds());
}
