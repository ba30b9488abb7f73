// SPDX-License-Identifier: Apache-2.0
// The sends between parts of the model, by the layout of their chunks.
#include "estimate/boundary_sends.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/round_prices.h"
#include "estimate/sends.h"
#include "support/about.h"

namespace orrery {
namespace {

// Four stages of four GPUs on two nodes of eight: stages 1 and 2 talk over the network, and so do
// the last and the first.
Run on_two_nodes(ScheduleId schedule, int vpp = 1) {
  Run run = testing::bare_run(R"({"cluster": {"gpus": 16}, "training": {"global_batch": 32},
      "parallel": {"pp": 4, "recompute": "none"}})");
  run.strategy.schedule = schedule;
  run.strategy.vpp = vpp;
  return run;
}

Workspace with_sends(const Run& run) {
  Workspace w;
  fill_classes<double>(run, w);
  fill_sends<double>(run, w);
  return w;
}

// 0: on one stage, 1: inside a node, 2: over the network.
std::vector<int> ways(const Run& run) {
  const Workspace w = with_sends(run);
  const auto send = [&](std::int64_t from) {
    return send_cost<double>(run, w.prices.placement, from).time;
  };
  REQUIRE(send(1) > send(0));
  std::vector<int> out;
  for (const Seconds& s : w.send_forward) {
    out.push_back(s == Seconds() ? 0 : s == send(0) ? 1 : s == send(1) ? 2 : 3);
  }
  CHECK(w.send_backward == w.send_forward);
  return out;
}

// Messages that stages send in a step, as the line of this stage counts them.
std::int64_t sends_of(const Run& run, std::int64_t stage) {
  const Workspace w = with_sends(run);
  Answer a;
  add_send_lines<double>(run, w, stage, 1, Seconds(5), {a, nullptr});
  return a.comm_count == 0 ? 0 : a.comm[0].count;
}

std::vector<std::int64_t> all_sends(const Run& run) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) all.push_back(sends_of(run, i));
  return all;
}

}  // namespace

TEST_CASE("parts in a row send from stage to stage, and looped ones from the last to the first") {
  CHECK(ways(on_two_nodes(ScheduleId::one_f_one_b)) == std::vector<int>{1, 2, 1});
  CHECK(ways(on_two_nodes(ScheduleId::interleaved, 2)) == std::vector<int>{1, 2, 1, 2, 1, 2, 1});
}

TEST_CASE("a V turns on the last stage without a send and comes back the same way") {
  CHECK(ways(on_two_nodes(ScheduleId::zb_v, 2)) == std::vector<int>{1, 2, 1, 0, 1, 2, 1});
}

TEST_CASE("parts that go both ways wait for the slower of the two") {
  CHECK(ways(on_two_nodes(ScheduleId::dualpipe)) == std::vector<int>{1, 2, 1});
}

TEST_CASE("a stage sends to each neighbour but beyond the ends of the model") {
  using Sends = std::vector<std::int64_t>;
  CHECK(all_sends(on_two_nodes(ScheduleId::one_f_one_b)) == Sends{1, 2, 2, 1});
  // Two chunks: from the last stage on to the first, and from there back.
  CHECK(all_sends(on_two_nodes(ScheduleId::interleaved, 2)) == Sends{3, 4, 4, 3});
  // In a V the last stage hands its first chunk to itself.
  CHECK(all_sends(on_two_nodes(ScheduleId::zb_v, 2)) == Sends{2, 4, 4, 2});
  CHECK(all_sends(on_two_nodes(ScheduleId::dualpipe)) == Sends{2, 4, 4, 2});
}

TEST_CASE("what sends add to a step is shared by message and gather") {
  Run run = on_two_nodes(ScheduleId::one_f_one_b);
  run.strategy.tp = 2;
  run.strategy.dp = 2;
  run.framework.pipeline.scatter_gather = true;
  const Workspace w = with_sends(run);
  Answer a;
  CHECK(add_send_lines<double>(run, w, 1, 8, Seconds(5), {a, nullptr}) == Seconds(5));
  REQUIRE(a.comm_count == 2);
  CHECK(a.comm[0].collective == Collective::point_to_point);
  CHECK(a.comm[0].ranks == 2);
  CHECK(a.comm[0].count == 2 * 8);
  CHECK(a.comm[1].collective == Collective::all_gather);
  CHECK(a.comm[1].ranks == 2);
  CHECK(a.comm[1].count == 2 * 8);
  CHECK((a.comm[0].exposed + a.comm[1].exposed).si() == testing::about(5.0));
  CHECK(a.comm[0].exposed / a.comm[1].exposed == testing::about(a.comm[0].time / a.comm[1].time));
}

// A frozen embedding and three frozen layers: nothing goes back to them.
TEST_CASE("no gradient goes back to a part below the first that trains") {
  Run run = on_two_nodes(ScheduleId::one_f_one_b);
  Workspace w = with_sends(run);
  const std::vector<Seconds> both = w.send_backward;
  for (const std::size_t c : {0, 1}) w.classes[c].runs_backward = false;
  fill_sends<double>(run, w);
  // Classes: the first stage, the two inner ones, the last.
  CHECK(w.send_forward == both);
  CHECK(w.send_backward == std::vector<Seconds>{Seconds(), Seconds(), Seconds()});
  CHECK_FALSE(takes_gradient<double>(w, 2));
  CHECK(takes_gradient<double>(w, 3));
  w.classes[1].runs_backward = true;
  fill_sends<double>(run, w);
  CHECK(w.send_backward == std::vector<Seconds>{Seconds(), both[1], both[2]});
  Answer a;
  add_send_lines<double>(run, w, 1, 1, Seconds(5), {a, nullptr});
  CHECK(a.comm[0].count == 1);
}

}  // namespace orrery
