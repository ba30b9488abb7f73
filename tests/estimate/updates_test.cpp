// SPDX-License-Identifier: Apache-2.0
// Products and states of updates that follow the shapes of matrices, summed by hand.
#include "estimate/updates.h"

#include <doctest/doctest.h>

#include "cost/product.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "estimate/update_time.h"
#include "memory/optimizer.h"
#include "network/collective_cost.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

constexpr std::int64_t kRows = 2048;
constexpr std::int64_t kCols = 6144;

Device h100() {
  return testing::run_of(testing::json_of(R"({"model": "llama-3-8b",
      "cluster": {"node": "dgx-h100", "gpus": 1},
      "training": {"sequence_length": 2048, "global_batch": 1}})"))
      .cluster.device;
}

double product(const Device& d, Precision p, std::int64_t rows, std::int64_t inner,
               std::int64_t cols) {
  return product_time<double>({rows, cols, inner}, d, p).si();
}

double update(Optimizer o, std::int64_t m, std::int64_t n, const Device& d, std::int64_t rank = 0) {
  return update_products_time(o, m, n, rank, d).si();
}

Device without(Device d, Precision p) {
  d.peak[p] = FlopsPerSecond();
  return d;
}

}  // namespace

// Five times X·Xᵀ of a × b, its square, and that times X: a is the shorter side.
TEST_CASE(
    "Newton-Schulz multiplies a matrix, its square of the shorter side, and both, five times") {
  const Device d = h100();
  const auto steps = [&](Precision p) {
    return 5 * (product(d, p, kRows, kCols, kRows) + product(d, p, kRows, kRows, kRows) +
                product(d, p, kRows, kRows, kCols));
  };
  CHECK(update(Optimizer::muon, kRows, kCols, d) == testing::about(steps(Precision::bf16)));
  CHECK(update(Optimizer::muon, kCols, kRows, d) == testing::about(steps(Precision::bf16)));
  CHECK(update(Optimizer::muon, kRows, kCols, without(d, Precision::bf16)) ==
        testing::about(steps(Precision::fp16)));
}

// A pair is m × m and n × n times the matrix: Shampoo's two, SOAP's five.
TEST_CASE("preconditioners multiply a matrix from both sides") {
  const Device d = h100();
  const auto pair = [&](Precision p) {
    return product(d, p, kRows, kRows, kCols) + product(d, p, kRows, kCols, kCols);
  };
  CHECK(update(Optimizer::shampoo, kRows, kCols, d) == testing::about(2 * pair(Precision::tf32)));
  CHECK(update(Optimizer::soap, kRows, kCols, d) == testing::about(5 * pair(Precision::tf32)));
  CHECK(update(Optimizer::soap, kRows, kCols, without(d, Precision::tf32)) ==
        testing::about(5 * pair(Precision::fp32)));
}

TEST_CASE("GaLore projects a gradient on the shorter side and back, at its rank or all of it") {
  const Device d = h100();
  const auto both_ways = [&](std::int64_t rank, Precision p = Precision::bf16) {
    return 2 * product(d, p, rank, kRows, kCols);
  };
  CHECK(update(Optimizer::galore, kRows, kCols, d, 128) == testing::about(both_ways(128)));
  CHECK(update(Optimizer::galore, kCols, kRows, d, 128) == testing::about(both_ways(128)));
  CHECK(update(Optimizer::galore, kRows, kCols, d, 100000) == testing::about(both_ways(kRows)));
  CHECK(update(Optimizer::galore, kRows, kCols, without(d, Precision::bf16), 128) ==
        testing::about(both_ways(128, Precision::fp16)));
}

TEST_CASE("elementwise updates multiply no matrices") {
  for (const Optimizer o :
       {Optimizer::adam, Optimizer::sgd, Optimizer::lion, Optimizer::adafactor}) {
    CHECK(update(o, kRows, kCols, h100()) == 0);
  }
}

namespace {

Run updated_by(const char* optimizer, int tp = 1, const char* model = "llama-3-8b") {
  Json run = testing::json_of(R"({"cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 2048, "global_batch": 8, "states": "fp32-adam-16"},
      "parallel": {"zero": 0, "recompute": "full"}, "framework": "generic"})");
  run["model"] = model;
  run["training"]["optimizer"] = optimizer;
  run["parallel"]["tp"] = tp;
  return testing::run_of(run);
}

