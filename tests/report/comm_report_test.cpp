// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "network/volume.h"
#include "report/comm.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "support/about.h"
#include "support/sample_runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

CommReport comm_of(const Json& run) { return comm_report_on(resolved(run)); }

bool belongs(const MessageClass& m, const CommLine<double>& l) {
  return m.line.dimension == l.dimension && m.line.collective == l.collective &&
         m.line.ranks == l.ranks && m.line.tier == l.tier;
}

// Sums differ by the order of additions alone.
doctest::Approx summed(double x) { return testing::about(x).epsilon(1e-12); }

void check_line(const CommReport& r, const CommLine<double>& l) {
  CommLine<double> sum;
  for (const MessageClass& m : r.messages) {
    if (!belongs(m, l)) continue;
    sum.count += m.line.count;
    sum.bytes += m.line.bytes;
    sum.time += m.line.time;
    sum.exposed += m.line.exposed;
  }
  CHECK(sum.count == l.count);
  CHECK(sum.bytes.si() == summed(l.bytes.si()));
  CHECK(sum.time.si() == summed(l.time.si()));
  CHECK(sum.exposed.si() == summed(l.exposed.si()));
}

std::vector<double> sizes(const CommReport& r, CommDimension d, Collective c) {
  std::vector<double> list;
  for (const MessageClass* m : messages_between(r, d, c)) list.push_back(m->message.si());
  return list;
}

}  // namespace

TEST_CASE("message classes add up to the lines of the estimate, in every run") {
  std::vector<Json> runs = sample_runs();
  runs.push_back(with(llama(), R"({"parallel": {"zero": 3,
                                   "zeropp": {"qwz": 8, "hpz": 8, "qgz": 4}}})"));
  runs.push_back(with(llama(), R"({"parallel": {"partition": {"weights": 2, "gradients": 8,
                                                              "optimizer": 64}}})"));
  for (const Json& run : runs) {
    const CommReport r = comm_of(run);
    CAPTURE(run.dump());
    std::int64_t messages = 0;
    std::int64_t lines = 0;
    for (std::uint8_t i = 0; i < r.run.answer.comm_count; ++i) {
      check_line(r, r.run.answer.comm[i]);
      lines += r.run.answer.comm[i].count;
    }
    for (const MessageClass& m : r.messages) messages += m.line.count;
    CHECK(messages == lines);  // none is left over
    CHECK(lines > 0);
  }
}

TEST_CASE("asking for message sizes does not move the answer") {
  for (const Json& run : sample_runs()) {
    const Run resolved_run = run_of(run);
    Answer logged;
    message_log(resolved_run, logged);
    const Answer plain_answer = estimate(resolved_run);
    CHECK(logged.step_time == plain_answer.step_time);
    CHECK(logged.comm_count == plain_answer.comm_count);
    for (std::uint8_t i = 0; i < logged.comm_count; ++i) {
      CHECK(logged.comm[i].bytes == plain_answer.comm[i].bytes);
      CHECK(logged.comm[i].exposed == plain_answer.comm[i].exposed);
    }
  }
}

TEST_CASE("a class's bytes are its count times what its collective puts on the wire") {
  for (const Json& run : sample_runs()) {
    for (const MessageClass& m : comm_of(run).messages) {
      const Bytes one = bytes_on_wire<double>(m.line.collective, m.line.ranks, m.message);
      CHECK(m.line.bytes.si() == summed(one.si() * static_cast<double>(m.line.count)));
      CHECK(busbw_of(m).si() == summed(one / time_of_one(m) / BytesPerSecond(1)));
      CHECK(algbw_of(m).si() == summed(m.message / time_of_one(m) / BytesPerSecond(1)));
    }
  }
}

TEST_CASE("no class stands twice") {
  for (const Json& run : sample_runs()) {
    std::set<std::tuple<CommDimension, Collective, std::int64_t, std::uint8_t, Algorithm, double>>
        seen;
    for (const MessageClass& m : comm_of(run).messages) {
      const auto key = std::make_tuple(m.line.dimension, m.line.collective, m.line.ranks,
                                       m.line.tier, m.line.algorithm, m.message.si());
      CHECK(seen.insert(key).second);
    }
  }
}

