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

TEST_CASE("an update with products takes longer than one without") {
  const double adam = estimate(trained_by("adam")).breakdown[Term::optimizer].si();
  const double muon = estimate(trained_by("muon")).breakdown[Term::optimizer].si();
  const double lion = estimate(trained_by("lion")).breakdown[Term::optimizer].si();
  CHECK(lion < adam);
  CHECK(muon > adam);
}
