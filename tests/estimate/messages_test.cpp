// SPDX-License-Identifier: Apache-2.0
// The messages of a step are those of its lines, size by size.
#include "estimate/messages.h"

#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::with;

Json mixture() {
  return testing::json_of(R"({
    "model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 32},
    "training": {"sequence_length": 4096, "global_batch": 64},
    "parallel": {"pp": 4, "ep": 8, "recompute": "full"}, "framework": "generic"})");
}

MessageClass message(std::int64_t count, double bytes, double sent, double seconds) {
  MessageClass m;
  m.line.dimension = CommDimension::tp;
  m.line.collective = Collective::all_reduce;
  m.line.ranks = 2;
  m.line.count = count;
  m.line.bytes = Bytes(bytes);
  m.line.sent = Bytes(sent);
  m.line.time = Seconds(seconds);
  m.line.exposed = Seconds(seconds / 2);
  m.message = Bytes(100);
  m.operators = 1;
  return m;
}

}  // namespace

TEST_CASE("messages of one size are a class, whose parts add up") {
  MessageLog log;
  note(log, message(1, 10, 20, 4));
  MessageClass more = message(2, 30, 50, 6);
  more.operators = 2;
  note(log, more);
  REQUIRE(log.size() == 1);
  CHECK(log[0].line.count == 3);
  CHECK(log[0].line.bytes == Bytes(40));
  CHECK(log[0].line.sent == Bytes(70));
  CHECK(log[0].line.time == Seconds(10));
  CHECK(log[0].line.exposed == Seconds(5));
  CHECK(log[0].operators == 3);
  // One rank or none exchanges nothing, and another size is another class.
  MessageClass alone = message(1, 1, 1, 1);
  alone.line.ranks = 1;
  note(log, alone);
  note(log, message(0, 1, 1, 1));
  CHECK(log.size() == 1);
  MessageClass larger = message(1, 1, 1, 1);
  larger.message = Bytes(200);
  note(log, larger);
  CHECK(log.size() == 2);
}

TEST_CASE("the messages of each dimension add up to its lines, and to the terms of the step") {
  for (const char* change :
       {"{}", R"({"parallel": {"vpp": 2}})", R"({"parallel": {"schedule": "dualpipe"}})",
        R"({"parallel": {"tp": 2, "ep": 4, "sequence_parallel": true}})",
        R"({"framework": "fsdp", "parallel": {"pp": 1, "zero": 3}})"}) {
    CAPTURE(change);
    const Run run = testing::run_of(with(mixture(), change));
    Answer a;
    const MessageLog log = message_log(run, a);
    EnumArray<CommDimension, CommLine<double>> lines{};
    EnumArray<CommDimension, CommLine<double>> messages{};
    const auto add = [](CommLine<double>& to, const CommLine<double>& line) {
      to.count += line.count;
      to.bytes += line.bytes;
      to.sent += line.sent;
      to.time += line.time;
      to.exposed += line.exposed;
    };
    for (std::uint8_t i = 0; i < a.comm_count; ++i) add(lines[a.comm[i].dimension], a.comm[i]);
    for (const MessageClass& m : log) add(messages[m.line.dimension], m.line);
    for (const CommDimension d : kAllOf<CommDimension>) {
      CAPTURE(name_of(d));
      CHECK(messages[d].count == lines[d].count);
      CHECK(messages[d].bytes.si() == about(lines[d].bytes.si()));
      CHECK(messages[d].sent.si() == about(lines[d].sent.si()));
      CHECK(messages[d].time.si() == about(lines[d].time.si()));
      CHECK(messages[d].exposed.si() == about(lines[d].exposed.si()));
    }
    const auto shows = [&](CommDimension x, CommDimension y) {
      return (lines[x].exposed + lines[y].exposed).si();
    };
    CHECK(lines[CommDimension::ep].exposed.si() == about(a.breakdown[Term::ep_exposed].si()));
    CHECK(shows(CommDimension::tp, CommDimension::etp) ==
          about(a.breakdown[Term::tp_exposed].si()));
    CHECK(shows(CommDimension::pp, CommDimension::embedding) ==
          about(a.breakdown[Term::pp_exposed].si()));
    CHECK(shows(CommDimension::dp, CommDimension::edp) ==
          about(a.breakdown[Term::dp_exposed].si()));
  }
}

}  // namespace orrery
