// SPDX-License-Identifier: Apache-2.0
#include "parallel/partition.h"

#include <doctest/doctest.h>

using namespace orrery;

namespace {

// 16 replicas of a dense parameter; tp·cp·dp / (ep·etp) = 32/ep of an expert's.
Strategy with_experts(std::int64_t ep) {
  Strategy s;
  s.tp = 2;
  s.cp = 2;
  s.dp = 8;
  s.ep = ep;
  s.etp = 1;
  s.partition = {16, 4, 1};
  return s;
}

TEST_CASE("what all dense replicas share, all replicas of an expert share") {
  const Partition p = partition_of(with_experts(4), ShardedStates::expert);
  CHECK(replicas(with_experts(4), ShardedStates::expert) == 8);
  CHECK(p.weights == 8);
  CHECK(p.gradients == 4);
  CHECK(p.optimizer == 1);
  CHECK(partition_of(with_experts(16), ShardedStates::expert).gradients == 2);
  CHECK(partition_of(with_experts(4), ShardedStates::dense).weights == 16);
}

TEST_CASE("the second copy of hpZ is over as many replicas of an expert as there are") {
  Strategy s = with_experts(4);
  CHECK(secondary_of(s, ShardedStates::dense) == 0);
  s.zeropp.hpz = 4;
  CHECK(secondary_of(s, ShardedStates::dense) == 4);
  CHECK(secondary_of(s, ShardedStates::expert) == 4);
  s.ep = 16;
  CHECK(secondary_of(s, ShardedStates::expert) == 2);
  s.ep = 32;  // one replica: nothing to share
  CHECK(secondary_of(s, ShardedStates::expert) == 0);
}

}  // namespace
