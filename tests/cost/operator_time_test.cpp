// SPDX-License-Identifier: Apache-2.0
//
// Operators other than plain products: attention, memory traffic, and which product belongs to
// which gradient.
#include "cost/operator_time.h"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "cost/attention.h"
#include "cost/product.h"
#include "cost/quantise.h"
#include "cost/round_device.h"
#include "parallel/shard.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

double fused(const AttentionShape& a, bool backward = false) {
  return fused_attention_time<double>(a, round_device(), AttentionKernel::flash_2, Precision::bf16,
                                      backward)
      .si();
}

ShardedOperator product(std::int64_t rows, std::int64_t inner, std::int64_t cols) {
  ShardedOperator op;
  op.kind = OpKind::product;
  op.role = PrecisionRole::linear;
  op.rows = rows;
  op.inner = inner;
  op.cols = cols;
  return op;
}

}  // namespace

TEST_CASE("fused attention takes the FLOPs of its pairs at its curve's rate") {
  const AttentionShape a{32, 4096, 4096, 128, 128, 0.5};
  const double flops = 2.0 * 32 * 4096 * 4096 * (128 + 128) * 0.5;
  const double rate = 1e15 * 0.6 * 4096 / (4096 + 500.0);
  CHECK(fused(a) == testing::about(flops / rate + 4e-6));
  const double backward = 1e15 * 0.5 * 4096 / (4096 + 500.0);
  CHECK(fused(a, true) == testing::about(2.5 * flops / backward + 4e-6));
}

TEST_CASE("the curve of attention bends between the head sizes measured and is flat beyond") {
  const ByHeadSize f = {0.5, 0.6, 0.55};
  CHECK(at_head_size(f, 32) == 0.5);
  CHECK(at_head_size(f, 64) == 0.5);
  CHECK(at_head_size(f, 96) == testing::about(0.55));
  CHECK(at_head_size(f, 128) == 0.6);
  CHECK(at_head_size(f, 192) == testing::about(0.575));
  CHECK(at_head_size(f, 256) == 0.55);
  CHECK(at_head_size(f, 512) == 0.55);
}

TEST_CASE("attention takes longer with every size") {
  const AttentionShape a{8, 512, 512, 64, 64, 0.5};
  for (const bool backward : {false, true}) {
    for (std::int64_t n = 1; n < 40; ++n) {
      const auto at = [&](std::int64_t k) { return AttentionShape{8 * k, 512, 512, 64, 64, 0.5}; };
      CHECK(fused(at(n + 1), backward) > fused(at(n), backward));
      AttentionShape keys = a;
      keys.keys = 128 * n;
      AttentionShape more = keys;
      more.keys += 128;
      CHECK(fused(more, backward) > fused(keys, backward));
      // Twice the keys is less than twice the time: longer sequences are more efficient.
      more.keys = 2 * keys.keys;
      CHECK(fused(more, backward) < 2 * fused(keys, backward));
    }
  }
}

TEST_CASE("attention over a window costs its share of the pairs") {
  AttentionShape a{32, 8192, 8192, 128, 128, 0.5};
  const double causal = fused(a) - 4e-6;
  a.pairs = 0.05;
  CHECK(fused(a) - 4e-6 == testing::about(causal / 10));
}

TEST_CASE("a ring calls attention once a step, over the keys of one rank or half of them") {
  // cp 4: 2,048 queries a rank; each call has a quarter of the pairs. The first has the mask, 1.5
  // in the mean see 2,048 keys and 1.5 see 1,024, where a row costs h = (500 − 128)/2 keys more.
  const AttentionShape a{32, 2048, 8192, 128, 128, 0.5, 4};
  const double flops = 2.0 * 32 * 2048 * 8192 * (128 + 128) * 0.5;
  const double h = 186;
  const double calls = (2048 + 500) / 2048.0 + 1.5 * (2048 + h) / 2048 + 1.5 * (1024 + h) / 1024;
  CHECK(fused(a) == testing::about(flops / 4 * calls / (1e15 * 0.6) + 4 * 4e-6));
  // Without a mask all calls see 2,048 keys.
  const AttentionShape all{32, 2048, 8192, 128, 128, 1, 4};
  CHECK(fused(all) ==
        testing::about(2 * flops * (8192 + 500 + 3 * h) / 8192 / (1e15 * 0.6) + 4 * 4e-6));
}

