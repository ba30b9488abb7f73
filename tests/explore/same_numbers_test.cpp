// SPDX-License-Identifier: Apache-2.0
//
// A search reuses prices and stages from one candidate to the next; its answers must equal those of
// `estimate` for each alone: every number, bit for bit, for 10,000 candidates drawn from whole
// spaces. The search draws them by asking for the least fingerprints of answers.
#include <doctest/doctest.h>

#include <cstring>

#include "explore/search.h"
#include "explore/space_json.h"
#include "support/runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::shipped_configs;

// FNV-1a over the bits of each value.
class Fingerprint {
 public:
  void add(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    add(bits);
  }
  template <Dimension D>
  void add(Quantity<D> x) {
    add(x.si());
  }
  template <class T, std::size_t N>
  void add(const std::array<T, N>& list) {
    for (const T& x : list) add(x);
  }
  void add(std::int64_t x) { add(static_cast<std::uint64_t>(x)); }

  // Spread evenly from 0 to 1.
  double value() const { return static_cast<double>(hash_ >> 11U) * 0x1p-53; }

 private:
  void add(std::uint64_t bits) {
    for (int i = 0; i < 8; ++i) {
      hash_ ^= bits >> (8 * i) & 0xffU;
      hash_ *= 0x100000001b3U;
    }
  }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

void add(Fingerprint& f, const StageMemory<double>& m) {
  f.add(m.lines.values);
  f.add(std::array{m.peak, m.allocated, m.reserved, m.host});
  f.add(m.bytes_per_parameter);
  f.add(m.in_flight);
}

void add(Fingerprint& f, const CommLine<double>& c) {
  f.add(std::array{static_cast<std::int64_t>(c.dimension), static_cast<std::int64_t>(c.collective),
                   static_cast<std::int64_t>(c.algorithm), static_cast<std::int64_t>(c.tier),
                   c.ranks, c.count});
  f.add(std::array{c.bytes, c.uncompressed});
  f.add(std::array{c.time, c.exposed, c.codec});
}

double fingerprint(const Answer& a) {
  Fingerprint f;
  f.add(std::array{static_cast<std::int64_t>(a.reason), a.busy_stage, a.memory_stage});
  f.add(std::array{a.step_time, a.interval_low, a.interval_high});
  f.add(a.breakdown.values);
  add(f, a.memory);
  f.add(std::array{a.capacity, a.host_needed, a.host_capacity});
  f.add(std::array{a.model_flops, a.hardware_flops});
  f.add(a.peak_rate);
  for (std::size_t i = 0; i < a.comm_count; ++i) add(f, a.comm[i]);
  return f.value();
}

MetricSource fingerprints() {
  return {{"fingerprint"}, {MetricTrend::unknown}, [](std::size_t, const Run&, const Answer& a) {
            return fingerprint(a);
          }};
}

struct Drawn {
  const char* run;
  const char* axes;
  std::size_t candidates;
};

void check_numbers(const Drawn& d) {
  Json asked = json_of(d.axes);
  asked["objective"] = {{"minimize", "fingerprint"}};
  const SearchRequest r =
      read_search(json_of(d.run), "run.json", shipped_configs(), asked, fingerprints());
  SearchOptions o;
  o.top = d.candidates;
  o.families = false;
  o.conditions = &r.conditions;
  const SearchAnswer a = search(r.space, o);
  REQUIRE(a.best.size() == d.candidates);
  std::size_t different = 0;
  for (const Found& f : a.best) {
    Run run = r.space.bases[f.place.base].run;
    run.strategy = f.strategy;
    if (fingerprint(estimate(run)) != f.objective) ++different;
  }
  CHECK(different == 0);
}

TEST_CASE("10,000 candidates have inside a search the numbers of plain estimates") {
  const Drawn gpt = {R"({"model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 512},
      "training": {"sequence_length": 2048, "global_batch": 512}, "framework": "megatron-lm"})",
                     R"({"axes": {"cp": 1, "micro_batch": [1, 4], "zero": [0, 1],
          "recompute": ["none", "selective", "full"], "offload": [{}, {"optimizer": "host"}]}})",
                     testing::kSanitized ? 400 : 4000};
  const Drawn mixtral = {R"({"model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 32},
      "training": {"sequence_length": 4096, "global_batch": 64}, "framework": "megatron-core"})",
                         R"({"axes": {"cp": 1, "micro_batch": [1, 2], "precision": ["bf16", "fp8"],
          "zero_shard_group": [2, 4], "vpp": [1, 2],
          "schedule": ["1f1b", "interleaved", "zb-h1", "dualpipev"]}})",
                         testing::kSanitized ? 600 : 6000};
  check_numbers(gpt);
  check_numbers(mixtral);
}

}  // namespace
}  // namespace orrery
