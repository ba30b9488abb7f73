// SPDX-License-Identifier: Apache-2.0
// A trace of 31 µs worked by hand, in µs:
//   computing       0–10   12–20                 30–31     10 + 8 + 1       = 19
//   NCCL                8–16                               8, alone 10–12   =  2
//   copy                         20–25                     beside nothing   =  5
//   nothing                            25–30                                =  5
// of which the loader has 25–27, and the rest a synchronisation that ends at 28.
#include "exchange/kineto/step_profile.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "insight/profile_losses.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;

std::string event(const std::string& category, const std::string& name, double begin, double time,
                  const std::string& stream = "7") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "ts": )" +
         std::to_string(begin) + R"(, "dur": )" + std::to_string(time) +
         R"(, "args": {"device": 0, "stream": )" + stream + "}}";
}

std::string trace(const std::string& events) {
  return R"({"deviceProperties": [{"name": "NVIDIA H100"}], "traceEvents": [)" + events + "]}";
}

std::string by_hand() {
  return trace(event("kernel", "gemm", 0, 10) + "," + event("kernel", "norm", 12, 8) + "," +
               event("kernel", "ncclDevKernel_AllReduce", 8, 8, "8") + "," +
               event("gpu_memcpy", "Memcpy HtoD", 20, 5) + "," + event("kernel", "norm", 30, 1) +
               "," + event("user_annotation", "ProfilerStep#1", 0, 14) + "," +
               event("gpu_user_annotation", "ProfilerStep#1", 0, 40) + "," +
               event("user_annotation", "ProfilerStep#2", 14, 16) + "," +
               event("user_annotation", "ProfilerStep#3", 30, 15) + "," +
               event("cuda_runtime", "cudaStreamSynchronize", 25, 3) + "," +
               event("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 25, 2));
}

TEST_CASE("where the time of a trace goes") {
  const StepProfile p = read_step_profile(by_hand(), "t.json");
  CHECK(p.gpu == "NVIDIA H100");
  CHECK(p.steps == 3);
  REQUIRE(p.step_time);
  CHECK(p.step_time->si() == about(15e-6));
  CHECK(p.span.si() == about(31e-6));
  CHECK(p.computing.si() == about(19e-6));
  CHECK(p.communicating.si() == about(8e-6));
  CHECK(p.exposed_communication.si() == about(2e-6));
  CHECK(p.exposed_copies.si() == about(5e-6));
  CHECK(p.idle.si() == about(5e-6));
  CHECK(p.kernels == 4);
  CHECK(p.median_kernel.si() == about(8e-6));
  REQUIRE(p.largest.size() == 3);
  CHECK(p.largest[0].name == "gemm");
  CHECK(p.largest[1].name == "norm");
  CHECK(p.largest[1].calls == 2);
  CHECK(p.host[HostWait::synchronisation].time.si() == about(3e-6));
  CHECK(p.host[HostWait::data].calls == 1);
  CHECK(p.host[HostWait::allocation].calls == 0);
}

TEST_CASE("what keeps the GPU from computing, by what it costs") {
  // Lost: copies 5, idle 5 (data 2, behind the synchronisation 3), communication 2; in all 12.
  const std::vector<DiagnosedCause> losses = losses_of(read_step_profile(by_hand(), "t.json"));
  REQUIRE(losses.size() == 4);
  CHECK(losses[0].what == "copies that no computing hides");
  CHECK(losses[0].probability == about(5.0 / 12));
  CHECK(losses[1].what == "the host waits for the GPU and launches late");
  CHECK(losses[1].probability == about(3.0 / 12));
  CHECK(losses[2].probability == about(2.0 / 12));
}

TEST_CASE("idle time that no loader, allocation or synchronisation explains is of launches") {
  const std::vector<DiagnosedCause> losses = losses_of(
      read_step_profile(trace(event("kernel", "a", 0, 6) + "," + event("kernel", "b", 10, 6) + "," +
                              event("cuda_runtime", "cudaStreamSynchronize", 1, 3) + "," +
                              event("cuda_runtime", "cudaMalloc", 9, 4)),
                        "t.json"));
  // The gap is 6–10: the allocation has 9–10, the synchronisation ended before it.
  REQUIRE(losses.size() == 2);
  CHECK(losses[0].what == "the host launches kernels later than the GPU needs them");
  CHECK(losses[0].probability == about(3.0 / 4));
  CHECK(losses[1].what == "the driver allocates memory within the step");
}

TEST_CASE("a GPU that only computes loses nothing") {
  CHECK(losses_of(read_step_profile(trace(event("kernel", "gemm", 0, 10)), "t.json")).empty());
}

TEST_CASE("a trace without work of a GPU is refused") {
  CHECK_THROWS_AS(read_step_profile(trace(event("cpu_op", "aten::mm", 0, 1)), "t.json"),
                  InputError);
}

}  // namespace
}  // namespace orrery
