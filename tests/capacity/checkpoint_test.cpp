// SPDX-License-Identifier: Apache-2.0
#include "capacity/checkpoint.h"

#include <doctest/doctest.h>

#include "capacity/shipped_plans.h"
#include "core/error.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::answered;

std::string with_storage(const std::string& storage) {
  return R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e12}, "storage": )" + storage + "}";
}

CheckpointCost cost_with(const std::string& storage) {
  return answered(with_storage(storage))->answer.options[0].outcome.largest.checkpoint;
}

std::string refusal(const std::string& storage) {
  try {
    answered(with_storage(storage));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("a checkpoint holds the states of every optimizer") {
  const auto bytes = [](const std::string& optimizer) {
    Json run =
        testing::json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
        "training": {"sequence_length": 2048, "global_batch": 64, "states": "fp32-adam-16"},
        "parallel": {"tp": 8}})");
    run["training"]["optimizer"] = optimizer;
    return checkpoint_bytes(testing::run_of(run), 0).si();
  };
  constexpr double kAll = 8'030'261'248;
  CHECK(bytes("adam") == 12 * kAll);
  CHECK(bytes("lion") == testing::about(8 * kAll).epsilon(2e-4));  // norms of each rank
  CHECK(bytes("muon") > bytes("lion"));
  CHECK(bytes("shampoo") > 2 * bytes("adam"));
}

TEST_CASE("no time follows from a client's rate alone") {
  const Cluster cluster = answered(with_storage(R"("selene")"))->answer.options[0].inputs.cluster;
  Storage nfs;
  nfs.client = BytesPerSecond(3e9);
  const CheckpointCost c = checkpoint_cost(Bytes(1e12), nfs, CheckpointMode::synchronous, cluster);
  CHECK_FALSE(c.storage_known);
  CHECK(c.write == Seconds());
  CHECK(c.read == Seconds());
}

TEST_CASE("storage without the rate it writes at is refused with what to give") {
  const std::string nfs = refusal(R"("nfs")");
  CHECK(nfs.find("storage: found `client` (rate of one node)") != std::string::npos);
  CHECK(nfs.find(R"(["nfs", {"write": "20 GB/s"}])") != std::string::npos);
  CHECK(refusal(R"({"read": "1 TB/s"})").find("`read` without `write`") != std::string::npos);
  CHECK(refusal(R"(["nfs", {"write": "2 GB/s"}])").empty());
  CHECK(refusal(R"({"capacity": "1 PB"})").empty());
}

TEST_CASE("the slower of the storage and its clients counts") {
  const CheckpointCost by_server = cost_with(R"(["nfs", {"write": "2 GB/s"}])");
  CHECK(by_server.write.si() == testing::about(by_server.size.si() / 2e9));
  CHECK_FALSE(by_server.nodes_bound_it);
  const CheckpointCost by_client = cost_with(R"(["nfs", {"write": "2 TB/s"}])");
  CHECK(by_client.write.si() == testing::about(by_client.size.si() / 3e9));
  CHECK(by_client.nodes_bound_it);
}

TEST_CASE("a node whose rate is not given carries no more than its network and its host links") {
  // A DGX H100: 8 cards of 50 GB/s each.
  const CheckpointCost c = cost_with(R"({"write": "5 TB/s"})");
  CHECK(c.write.si() == testing::about(c.size.si() / 400e9));
  CHECK(c.read == c.write);
  CHECK(c.nodes_bound_it);
  Cluster cluster = answered(with_storage(R"("selene")"))->answer.options[0].inputs.cluster;
  cluster.device.host_link.bandwidth = BytesPerSecond(10e9);
  CHECK(client_rate({}, cluster).si() == testing::about(80e9));
  cluster.device.host_link.bandwidth = {};
  CHECK(client_rate({}, cluster).si() == testing::about(400e9));
}

}  // namespace
}  // namespace orrery