TEST_CASE("a ring adds its parts up after every step but the first") {
  const auto merging = [](const AttentionShape& a, bool backward) {
    return ring_merging_time<double>(a, round_device(), Precision::bf16, 1, backward).si();
  };
  const AttentionShape a{32, 2048, 8192, 128, 128, 0.5, 4};
  // 16 bits of the part read, 32 of the sum read and written; three numbers of 4 bytes a row; half
  // of the merges have half of the queries.
  const double rows = 32 * 2048 * 0.75;
  CHECK(merging(a, false) == testing::about(3 * (rows * (128 * (2 + 4 + 4) + 12) / 0.9e12 + 4e-6)));
  CHECK(merging(a, true) == testing::about(3 * (rows * 128 * (2 + 4 + 4) / 0.9e12 + 4e-6)));
  CHECK(merging({32, 8192, 8192, 128, 128, 0.5}, false) == 0);
}

TEST_CASE("unfused attention is two batched products over all pairs") {
  const AttentionShape a{32, 2048, 2048, 128, 128, 0.5};
  const double flops = 2.0 * 32 * 2048 * 2048 * 128;
  Device d = round_device();
  d.memory_bandwidth = BytesPerSecond(1e14);
  d.efficiency.misaligned_head = 5;
  const double t = unfused_product_time<double>(a, 128, d, Precision::bf16).si();
  CHECK(t == testing::about(flops / (1e15 * 0.4) + 4e-6));
  // A head that is no multiple of 8 costs the whole product.
  const double odd = unfused_product_time<double>(a, 100, d, Precision::bf16).si();
  CHECK(odd == testing::about(5 * flops * 100 / 128 / (1e15 * 0.4) + 4e-6));
  // Where memory is slow, writing the scores takes longer.
  const double bytes = 2.0 * 32 * (2 * 2048.0 * 128 + 2048.0 * 2048);
  CHECK(unfused_product_time<double>(a, 128, round_device(), Precision::bf16).si() ==
        testing::about(bytes / 0.9e12 + 4e-6));
}

// S = QKᵀ needs dQ = dS·K and dK = dSᵀ·Q, O = PV needs dP = dO·Vᵀ and dV = Pᵀ·dO: two products of
// the size of the forward one each, 2·32·2048²·width FLOPs at 1e15·0.4, and no weight.
TEST_CASE("unfused attention does each product once forward and twice backward") {
  Device d = round_device();
  d.memory_bandwidth = BytesPerSecond(1e14);
  ShardedOperator op;
  op.groups = 32;
  op.rows = op.cols = 2048;
  op.inner = 128;
  op.value_width = 64;
  const auto time_of = [&](OpKind kind) {
    op.kind = kind;
    return operator_time<double>(op, d, KernelChoice{});
  };
  const double flops = 2.0 * 32 * 2048 * 2048;
  for (const auto& [kind, width] :
       {std::pair{OpKind::scores, 128}, std::pair{OpKind::values, 64}}) {
    const double once = flops * width / (1e15 * 0.4) + 4e-6;
    const OperatorTime<double> t = time_of(kind);
    CHECK(t.forward.si() == testing::about(once));
    CHECK(t.backward_input.si() == testing::about(2 * once));
    CHECK(t.backward_weight == Seconds());
  }
}

TEST_CASE("the gradients of a product are the products of their sizes") {
  const Device d = round_device();
  const OperatorTime<double> t =
      operator_time<double>(product(4096, 1024, 8192), d, KernelChoice{});
  CHECK(t.forward == product_time<double>({4096, 8192, 1024}, d, Precision::bf16));
  CHECK(t.backward_input == product_time<double>({4096, 1024, 8192}, d, Precision::bf16));
  CHECK(t.backward_weight == product_time<double>({1024, 8192, 4096}, d, Precision::bf16));
}

TEST_CASE("only linear layers run in 8 bits") {
  KernelChoice k;
  k.linear = Precision::fp8;
  ShardedOperator op = product(16384, 16384, 16384);
  const double fp8 = operator_time<double>(op, round_device(), k).forward.si();
  op.role = PrecisionRole::wide;
  const double bf16 = operator_time<double>(op, round_device(), k).forward.si();
  CHECK(bf16 / fp8 == testing::about(2).epsilon(0.01));
}