// Tensor parallel without sequence parallelism: bsh of layers, and 4 bytes a token in the loss.
TEST_CASE("messages of several sizes in one collective are classes of their own") {
  const CommReport r = comm_of(
      with(llama(), R"({"parallel": {"tp": 8, "sequence_parallel": false, "recompute": "none"}})"));
  const double tokens = 8192;
  const auto all_reduce = messages_between(r, CommDimension::tp, Collective::all_reduce);
  REQUIRE(all_reduce.size() == 2);
  CHECK(all_reduce[0]->message.si() == tokens * 4096 * 2);
  CHECK(all_reduce[1]->message.si() == tokens * 4);
  const std::int64_t m = 256 / 8;
  CHECK(all_reduce[0]->line.count == m * (4 * 32 + 2));  // layers; embedding, head
  CHECK(all_reduce[1]->line.count == m * 3);
  CHECK(operators_of(*all_reduce[1]) == std::vector<std::string>{"loss"});
}

// ZeRO-3: a gather for each layer, embedding and head, of that block's own size, twice a micro
// batch; layers alike are one class.
TEST_CASE("sharded weights are gathered block by block") {
  const CommReport r = comm_of(with(llama(), R"({"framework": "generic",
      "parallel": {"zero": 3, "tp": 1, "recompute": "none"}})"));
  const double layer = 218112000;  // 4096·(4096 + 2·1024 + 4096 + 3·14336) + 2·4096 parameters
  const double table = 128256.0 * 4096;
  const std::vector<double> gathered = sizes(r, CommDimension::dp, Collective::all_gather);
  REQUIRE(gathered.size() == 3);
  CHECK(gathered[0] == (table + 4096) * 2);  // head and final norm
  CHECK(gathered[1] == table * 2);
  CHECK(gathered[2] == layer * 2);
  const auto classes = messages_between(r, CommDimension::dp, Collective::all_gather);
  CHECK(classes[2]->line.count == 2 * 32 * 256 / 64);
}

namespace {

struct Sent {
  double bytes = 0;  // of one message
  std::int64_t count = 0;

  bool operator==(const Sent&) const = default;
};

std::vector<Sent> sent_by(const Json& run, Collective c) {
  std::vector<Sent> list;
  const CommReport r = comm_of(run);
  for (const MessageClass* m : messages_between(r, CommDimension::dp, c)) {
    list.push_back({m->message.si(), m->line.count});
  }
  return list;
}

Json sharded(const std::string& framework, int batch) {
  Json run = with(llama(), R"({"parallel": {"tp": 1, "zero": 3, "zero_shard_group": 8}})");
  run["framework"] = framework;
  run["training"]["global_batch"] = batch;
  return run;
}

// Parameters of Llama 3 8B.
constexpr double kLayer = 218112000;
constexpr double kTable = 128256.0 * 4096;
constexpr double kHead = kTable + 4096;

}  // namespace

// Units of FSDP: each shard of a gradient is summed over 64/8 groups after every backward pass.
TEST_CASE("FSDP sums groups of shards in every micro batch, DeepSpeed once a step") {
  for (const std::int64_t m : {2, 16}) {
    const int batch = static_cast<int>(64 * m);
    const double fp32 = 4.0 / 8;  // of a shard
    CHECK(sent_by(sharded("torchtitan", batch), Collective::all_reduce) ==
          std::vector<Sent>{{kHead * fp32, m}, {kTable * fp32, m}, {kLayer * fp32, 32 * m}});
    const double bf16 = 2.0 / 8;
    CHECK(sent_by(sharded("fsdp", batch), Collective::all_reduce) ==
          std::vector<Sent>{{kHead * bf16, m}, {kTable * bf16, m}, {kLayer * bf16, 32 * m}});
  }
  const auto once = [](int batch) {
    return sent_by(sharded("deepspeed", batch), Collective::all_reduce);
  };
  CHECK(once(128) == once(1024));
}

TEST_CASE("a step takes as long as the sums over groups of shards that it hides") {
  Json run = sharded("torchtitan", 1024);
  run["cluster"]["node"] = "p4d-24xlarge";
  run["training"]["sequence_length"] = 512;
  const CommReport r = comm_of(run);
  Seconds sums{};
  for (const MessageClass* m : messages_between(r, CommDimension::dp, Collective::all_reduce)) {
    sums += m->line.time;
  }
  CHECK(sums > 0.5 * r.run.answer.step_time);
  CHECK(r.run.answer.step_time > sums);
}

