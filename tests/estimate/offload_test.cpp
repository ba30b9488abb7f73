// SPDX-License-Identifier: Apache-2.0
// Copies and updates off the device on links of round numbers, worked out by hand.
#include "estimate/offload.h"

#include <doctest/doctest.h>

#include "cost/memory_time.h"
#include "parallel/parameters_held.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::about;

// Eight devices in a node, each with 50 GB/s to the host; the host's memory moves 400 GB/s, half of
// it in an update; drives read 80 and write 40 GB/s.
Run off_the_device(const char* offload) {
  Json json = testing::json_of(R"({
    "model": "llama-3-8b",
    "cluster": {"node": "dgx-h100", "gpus": 8,
                "nvme": {"read": "80 GB/s", "write": "40 GB/s"}},
    "training": {"sequence_length": 2048, "global_batch": 8,
                 "states": {"weights": 2, "gradients": 4, "optimizer": 12, "reduced": 2}},
    "parallel": {"zero": 1, "recompute": "full"}, "framework": "generic"})");
  json["parallel"]["offload"] = testing::json_of(offload);
  Run run = testing::run_of(json);
  Cluster& c = run.cluster;
  c.device.host_link.bandwidth = BytesPerSecond(50e9);
  c.host.memory_bandwidth = BytesPerSecond(400e9);
  c.host.update_share = 0.5;
  return run;
}

// 8e9 parameters, of which each of eight ranks owns the states of 1e9.
ParametersHeld eight_billion() {
  ParametersHeld p;
  p.dense = 8'000'000'000;
  return p;
}

// A gradient and the states are read and written, the new weight is written: 2·4 + 2·12 + 2.
constexpr double kTouched = 34;

double on_device(const Run& run, double parameters) {
  return memory_time<double>(Bytes(parameters * kTouched), run.cluster.device).si();
}

}  // namespace

TEST_CASE("an update touches gradients and states twice, and weights once") {
  const Run run = off_the_device("{}");
  CHECK(optimizer_traffic(run.training.recipe) == kTouched);
  const OptimizerTime<double> t = optimizer_time<double>(run, eight_billion());
  CHECK(t.device.si() == about(on_device(run, 1e9)));
  CHECK(t.host == Seconds());
}

// Down 2 GB of gradients as they are reduced: 0.04 s. Eight devices' updates share the host's
// memory: 8·34 GB at 200 GB/s: 1.36 s. Up 2 GB of weights: 0.04 s.
TEST_CASE("an update on the host sends gradients down and weights up") {
  const OptimizerTime<double> t =
      optimizer_time<double>(off_the_device(R"({"optimizer": "host"})"), eight_billion());
  CHECK(t.device.si() == about(0.0));
  CHECK(t.host.si() == about(0.04 + 1.36 + 0.04));
}

TEST_CASE("a quarter on the host takes a quarter there and three on the device") {
  const Run run = off_the_device(R"({"optimizer": "host", "optimizer_fraction": 0.25})");
  const OptimizerTime<double> t = optimizer_time<double>(run, eight_billion());
  CHECK(t.device.si() == about(on_device(run, 0.75e9)));
  CHECK(t.host.si() == about(1.44 / 4));
}

// Besides, 8·12 GB of states are read at 80 and written at 40 GB/s: 1.2 + 2.4 s.
TEST_CASE("states on drives are read and written by all devices of the node") {
  const OptimizerTime<double> t =
      optimizer_time<double>(off_the_device(R"({"optimizer": "nvme"})"), eight_billion());
  CHECK(t.host.si() == about(1.44 + 1.2 + 2.4));
}

// 64 GB of states that follow the shapes of matrices, an eighth of each rank, are read and written:
// 16 GB. On the host eight ranks' take 128/200 = 0.64 s; on drives 64 GB are read in 0.8 s besides
// and 64 GB written in 1.6 s. Products on the device take theirs over the link: 0.32 s.
TEST_CASE("states of matrices off the device are read and written where they are") {
  const auto more = [](const char* offload, double products) {
    Run run = off_the_device(offload);
    run.training.optimizer = Optimizer::muon;
    ParametersHeld p = eight_billion();
    const OptimizerTime<double> without = optimizer_time<double>(run, p);
    p.update_dense.states = Bytes(64e9);
    p.update_dense.time = Seconds(8 * products);
    const OptimizerTime<double> with = optimizer_time<double>(run, p);
    CHECK(with.device.si() - without.device.si() == about(products));
    return with.host.si() - without.host.si();
  };
  CHECK(more(R"({"optimizer": "host"})", 0) == about(0.64));
  CHECK(more(R"({"optimizer": "host"})", 0.5) == about(0.64 + 0.32));
  CHECK(more(R"({"optimizer": "nvme"})", 0) == about(0.64 + 0.8 + 1.6));
}

// The largest matrix is one rank's work, however many there are: 3 s, of 8 s over eight ranks.
TEST_CASE("an update takes its share of the products, or the largest one") {
  const Run run = off_the_device("{}");
  const auto products = [&](double all, double largest) {
    Run muon = run;
    muon.training.optimizer = Optimizer::muon;
    ParametersHeld p = eight_billion();
    const double without = optimizer_time<double>(muon, p).device.si();
    p.update_dense = {Bytes(8e9), Seconds(all), Seconds(largest)};
    // 2 GB of states are read and written here.
    const double moved = memory_time<double>(Bytes(2e9), run.cluster.device).si();
    return optimizer_time<double>(muon, p).device.si() - without - moved;
  };
  CHECK(products(8, 0.5) == about(1.0));
  CHECK(products(8, 3) == about(3.0));
}

// Weights that live off the device are not sent up after a host's update; a device's update sends
// its own down (0.04 s), and to drives each of eight writes 2 GB at 40 GB/s (0.4 s).
TEST_CASE("new values of weights go back to where weights live") {
  const auto host = [](const char* offload) {
    return optimizer_time<double>(off_the_device(offload), eight_billion()).host.si();
  };
  CHECK(host(R"({"parameters": "host"})") == about(0.04));
  CHECK(host(R"({"parameters": "nvme"})") == about(0.04 + 0.4));
  CHECK(host(R"({"optimizer": "host", "parameters": "host"})") == about(0.04 + 1.36));
  CHECK(host(R"({"optimizer": "host", "parameters": "nvme"})") == about(0.04 + 1.36 + 0.4));
}

// 16 GB of weights (zero 1 keeps them whole) at 50 GB/s: 0.32 s; eight devices read 128 GB from
// drives at 80 GB/s: 1.6 s. 10 GB of activations: 0.2 s each way; 80 GB to drives at 40: 2 s, back
// at 80: 1 s.
TEST_CASE("passes copy weights in, and activations down and up again") {
  const auto copies = [](const char* offload) {
    return pass_copies<double>(off_the_device(offload), eight_billion(), Bytes(10e9));
  };
  const PassCopies<double> none = copies("{}");
  CHECK(none.fetch == Seconds());
  CHECK(none.down == Seconds());
  CHECK(none.up == Seconds());
  const PassCopies<double> host = copies(R"({"parameters": "host", "activations": "host"})");
  CHECK(host.fetch.si() == about(0.32));
  CHECK(host.down.si() == about(0.2));
  CHECK(host.up.si() == about(0.2));
  const PassCopies<double> drives = copies(R"({"parameters": "nvme", "activations": "nvme"})");
  CHECK(drives.fetch.si() == about(1.6));
  CHECK(drives.down.si() == about(2.0));
  CHECK(drives.up.si() == about(1.0));
}

}  // namespace orrery
