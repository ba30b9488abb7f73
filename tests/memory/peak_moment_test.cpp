// SPDX-License-Identifier: Apache-2.0
#include "memory/peak_moment.h"

#include <doctest/doctest.h>

#include "parallel/framework.h"
#include "support/about.h"

using namespace orrery;

namespace {

ChunkActivations<double> chunk(double working, double transient, double logits) {
  ChunkActivations<double> c;
  c.working = Bytes(working);
  c.transient = Bytes(transient);
  c.logits = Bytes(logits);
  return c;
}

// Ten bytes of logits, six of them of the micro batch that goes backward.
StageActivations<double> with_logits() {
  StageActivations<double> a;
  a.logits = Bytes(10);
  return a;
}

TEST_CASE("a micro batch in backward frees its logits where a layer needs more") {
  StageActivations<double> a = with_logits();
  add_backward(a, chunk(5, 3, 6));
  CHECK(a.logits == Bytes(4));
  CHECK(a.working == Bytes(5));
  CHECK(a.transient == Bytes(3));
}

TEST_CASE("a micro batch is at its loss where its logits are more than a layer needs") {
  StageActivations<double> a = with_logits();
  add_backward(a, chunk(2, 3, 6));
  CHECK(a.logits == Bytes(10));
  CHECK(a.working == Bytes());
  CHECK(a.transient == Bytes());
}

double on_device(double kept, double stays, double moved, OffloadTarget target) {
  StageActivations<double> a;
  a.kept = Bytes(kept);
  a.stays = Bytes(stays);
  a.moved = Bytes(moved);
  return kept_on_device(a, target).si();
}

TEST_CASE("two layers stay on the device where activations go to the host") {
  CHECK(on_device(100, 0, 7, OffloadTarget::none) == 100);
  CHECK(on_device(100, 0, 7, OffloadTarget::host) == 14);
  CHECK(on_device(9, 0, 7, OffloadTarget::nvme) == 9);
}

TEST_CASE("tensors that are not named stay beside two layers of those that move") {
  CHECK(on_device(100, 40, 7, OffloadTarget::none) == 100);
  CHECK(on_device(100, 40, 7, OffloadTarget::host) == 54);
  CHECK(on_device(100, 95, 7, OffloadTarget::host) == 100);
}

// A hundred bytes at work and as many cached, on a device of so many.
StageMemory<double> settled(double capacity) {
  Framework f;
  f.allocator.activation_overhead = 1;
  StageMemory<double> m;
  m[MemoryLine::activations] = Bytes(100);
  settle<double>(m, f, Bytes(capacity));
  return m;
}

TEST_CASE("cached blocks fill a device that has room for some of them") {
  const StageMemory<double> some = settled(150);
  CHECK(is_filled_by_cache(some));
  CHECK(some.peak.si() == testing::about(150));
  CHECK(some.given_back.si() == testing::about(50));
  CHECK(some.needed == Bytes(100));
  CHECK_FALSE(is_filled_by_cache(settled(201)));  // there is room for all of them
  CHECK(settled(201).peak == Bytes(200));
  CHECK_FALSE(is_filled_by_cache(settled(90)));  // and for none
  CHECK(settled(90).peak == Bytes(100));
}

}  // namespace
