// SPDX-License-Identifier: Apache-2.0
//
// Bytes of optimizer states a parameter, as their sources state them, for matrices of the shapes
// these name.
#include "memory/optimizer.h"

#include <doctest/doctest.h>

#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kMoment = 4;

double bytes_a_parameter(Optimizer o, double m, double n, double rank = 0) {
  return state_bytes_of_matrix(o, m, n, kMoment, rank) / (m * n);
}

Run trained_by(const std::string& optimizer) {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 1},
                         "training": {"sequence_length": 2048, "global_batch": 1,
                                      "states": "fp32-adam-16"},
                         "parallel": {"zero": 0, "recompute": "full"}})");
  run["training"]["optimizer"] = optimizer;
  return run_of(run);
}

double optimizer_bytes(const Run& run) { return estimate(run).memory[MemoryLine::optimizer].si(); }

}  // namespace

TEST_CASE("what the update copies leaves the device as the offloaded share does") {
  const auto memory = [](const char* offload) {
    Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "hgx-h200", "gpus": 8},
        "training": {"sequence_length": 2048, "global_batch": 16}, "framework": "generic",
        "parallel": {"tp": 8, "recompute": "full", "zero": 0}})");
    if (*offload != 0) run["parallel"]["offload"] = json_of(offload);
    return estimate(run_of(run)).memory;
  };
  const auto all = memory("");
  REQUIRE(all[MemoryLine::optimizer_working].si() > 0);
  CHECK(memory(R"({"optimizer": "host", "optimizer_fraction": 0})").peak == all.peak);
  CHECK(memory(R"({"optimizer": "host", "optimizer_fraction": 0.5})")[MemoryLine::optimizer_working]
            .si() == testing::about(all[MemoryLine::optimizer_working].si() / 2));
  CHECK(memory(R"({"optimizer": "host"})")[MemoryLine::optimizer_working] == Bytes());
}

TEST_CASE("an update copies the weights that its rank updates") {
  const auto copies = [](int zero) {
    Json run = json_of(R"({"model": "llama-2-13b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
        "training": {"sequence_length": 1024, "global_batch": 8}, "framework": "generic",
        "parallel": {"recompute": "full"}})");
    run["parallel"]["zero"] = zero;
    const auto memory = estimate(run_of(run)).memory;
    return memory[MemoryLine::optimizer_working].si();
  };
  const double all = copies(0);
  REQUIRE(all > 0);
  for (const int zero : {1, 2}) {
    const double shared = copies(zero);
    CHECK((shared == 0 || shared == testing::about(all / 8)));
  }
}

TEST_CASE("states of a matrix: one moment, two, sums of sides, preconditioners") {
  CHECK(bytes_a_parameter(Optimizer::adam, 64, 64) == 8);
  CHECK(bytes_a_parameter(Optimizer::lion, 64, 256) == 4);
  CHECK(bytes_a_parameter(Optimizer::muon, 64, 256) == 4);
  CHECK(bytes_a_parameter(Optimizer::adafactor, 64, 64) == about(4 * 128.0 / 4096));
  CHECK(bytes_a_parameter(Optimizer::soap, 64, 64) == 24);
  CHECK(bytes_a_parameter(Optimizer::soap, 64, 256) == 42);
  CHECK(bytes_a_parameter(Optimizer::galore, 64, 256, 8) ==
        about(4 * (2 * 8 * 256 + 8 * 64) / (64.0 * 256)));
  CHECK(bytes_a_parameter(Optimizer::galore, 256, 64, 8) ==
        bytes_a_parameter(Optimizer::galore, 64, 256, 8));
}