TEST_CASE("two copies of the model reduce what one does: each sees half of the micro batches") {
  const auto bytes = [](const char* schedule) {
    Json run =
        with(llama(), R"({"framework": "generic", "parallel": {"tp": 1, "pp": 4, "zero": 2}})");
    run["parallel"]["schedule"] = schedule;
    const CommReport r = comm_of(run);
    double sum = 0;
    for (const MessageClass* m :
         messages_between(r, CommDimension::dp, Collective::reduce_scatter)) {
      sum += m->line.bytes.si();
    }
    return sum;
  };
  const double once = bytes("1f1b");
  CHECK(once > 0);
  CHECK(bytes("dualpipe") == testing::about(once).epsilon(0.3));
}

// FSDP's root unit is gathered once a micro batch; torchtitan keeps only the head gathered.
TEST_CASE("blocks that stay gathered are gathered once a micro batch") {
  const std::int64_t m = 256 / 64;
  CHECK(sent_by(sharded("fsdp", 256), Collective::all_gather) ==
        std::vector<Sent>{{kHead * 2, m}, {kTable * 2, m}, {kLayer * 2, 2 * 32 * m}});
  CHECK(sent_by(sharded("torchtitan", 256), Collective::all_gather) ==
        std::vector<Sent>{{kHead * 2, m}, {kTable * 2, 2 * m}, {kLayer * 2, 2 * 32 * m}});
}

TEST_CASE("a GPU sends S of an all-reduce in the switch, and busbw counts a ring's bytes") {
  const CommReport r = comm_of(
      with(llama(), R"({"parallel": {"tp": 8, "sequence_parallel": false, "recompute": "none"}})"));
  const MessageClass& m = *messages_between(r, CommDimension::tp, Collective::all_reduce).front();
  REQUIRE(m.line.algorithm == Algorithm::in_switch);
  CHECK(m.line.sent.si() == summed(m.message.si() * static_cast<double>(m.line.count)));
  CHECK(busbw_of(m).si() == summed(algbw_of(m).si() * 2 * 7 / 8));
  const Json j = comm_json(r).at("messages").at(0);
  CHECK(j.at("bytes_per_message").get<double>() == summed(j.at("message_bytes").get<double>()));
}

TEST_CASE("the histogram holds every message once, in the bin of its size") {
  for (const Json& run : sample_runs()) {
    const CommReport r = comm_of(run);
    std::vector<const MessageClass*> all;
    std::int64_t count = 0;
    for (const MessageClass& m : r.messages) {
      all.push_back(&m);
      count += m.line.count;
      const int exponent = histogram({&m})[0].exponent;
      CHECK(std::ldexp(1, exponent) <= m.message.si());
      CHECK(m.message.si() < std::ldexp(1, exponent + 1));
    }
    std::int64_t binned = 0;
    for (const SizeBin& bin : histogram(all)) binned += bin.count;
    CHECK(binned == count);
  }
}

TEST_CASE("sizes of bins read as binary units") {
  CHECK(power_of_two_text(0) == "1 B");
  CHECK(power_of_two_text(9) == "512 B");
  CHECK(power_of_two_text(10) == "1 KiB");
  CHECK(power_of_two_text(24) == "16 MiB");
  CHECK(power_of_two_text(39) == "512 GiB");
  CHECK(power_of_two_text(-1) == "0.5 B");
}

TEST_CASE("the JSON repeats the estimate's lines and totals them") {
  const CommReport r = comm_of(gpt3());
  const Json j = comm_json(r);
  CHECK(j.at("communication") == estimate_json(r.run).at("communication"));
  double sent = 0;
  double exposed = 0;
  for (const Json& line : j.at("communication")) {
    sent += line.at("bytes_per_gpu").get<double>();
    exposed += line.at("exposed_s").get<double>();
  }
  CHECK(j.at("totals").at("bytes_per_gpu").get<double>() == summed(sent));
  CHECK(j.at("totals").at("exposed_s").get<double>() == summed(exposed));
  CHECK(j.at("totals").at("dp").at("all_to_all").at("count") == 0);
  CHECK(j.at("totals").at("pp").at("point_to_point").at("count") == 96);
  check_finite(j);
}
