// SPDX-License-Identifier: Apache-2.0
#include "memory/peak_moment.h"

#include <doctest/doctest.h>

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

TEST_CASE("two layers stay on the device where activations go to the host") {
  CHECK(kept_on_device<double>(Bytes(100), Bytes(7), OffloadTarget::none) == Bytes(100));
  CHECK(kept_on_device<double>(Bytes(100), Bytes(7), OffloadTarget::host) == Bytes(14));
  CHECK(kept_on_device<double>(Bytes(9), Bytes(7), OffloadTarget::nvme) == Bytes(9));
}

}  // namespace
