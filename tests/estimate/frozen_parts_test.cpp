// SPDX-License-Identifier: Apache-2.0
//
// Traffic of a model of which only the head trains: no pass runs backward below it.
#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Answer with_trained_head(const std::string& framework, const std::string& parallel) {
  return estimate(run_of(json_of(R"({"model": "llama-3-8b",
    "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 4096, "global_batch": 64, "micro_batch": 8,
                 "adapter": {"kind": "frozen", "trained": ["head"]}},
    "framework": ")" + framework +
                                 R"(", "parallel": )" + parallel + "}")));
}

double moved(const Answer& a, CommDimension d, Collective kind) {
  double bytes = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (a.comm[i].dimension == d && a.comm[i].collective == kind) bytes += a.comm[i].bytes.si();
  }
  return bytes;
}

}  // namespace

TEST_CASE("frozen weights below the lowest part that trains are gathered forward alone") {
  const Answer a = with_trained_head("fsdp", R"({"zero": 3, "recompute": "none"})");
  constexpr double kModel = 8030261248;
  constexpr double kHead = 128256.0 * 4096;
  CHECK(moved(a, CommDimension::dp, Collective::all_gather) ==
        about(kModel * 2 * 7 / 8).epsilon(1e-9));  // FSDP keeps the head gathered
  const Answer again = with_trained_head("generic", R"({"zero": 3, "recompute": "none"})");
  CHECK(moved(again, CommDimension::dp, Collective::all_gather) ==
        about((kModel + kHead) * 2 * 7 / 8).epsilon(1e-9));
}

TEST_CASE("a stage sends no gradient to a stage that has no backward pass") {
  const Answer a =
      with_trained_head("megatron-core", R"({"pp": 2, "zero": 0, "recompute": "none"})");
  CHECK(a.busy_stage == 1);
  CHECK(moved(a, CommDimension::pp, Collective::point_to_point) == 0);
}