// Llama-3-8B: 128,256 × 4,096 words twice and 266,240 norms keep two moments, the rest one.
TEST_CASE("Muon's momentum stands in place of Adam's moments, but for embedding, head and norms") {
  constexpr double kAll = 8'030'261'248;
  constexpr double kAdams = 2 * 128256.0 * 4096 + 65 * 4096;
  CHECK(optimizer_bytes(trained_by("adam")) == 8 * kAll);
  CHECK(optimizer_bytes(trained_by("lion")) == 4 * kAll);
  CHECK(optimizer_bytes(trained_by("muon")) == about(4 * (kAll - kAdams) + 8 * kAdams));
  CHECK(optimizer_bytes(trained_by("adafactor")) < 0.01 * kAll);
}

// SOAP keeps 2mn moments of a matrix m × n, and m² + n² twice, all in 4 bytes.
TEST_CASE("tensor parallelism divides the preconditioners of whole matrices") {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 2048, "global_batch": 8, "states": "fp32-adam-16",
                   "optimizer": "soap"},
      "parallel": {"zero": 0, "recompute": "full"}})");
  const double alone = optimizer_bytes(run_of(run));
  constexpr double kNorms = 8 * 65 * 4096.0;  // on every rank
  const auto matrix = [](double m, double n) { return 8 * (m * n + m * m + n * n); };
  CHECK(alone == about(32 * (matrix(4096, 6144) + matrix(4096, 4096) + matrix(4096, 2 * 14336) +
                             matrix(14336, 4096)) +
                       8 * 2 * 128256.0 * 4096 + kNorms));
  run["parallel"]["tp"] = 8;
  CHECK(optimizer_bytes(run_of(run)) == about((alone - kNorms) / 8 + kNorms));
}

TEST_CASE("an update with products takes longer than one without") {
  const double adam = estimate(trained_by("adam")).breakdown[Term::optimizer].si();
  const double muon = estimate(trained_by("muon")).breakdown[Term::optimizer].si();
  const double lion = estimate(trained_by("lion")).breakdown[Term::optimizer].si();
  CHECK(lion < adam);
  CHECK(muon > adam);
}

TEST_CASE("an elementwise update of split matrices gathers none of them") {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 2048, "global_batch": 8}, "parallel": {"tp": 8}})");
  const double adam = estimate(run_of(run)).breakdown[Term::optimizer].si();
  for (const char* name : {"lion", "adafactor"}) {
    run["training"]["optimizer"] = name;
    CHECK(estimate(run_of(run)).breakdown[Term::optimizer].si() < adam);
  }
}

TEST_CASE("states of matrices on the host are read and written there") {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 2048, "global_batch": 8, "states": "fp32-adam-16",
                   "optimizer": "lion"},
      "parallel": {"recompute": "full", "offload": {"optimizer": "host"}}})");
  const Run host = run_of(run);
  const double lion = estimate(host).breakdown[Term::offload_exposed].si();
  run["training"]["optimizer"] = "adam";
  const double adam = estimate(run_of(run)).breakdown[Term::offload_exposed].si();
  // Half of Adam's moments: 4 bytes a parameter less, read and written.
  const double rate = host.cluster.host.memory_bandwidth.si() * host.cluster.host.update_share;
  CHECK(adam - lion == about(8 * 8'030'261'248.0 / rate));
  CHECK(estimate(host).breakdown[Term::optimizer].si() == 0);
  // Products run on the device, which the states must reach.
  run["training"]["optimizer"] = "muon";
  CHECK(estimate(run_of(run)).breakdown[Term::offload_exposed].si() >
        lion + 8 * 7e9 / 8 / host.cluster.device.host_link.bandwidth.si());
}

TEST_CASE("new weights go back to the drives") {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8,
          "nvme": {"read": "20 GB/s", "write": "10 GB/s"}},
      "training": {"sequence_length": 2048, "global_batch": 8},
      "parallel": {"zero": 3, "recompute": "full", "offload": {"parameters": "nvme"}}})");
  const Run fast = run_of(run);
  run["cluster"]["nvme"]["write"] = "5 GB/s";
  const double more = (estimate(run_of(run)).step_time - estimate(fast).step_time).si();
  CHECK(more == about(8'030'261'248.0 * fast.training.recipe.weights * (1 / 5e9 - 1 / 10e9)));
}
