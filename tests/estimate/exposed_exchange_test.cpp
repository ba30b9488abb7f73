// SPDX-License-Identifier: Apache-2.0
//
// The exposed time of an exchange beside the compute that covers it, by hand.
#include "estimate/exposed_exchange.h"

#include <doctest/doctest.h>

#include <initializer_list>

#include "cost/operator_time.h"
#include "estimate/run.h"
#include "parallel/shard.h"

using namespace orrery;

namespace {

Exchange exchange(Pass pass, Cover cover) {
  Exchange e;
  e.pass = pass;
  e.cover = cover;
  return e;
}

ShardedOperator operator_with(std::initializer_list<Exchange> exchanges) {
  ShardedOperator op;
  for (const Exchange& e : exchanges) op.exchanges[op.exchange_count++] = e;
  return op;
}

constexpr OperatorTime<double> kTime = {Seconds(8), Seconds(6), Seconds(4)};

// Seconds that show of an exchange of 7 s, the first of the operator's.
double shown(const ShardedOperator& op, const Run& run, std::uint8_t tier = 0) {
  const Exchange& e = op.exchanges[0];
  return exposed_part<double>(e, Seconds(7), tier, cover_of(op, e, kTime), run).si();
}

}  // namespace

TEST_CASE("an exchange shows by as much as it is longer than its cover") {
  Run run;
  run.framework.overlap.tp_backward = true;
  run.framework.overlap.cp = true;
  run.framework.overlap.tp_exposed = 0.5;
  const auto alone = [&](Pass pass, Cover cover) {
    return shown(operator_with({exchange(pass, cover)}), run);
  };
  CHECK(alone(Pass::backward, Cover::weight_gradient) == 7 - 4);
  CHECK(alone(Pass::backward, Cover::input_gradient) == 7 - 6);
  CHECK(alone(Pass::backward, Cover::attention) == 7 - 6);
  CHECK(alone(Pass::forward, Cover::attention) == 0);  // 8 s of attention
  CHECK(alone(Pass::forward, Cover::none) == 7 * 0.5);
  // The other gradient comes in a later step where backward is two.
  run.strategy.schedule = ScheduleId::zb_h1;
  CHECK(alone(Pass::backward, Cover::weight_gradient) == 7 * 0.5);
  CHECK(alone(Pass::backward, Cover::input_gradient) == 7 - 6);
  run.framework.overlap.tp_backward = false;
  CHECK(alone(Pass::backward, Cover::input_gradient) == 7 * 0.5);
}

TEST_CASE("exchanges of one pass share a cover evenly") {
  Run run;
  run.framework.overlap.cp = true;
  const Exchange backward = exchange(Pass::backward, Cover::attention);
  const Exchange forward = exchange(Pass::forward, Cover::attention);
  CHECK(shown(operator_with({backward, backward, forward}), run) == 7 - 6 / 2);
  CHECK(shown(operator_with({forward, backward, backward}), run) == 0);
}

TEST_CASE("tensor parallelism hides its copies over the links of a node, and none over a fabric") {
  Run run;
  run.framework.overlap.tp_exposed = 0.5;
  run.cluster.tiers[0].kind = TierKind::nvswitch;
  run.cluster.tiers[1].kind = TierKind::infiniband;
  const ShardedOperator op = operator_with({exchange(Pass::forward, Cover::none)});
  CHECK(shown(op, run, 0) == 7 * 0.5);
  CHECK(shown(op, run, 1) == 7);
}
