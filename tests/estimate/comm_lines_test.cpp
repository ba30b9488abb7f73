// SPDX-License-Identifier: Apache-2.0
// Lines of communication added up by hand, and the switches of overlap.
#include "estimate/comm_lines.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "estimate/overlap.h"
#include "parallel/strategy_request.h"
#include "support/about.h"

namespace orrery {
namespace {

CollectiveCost<double> round_cost() {
  CollectiveCost<double> c;
  c.time = Seconds(3);
  c.bytes_per_rank = Bytes(70);
  c.algorithm = Algorithm::tree;
  c.tier = 1;
  c.message = Bytes(80);
  c.codec = Seconds(1);
  c.ratio = 4;
  c.sent = Bytes(60);
  return c;
}

CommLine<double> line_of(std::int64_t ranks, std::int64_t count) {
  return entry_of<double>(CommDimension::dp, Collective::all_gather, round_cost(), ranks, count,
                          Seconds(0.5));
}

}  // namespace

TEST_CASE("a line is one collective so many times, and what shows of it in all") {
  const CommLine<double> line = line_of(8, 5);
  CHECK(line.dimension == CommDimension::dp);
  CHECK(line.collective == Collective::all_gather);
  CHECK(line.algorithm == Algorithm::tree);
  CHECK(line.tier == 1);
  CHECK(line.ranks == 8);
  CHECK(line.count == 5);
  CHECK(line.bytes == Bytes(350));
  CHECK(line.uncompressed == Bytes(1400));
  CHECK(line.sent == Bytes(300));
  CHECK(line.time == Seconds(15));
  CHECK(line.codec == Seconds(5));
  CHECK(line.exposed == Seconds(0.5));
}

TEST_CASE("lines alike add up, each of their numbers") {
  Answer a;
  add_line(a, line_of(8, 5));
  add_line(a, line_of(8, 2));
  REQUIRE(a.comm_count == 1);
  const CommLine<double>& sum = a.comm[0];
  CHECK(sum.count == 7);
  CHECK(sum.bytes == Bytes(490));
  CHECK(sum.uncompressed == Bytes(1960));
  CHECK(sum.sent == Bytes(420));
  CHECK(sum.time == Seconds(21));
  CHECK(sum.codec == Seconds(7));
  CHECK(sum.exposed == Seconds(1));
}

TEST_CASE("lines of another dimension, collective, group or tier stand apart") {
  Answer a;
  add_line(a, line_of(8, 1));
  for (int i = 0; i < 4; ++i) {
    CommLine<double> other = line_of(8, 1);
    if (i == 0) other.dimension = CommDimension::edp;
    if (i == 1) other.collective = Collective::reduce_scatter;
    if (i == 2) other.ranks = 4;
    if (i == 3) other.tier = 0;
    CHECK_FALSE(is_same_line(a.comm[0], other));
    add_line(a, other);
    add_line(a, other);
  }
  CHECK(a.comm_count == 5);
  for (std::uint8_t i = 1; i < 5; ++i) CHECK(a.comm[i].count == 2);
  CommLine<double> algorithm = line_of(8, 1);
  algorithm.algorithm = Algorithm::ring;
  CHECK(is_same_line(a.comm[0], algorithm));
}

TEST_CASE("nothing is a line of one rank, or of no collective") {
  Answer a;
  add_line(a, line_of(1, 5));
  add_line(a, line_of(8, 0));
  CHECK(a.comm_count == 0);
  add_line(a, line_of(2, 1));
  CHECK(a.comm_count == 1);
}

TEST_CASE("a line is noted with the size of its messages where a log is kept") {
  Answer a;
  MessageLog log;
  add_line<double>({a, &log}, line_of(8, 5), Bytes(80));
  REQUIRE(log.size() == 1);
  CHECK(log[0].message == Bytes(80));
  CHECK(log[0].line.count == 5);
  CHECK(log[0].operators == 0);
  add_line<double>({a, nullptr}, line_of(8, 5), Bytes(80));
  CHECK(log[0].line.count == 5);
  CHECK(a.comm[0].count == 10);
}

namespace {

Framework framework_that_hides() {
  Framework f;
  f.overlap.tp_exposed = 0.5;
  f.overlap.tp_backward = true;
  f.overlap.ep_exposed = 0.75;
  f.overlap.ep_exposed_interleaved = 0.25;
  f.overlap.cp = true;
  f.overlap.grad_reduce = true;
  f.overlap.param_gather = true;
  return f;
}

FrameworkOverlap overlap_of(const OverlapRequest& q, Framework f = framework_that_hides()) {
  apply_overlap(q, "run.json", f);
  return f.overlap;
}

template <class Change>
bool refuses(const OverlapRequest& q, Change&& change) {
  Framework f = framework_that_hides();
  change(f.overlap);
  try {
    apply_overlap(q, "run.json", f);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace

TEST_CASE("an overlap that is not asked for is the framework's") {
  const FrameworkOverlap o = overlap_of({});
  CHECK(o.tp_exposed == 0.5);
  CHECK(o.tp_backward);
  CHECK(o.ep_exposed == 0.75);
  CHECK(o.ep_exposed_interleaved == 0.25);
  CHECK(o.cp);
  CHECK(o.grad_reduce);
  CHECK(o.param_gather);
}

TEST_CASE("an overlap that is switched off shows whole, and no other does") {
  OverlapRequest q;
  q.grad_reduce = false;
  CHECK_FALSE(overlap_of(q).grad_reduce);
  CHECK(overlap_of(q).param_gather);
  q = {};
  q.param_gather = false;
  CHECK_FALSE(overlap_of(q).param_gather);
  CHECK(overlap_of(q).grad_reduce);
  q = {};
  q.cp = false;
  CHECK_FALSE(overlap_of(q).cp);
  CHECK(overlap_of(q).tp_exposed == 0.5);
  q = {};
  q.tp = false;
  CHECK(overlap_of(q).tp_exposed == 1);
  CHECK_FALSE(overlap_of(q).tp_backward);
  CHECK(overlap_of(q).ep_exposed == 0.75);
  q = {};
  q.ep = false;
  CHECK(overlap_of(q).ep_exposed == 1);
  CHECK(overlap_of(q).ep_exposed_interleaved == 1);
  CHECK(overlap_of(q).tp_exposed == 0.5);
}

TEST_CASE("an overlap that the framework lacks is refused, in any of its forms it is not") {
  OverlapRequest tp;
  tp.tp = true;
  CHECK(overlap_of(tp).tp_exposed == 0.5);
  CHECK_FALSE(refuses(tp, [](FrameworkOverlap& o) { o.tp_exposed = 1; }));
  CHECK_FALSE(refuses(tp, [](FrameworkOverlap& o) { o.tp_backward = false; }));
  CHECK(refuses(tp, [](FrameworkOverlap& o) {
    o.tp_exposed = 1;
    o.tp_backward = false;
  }));
  OverlapRequest ep;
  ep.ep = true;
  CHECK_FALSE(refuses(ep, [](FrameworkOverlap& o) { o.ep_exposed = 1; }));
  CHECK_FALSE(refuses(ep, [](FrameworkOverlap& o) { o.ep_exposed_interleaved = 1; }));
  CHECK(refuses(ep, [](FrameworkOverlap& o) { o.ep_exposed = o.ep_exposed_interleaved = 1; }));
}

}  // namespace orrery