TEST_CASE("a wide product loses less to quantising than a narrow one") {
  KernelChoice narrow;
  narrow.linear = Precision::fp8;
  const auto both = [&](std::int64_t rows, std::int64_t inner, std::int64_t cols) {
    const ShardedOperator op = product(rows, inner, cols);
    OperatorTime<double> t = operator_time<double>(op, round_device(), narrow);
    const OperatorTime<double> bare = t;
    add_quantising<double>(op, round_device(), narrow.linear, t);
    return std::pair{bare, t};
  };
  const auto cost = [&](std::int64_t width) {
    const auto [bare, t] = both(8192, width, width);
    return t.forward / bare.forward;
  };
  CHECK(cost(1024) > cost(4096));
  CHECK(cost(4096) > cost(16384));
  const auto [bare, t] = both(8192, 1024, 4096);
  CHECK((t.forward - bare.forward).si() == testing::about(8192.0 * 1024 * (2 + 1 + 1) / 0.9e12));
  CHECK((t.backward_input - bare.backward_input).si() ==
        testing::about(8192.0 * 4096 * (2 + 1 + 1) / 0.9e12));
  CHECK(t.backward_weight == bare.backward_weight);
  ShardedOperator wide = product(8192, 1024, 4096);
  wide.role = PrecisionRole::wide;
  CHECK_FALSE(is_quantised(wide, Precision::fp8));
  CHECK_FALSE(is_quantised(product(8192, 1024, 4096), Precision::bf16));
}

TEST_CASE("a stack's rate speeds up its linear layers alone") {
  KernelChoice k;
  k.linear_rate = 0.8;
  ShardedOperator op = product(4096, 1024, 8192);
  const OperatorTime<double> t = operator_time<double>(op, round_device(), k);
  const OperatorTime<double> alone = operator_time<double>(op, round_device(), KernelChoice{});
  CHECK(t.forward.si() == testing::about(alone.forward.si() / 0.8));
  CHECK(t.backward_weight.si() == testing::about(alone.backward_weight.si() / 0.8));
  op.role = PrecisionRole::wide;
  CHECK(operator_time<double>(op, round_device(), k).forward == alone.forward);
}

TEST_CASE(
    "a recurrence takes its products at unfused attention's rate, 2.6 times as many backward") {
  ShardedOperator op;
  op.kind = OpKind::recurrence;
  op.groups = 32;
  op.rows = 4096;
  op.cols = 64;
  op.inner = 128;
  op.pairs = 3;
  op.forward_bytes = 1;
  op.backward_bytes = 2;
  const double forward = 2.0 * 32 * 4096 * 64 * 128 * 3 / (1e15 * 0.4);
  const OperatorTime<double> t = operator_time<double>(op, round_device(), KernelChoice{});
  CHECK(t.forward.si() == testing::about(forward + 4e-6));
  CHECK(t.backward_input.si() == testing::about(2.6 * forward + 4e-6));
  CHECK(t.backward_weight == Seconds());
  // Never faster than its traffic.
  op.inner = 1;
  CHECK(operator_time<double>(op, round_device(), KernelChoice{}).backward_input.si() ==
        testing::about(2 * 32 * 4096.0 * 64 / 0.9e12 + 4e-6));
}

TEST_CASE("adapters below a rank of 64 pay for a part of a tile once, and more rank never less") {
  const auto time = [](OpName name, std::int64_t rank) {
    ShardedOperator op = product(512, 8192, rank);
    op.name = name;
    const OperatorTime<double> t = operator_time<double>(op, round_device(), {});
    return t.forward + t.backward_input + t.backward_weight;
  };
  Seconds before{};
  for (const std::int64_t rank : {2, 4, 8, 16, 32, 64, 128}) {
    CHECK(time(OpName::adapter_down, rank) >= before);
    before = time(OpName::adapter_down, rank);
  }
  CHECK(time(OpName::adapter_down, 64) == time(OpName::qkv, 64));
  CHECK(time(OpName::adapter_down, 16) < time(OpName::qkv, 16));
}

TEST_CASE("rows of experts are shared out over the groups") {
  const Device d = round_device();
  ShardedOperator op = product(8 * 1024, 4096, 4096);
  op.kind = OpKind::grouped_product;
  op.groups = 8;
  CHECK(operator_time<double>(op, d, KernelChoice{}).forward ==
        product_time<double>({1024, 4096, 4096, 8, true}, d, Precision::bf16));
  CHECK(forward_flops(op.kind, op, 1).si() == 2.0 * 8 * 1024 * 4096 * 4096);
}

TEST_CASE("pointwise operators take their bytes at the memory's rate") {
  ShardedOperator op;
  op.kind = OpKind::pointwise;
  op.rows = 4096;
  op.cols = 8192;
  op.forward_bytes = 4;
  op.backward_bytes = 6;
  KernelChoice k;
  k.pointwise_passes = 2;
  const OperatorTime<double> t = operator_time<double>(op, round_device(), k);
  CHECK(t.forward.si() == testing::about(2 * 4 * 4096.0 * 8192 / 0.9e12 + 4e-6));
  CHECK(t.backward_input.si() == testing::about(2 * 6 * 4096.0 * 8192 / 0.9e12 + 4e-6));
  CHECK(t.backward_weight == Seconds());
  op.forward_bytes = 0;
  CHECK(operator_time<double>(op, round_device(), k).forward == Seconds());
}