const UpdateWork& layer_update(const Prices<double>& p) {
  return p.blocks[BlockType::layer_0].parameters.update_dense;
}

// Llama-3-8B's matrices: keys, queries and values, output, gate and up together, down.
constexpr std::int64_t kMatrices[4][2] = {{4096, 6144}, {4096, 4096}, {4096, 28672}, {14336, 4096}};

}  // namespace

TEST_CASE("a layer's update is of each of its matrices, and its vectors are Adam's") {
  const Run run = updated_by("muon");
  const Prices<double> prices = price<double>(run);
  double time = 0;
  double largest = 0;
  double states = 2 * 4096 * 8.0;  // two norms, two moments of 4 bytes
  for (const auto& [m, n] : kMatrices) {
    const double one = update(Optimizer::muon, m, n, run.cluster.device);
    time += one;
    largest = std::max(largest, one);
    states += static_cast<double>(m * n) * 4;
  }
  CHECK(layer_update(prices).time.si() == testing::about(time));
  CHECK(layer_update(prices).largest.si() == testing::about(largest));
  CHECK(layer_update(prices).states.si() == testing::about(states));
  // The head and the embedding are Adam's: no products.
  CHECK(prices.blocks[BlockType::head].parameters.update_dense.time == Seconds());
  CHECK(prices.blocks[BlockType::head].parameters.update_dense.states.si() ==
        testing::about((128256.0 * 4096 + 4096) * 8));
  CHECK(layer_update(price<double>(updated_by("adam"))).states == Bytes());
}

TEST_CASE("Adafactor sees an embedding as a matrix, and one moment of a vector") {
  const Run run = updated_by("adafactor");
  const Prices<double> prices = price<double>(run);
  double states = 2 * 4096 * 4.0;
  for (const auto& [m, n] : kMatrices) states += static_cast<double>(m + n) * 4;
  CHECK(layer_update(prices).states.si() == testing::about(states));
  CHECK(layer_update(prices).time == Seconds());
  CHECK(prices.blocks[BlockType::head].parameters.update_dense.states.si() ==
        testing::about((128256.0 + 4096) * 4 + 4096 * 4));
}

TEST_CASE("a matrix that tensor ranks split is gathered in 16 bits and updated whole") {
  const Run run = updated_by("muon", 8);
  const Prices<double> prices = price<double>(run);
  double time = 0;
  for (const auto& [m, n] : kMatrices) {
    time += update(Optimizer::muon, m, n, run.cluster.device);
    time += collective_cost<double>(run.cluster, prices.placement.tp, Collective::all_gather,
                                    Bytes(static_cast<double>(m * n) * 2))
                .time.si();
  }
  CHECK(layer_update(prices).time.si() == testing::about(time));
}

TEST_CASE("states of all matrices are those of the ranks together") {
  const double whole = matrix_states(updated_by("soap")).si();
  const double norms = 65 * 4096 * 8.0;
  CHECK(whole > norms);
  CHECK(matrix_states(updated_by("soap", 8)).si() == testing::about(whole + 7 * norms));
  CHECK(matrix_states(updated_by("adam")) == Bytes());
  // Mixtral's experts, each a matrix of its own on one of eight ranks.
  Run experts = updated_by("muon", 1, "mixtral-8x7b");
  const double together = matrix_states(experts).si();
  experts.strategy.ep = 8;
  CHECK(matrix_states(experts).si() == testing::about(together));
}

TEST_CASE("an expert's matrices are updated one by one") {
  const Run run = updated_by("muon", 1, "mixtral-8x7b");
  const BlockPrices<double>& blocks = price<double>(run).blocks;
  const UpdateWork& work = blocks[BlockType::layer_2].parameters.update_expert;
  const double up = update(Optimizer::muon, 4096, 2 * 14336, run.cluster.device);
  const double down = update(Optimizer::muon, 14336, 4096, run.cluster.device);
  CHECK(work.time.si() == testing::about(8 * (up + down)));
  CHECK(work.largest.si() == testing::about(std::max(up, down)));
  CHECK(work.states.si() == testing::about(8 * 3 * 14336.0 * 4096 * 4));
}

}  // namespace orrery
