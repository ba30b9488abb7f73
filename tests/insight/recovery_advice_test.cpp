// SPDX-License-Identifier: Apache-2.0
#include "insight/recovery_advice.h"

#include <doctest/doctest.h>

#include "support/about.h"

namespace orrery {
namespace {

PolicyAnswer policy(const char* name, double days, std::optional<double> cost) {
  PolicyAnswer p;
  p.name = name;
  p.outcome.wall = kDay * days;
  if (cost) p.outcome.cost = Money(*cost, Currency());
  return p;
}

TEST_CASE("the policy that costs least is advised") {
  OptionAnswer o;
  o.policies = {policy("requeue", 100, 10e6), policy("hot-standby", 95, 9.6e6),
                policy("memory-copies", 94, 9.7e6)};
  const auto b = better_policy(o);
  REQUIRE(b);
  CHECK(b->policy->name == "hot-standby");
  CHECK(b->sooner / kDay == testing::about(5.0));
  CHECK(b->cheaper->amount() == testing::about(0.4e6));
}

TEST_CASE("without prices the policy that ends first is advised, and none beside the first") {
  OptionAnswer o;
  o.policies = {policy("requeue", 100, {}), policy("memory-copies", 94, {})};
  CHECK(better_policy(o)->policy->name == "memory-copies");
  o.policies = {policy("memory-copies", 94, {}), policy("requeue", 100, {})};
  CHECK_FALSE(better_policy(o));
  o.policies = {policy("requeue", 100, {}), policy("replicas", 50, {})};
  o.policies[1].applies = false;
  CHECK_FALSE(better_policy(o));
}

TEST_CASE("a policy under which the run never ends is not advised, however little it costs") {
  OptionAnswer o;
  o.policies = {policy("requeue", 100, 10e6), policy("elastic-dp", 90, 9e6)};
  o.policies[1].outcome.goodput.total = 2 * kMostStretch;
  CHECK_FALSE(ends(o.policies[1]));
  CHECK_FALSE(better_policy(o));
}

// By hand: 64 nodes lose one each 10 hours for 5 hours: a load of 0.5. Without spares training
// waits 0.5/1.5 of the time, so that a second takes 1.5 as long; 3 spares wait 1.58e-3 of it. They
// cost 3/64 of the job, which half of its days more pays for after 9.4 % of the run.
TEST_CASE("spares pay back as the waits that they save add up") {
  OptionAnswer o;
  OutcomeInputs& in = o.inputs;
  in.cluster.gpus = 64 * 8;
  in.cluster.devices_per_node = 8;
  in.training = exactly(kDay * 100.0);
  in.stretches = {Stretch{"", 1, Bytes(), Seconds(10)}};
  FailureClass c;
  c.rate = PerSecond(1 / 36000.0 / 512);
  c.nodes = 1;
  in.interruptions.classes = {c};
  in.interruptions.repair = Seconds(18000);
  in.spares = 3;
  o.outcome = outcome_of(in);
  const auto w = worth_of_spares(o);
  REQUIRE(w);
  CHECK(w->spares == 3);
  CHECK(w->saved / o.outcome.wall == testing::about(0.4976).epsilon(1e-3));
  CHECK(*w->paid_back / o.outcome.wall == testing::about(3.0 / 64 / 0.4976).epsilon(1e-3));
}

}  // namespace
}  // namespace orrery
