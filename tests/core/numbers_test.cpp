// SPDX-License-Identifier: Apache-2.0
//
// Quantities, precisions, and numbers that record themselves.
#include <doctest/doctest.h>

#include <random>
#include <type_traits>

#include "core/modules.h"
#include "core/number.h"
#include "core/precision.h"

using namespace orrery;

namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

// A formula of the chain's kind, with everything number.h has.
template <Number R>
R formula(double a, double b, double c) {
  const R x = lift<R>(a, {"a"});
  const R y = lift<R>(b, {"b"});
  const R z = count<R>(static_cast<std::int64_t>(c), {"c"});
  const R sum = named(x * y + z / x - y, {"sum"});
  const R most = larger(sum, smaller(x, z));
  return named(root(most * most + R(1.0)) + power(x, 1.5) + y / z, {"result"});
}

}  // namespace

TEST_CASE("quantities combine by dimension") {
  static_assert(std::is_same_v<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
  static_assert(std::is_same_v<decltype(BytesPerSecond(1) * Seconds(1)), Bytes>);
  static_assert(!Addable<Bytes, Seconds>);
  static_assert(!Addable<Bytes, double>);
  static_assert(std::is_convertible_v<decltype(Bytes(1) / Bytes(1)), double>);
  static_assert(!std::is_convertible_v<Bytes, double>);
  CHECK(Flops(312e12) / FlopsPerSecond(312e12) == Seconds(1));
  CHECK(kGiB.si() == 1073741824.0);
  CHECK(kGB.si() == 1e9);
}

TEST_CASE("an element takes its bytes, with the scales of block formats") {
  CHECK(element_bytes(Precision::fp32) == 4);
  CHECK(element_bytes(Precision::tf32) == 4);
  CHECK(element_bytes(Precision::fp16) == 2);
  CHECK(element_bytes(Precision::bf16) == 2);
  CHECK(element_bytes(Precision::fp8) == 1);
  CHECK(element_bytes(Precision::mxfp8) == 1 + 1.0 / 32);
  CHECK(element_bytes(Precision::int8) == 1);
  CHECK(storage_precision(Precision::int8) == Precision::bf16);
  CHECK(element_bytes(Precision::nvfp4) == 0.5 + 1.0 / 16);
  CHECK(storage_precision(Precision::fp8) == Precision::bf16);
  CHECK(storage_precision(Precision::nvfp4) == Precision::bf16);
  CHECK(storage_precision(Precision::fp16) == Precision::fp16);
  CHECK(storage_precision(Precision::tf32) == Precision::tf32);
  CHECK(name_of(Precision::nvfp4) == "nvfp4");
}

TEST_CASE("modules are distinct bits") {
  ModuleMask all = 0;
  for (const Module m : kAllOf<Module>) {
    const ModuleMask one = mask_of(m);
    CHECK((all & one) == 0);
    all |= one;
  }
  CHECK(all == (1 << kCountOf<Module>)-1);
}

TEST_CASE("a recorded formula gives the plain number, and its tree gives it again") {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> any(0.1, 100);
  for (int i = 0; i < 200; ++i) {
    const double a = any(random);
    const double b = any(random);
    const double c = std::ceil(any(random));
    Tape tape;
    const Recording recording(tape);
    const Traced t = formula<Traced>(a, b, c);
    CHECK(t.value == formula<double>(a, b, c));
    for (std::size_t n = 0; n < tape.nodes.size(); ++n) {
      CHECK(evaluate_again(tape, static_cast<std::int32_t>(n)) == tape.nodes[n].value);
      CHECK(tape.nodes[n].left < static_cast<std::int32_t>(n));
      CHECK(tape.nodes[n].right < static_cast<std::int32_t>(n));
    }
  }
}

TEST_CASE("inputs and results keep their names and dimensions") {
  Tape tape;
  const Recording recording(tape);
  const auto bytes = lift<Traced>(Bytes(8), {"training.bytes"});
  const auto rate = lift<Traced>(BytesPerSecond(2), {"cluster.rate"});
  const SecondsOf<Traced> t = named(bytes / rate, {"time", "a paper", 3});
  const Node& node = tape.nodes[static_cast<std::size_t>(t.si().node)];
  CHECK(node.kind == NodeKind::name);
  CHECK(std::string(node.label.name) == "time");
  CHECK(std::string(node.label.source) == "a paper");
  CHECK(node.label.index == 3);
  CHECK(node.dimension == kSeconds);
  CHECK(node.value == 4);
  const Node& input = tape.nodes[static_cast<std::size_t>(bytes.si().node)];
  CHECK(input.kind == NodeKind::input);
  CHECK(input.dimension == kBytes);
}

TEST_CASE("constants fold, neutral elements vanish") {
  Tape tape;
  const Recording recording(tape);
  const Traced x = lift<Traced>(3, {"x"});
  CHECK((Traced(2) * Traced(4)).node == -1);
  CHECK((x + Traced(0)).node == x.node);
  CHECK((Traced(0) + x).node == x.node);
  CHECK((x * Traced(1)).node == x.node);
  CHECK((x / Traced(1)).node == x.node);
  CHECK((x - Traced(0)).node == x.node);
  CHECK((x * Traced(0)).value == 0);
  CHECK((Traced(0) - x).value == -3);
}

TEST_CASE("nothing is recorded outside a recording") {
  Tape tape;
  {
    const Recording recording(tape);
    lift<Traced>(1, {"x"});
  }
  const std::size_t before = tape.nodes.size();
  const Traced y = lift<Traced>(1, {"y"}) + Traced(2);
  CHECK(y.value == 3);
  CHECK(y.node == -1);
  CHECK(tape.nodes.size() == before);
}
