// SPDX-License-Identifier: Apache-2.0
// Causes of an out-of-memory error: from its own numbers, and by the tensor that has the size that
// was asked for. Sizes are worked by hand from the model's dimensions.
#include "insight/memory_causes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "insight/known_tensors.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::json_of;

constexpr double kMib = 0x1p20;

MemoryMessage message(double asked, double capacity, double free, double process, double allocated,
                      double unallocated) {
  MemoryMessage m;
  m[Stated::asked] = asked * kGiB;
  m[Stated::capacity] = capacity * kGiB;
  m[Stated::free] = free * kGiB;
  m[Stated::process] = process * kGiB;
  m[Stated::allocated] = allocated * kGiB;
  m[Stated::unallocated] = unallocated * kGiB;
  m[Stated::reserved] = (allocated + unallocated) * kGiB;
  return m;
}

RunReport seven_billion() {
  return testing::report_of(json_of(R"({"model": "llama-2-7b", "framework": "deepspeed",
      "cluster": {"node": "dgx-1-v100-32gb", "gpus": 8}, "parallel": {"zero": 2, "recompute": "full"},
      "training": {"sequence_length": 1024, "global_batch": 8, "precision": "fp16"}})"));
}

// The size of a use that lies nearest to so many bytes.
bool has_tensor(const Run& run, TensorUse use, double bytes) {
  for (const KnownTensor& t : known_tensors(run)) {
    if (t.use == use && t.size.si() == bytes) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("tensors have the sizes of the model's dimensions, rounded up to 2 MiB") {
  const Run run = seven_billion().resolved.run;
  // 6,738,415,616 parameters in 4 bytes over 8 ranks: 1,606.6 blocks of 2 MiB.
  CHECK(has_tensor(run, TensorUse::update, 1607 * 2 * kMib));
  // 1,024 tokens × 32,000 words in 4 bytes: 125 MiB, 62.5 blocks.
  CHECK(has_tensor(run, TensorUse::loss, 126 * kMib));
  // 32 heads × 1,024² scores in 2 bytes.
  CHECK(has_tensor(run, TensorUse::attention, 64 * kMib));
  // The hidden state, 1,024 × 4,096 in 2 bytes, is below 10 MiB: not rounded.
  CHECK(has_tensor(run, TensorUse::activation, 8 * kMib));
  CHECK(tensors_of_size(run, Bytes(3.14 * kGiB.si())).at(0).use == TensorUse::update);
  CHECK(tensors_of_size(run, Bytes(77 * kGiB.si())).empty());
}

TEST_CASE("memory that neither the process nor anything free accounts for is others'") {
  CHECK(held_by_others(message(2, 80, 1, 50, 40, 5))->si() == about(29 * kGiB.si()));
  MemoryMessage old = message(2, 80, 1, 50, 40, 5);
  old[Stated::process].reset();  // before PyTorch 2: three GiB are left for context and libraries
  CHECK(held_by_others(old)->si() == about((80 - 1 - 45 - 3) * kGiB.si()));
  old[Stated::free].reset();
  CHECK(!held_by_others(old));
}

TEST_CASE("an allocator that holds enough in pieces is the likeliest cause") {
  const auto causes = memory_causes_of(message(2, 79.25, 1.16, 78.06, 40, 36), nullptr);
  CHECK(causes.at(0).what.find("fragmentation") != std::string::npos);
  CHECK(causes.at(0).probability > 0.9);
}

TEST_CASE("a little slack in the cache of a full device is no cause of its own") {
  // 60.6 of 61 GiB reserved, a quarter of a GiB of it free (vllm-project/vllm-ascend issue 1127).
  MemoryMessage full = message(0.03, 60.96, 0.01, 60.9, 60.34, 0.26);
  full[Stated::process].reset();
  CHECK(memory_causes_of(full, nullptr).at(0).what == "the job needs more than the device holds");
  // A card of 4 GiB, whose context takes a fourth (16 MiB asked for, 20 MiB in the cache).
  MemoryMessage small = message(0.0156, 3.94, 0.0139, 3.9, 2.98, 0.02);
  small[Stated::process].reset();
  CHECK(memory_causes_of(small, nullptr).at(0).what == "the job needs more than the device holds");
}

TEST_CASE("a message without amounts is not sure of its cause") {
  MemoryMessage bare;
  bare.kind = MessageKind::device_out_of_memory;
  const auto causes = memory_causes_of(bare, nullptr);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].probability < 0.8);
}

TEST_CASE("another process is named where this one holds too little to fill the device") {
  const auto causes = memory_causes_of(message(2, 80, 1, 40, 38, 1), nullptr);
  CHECK(causes.at(0).what.find("another process") != std::string::npos);
}

TEST_CASE("a limit on the process is named before all else") {
  MemoryMessage m = message(1, 80, 39.5, 40, 38, 0.5);
  m[Stated::allowed] = 40 * kGiB;
  CHECK(memory_causes_of(m, nullptr).at(0).what.find("a part of the device") != std::string::npos);
}

TEST_CASE("beside a run the update's temporary is known by its size, and all sum to one") {
  const RunReport r = seven_billion();
  const auto causes = memory_causes_of(message(3.14, 31.74, 1.16, 30.5, 28.28, 1.2), &r);
  CHECK(causes.at(0).what == "a temporary of the optimizer's update");
  double sum = 0;
  for (const DiagnosedCause& c : causes) sum += c.probability;
  CHECK(sum <= 1.0000001);
  CHECK(sum > 0.9);
}

TEST_CASE("scores that flash attention does not keep are no likely cause of a run that has it") {
  // 32 heads × 1,024² scores of 2 bytes are 64 MiB.
  RunReport r = seven_billion();
  r.resolved.run.training.fused_attention = false;
  const auto share = [](const RunReport& run) {
    for (const DiagnosedCause& c :
         memory_causes_of(message(0.0625, 31.74, 0.01, 31.5, 30.4, 0.2), &run)) {
      if (c.what.find("attention scores") == 0) return c.probability;
    }
    return 0.0;
  };
  RunReport flash = r;
  flash.resolved.run.training.fused_attention = true;
  CHECK(share(r) > 0);
  CHECK(share(flash) < share(r));
}

TEST_CASE("where no tensor has the size, what the run may hold besides is weighed") {
  const RunReport r = seven_billion();
  const auto causes = memory_causes_of(message(0.7, 31.74, 0.1, 31.5, 30.4, 0.2), &r);
  CHECK(causes.at(0).what.find("as predicted") != std::string::npos);
}

TEST_CASE(
    "free memory above what was asked for is refused by a limit or was held a moment before") {
  MemoryMessage m = message(0.06, 11, 4.48, 0, 5.19, 0.28);
  m[Stated::process].reset();
  const auto causes = memory_causes_of(m, nullptr);
  REQUIRE(causes.size() >= 2);
  CHECK(causes[0].what.find("a limit keeps") == 0);
  CHECK(causes[1].what.find("another process held it") == 0);
  CHECK(causes[1].probability == about(causes[0].probability));
  for (const DiagnosedCause& c : causes) CHECK(c.what.find("fragmentation") == std::string::npos);
}

TEST_CASE(
    "memory beside an old message's allocator is stated whole, with the part of the context") {
  // 39.45 − 4.04 − 0.09 = 35.32 GiB.
  MemoryMessage m = message(0.11, 39.45, 0.09, 0, 4, 0.04);
  m[Stated::process].reset();
  const auto causes = memory_causes_of(m, nullptr);
  CHECK(causes.at(0).evidence.find("35.32 GiB") == 0);
  CHECK(causes.at(0).evidence.find("3.00 GiB") != std::string::npos);
}

TEST_CASE("an engine's share on the device comes before the job's own need") {
  MemoryMessage m = message(2.49, 79.1, 1.8, 77.28, 76.6, 0.02);
  m[Stated::engine] = 71.19 * kGiB;
  CHECK(memory_causes_of(m, nullptr).at(0).mend.find("gpu_memory_utilization") !=
        std::string::npos);
}

TEST_CASE("memory of the process outside PyTorch's allocator is a cause of its own") {
  const auto causes = memory_causes_of(message(9.27, 79.18, 6.35, 72.8, 60.11, 2.1), nullptr);
  const bool found = std::any_of(causes.begin(), causes.end(), [](const DiagnosedCause& c) {
    return c.what.find("outside PyTorch's allocator") != std::string::npos;
  });
  CHECK(found);
}

TEST_CASE("an error while the state is saved is mended by how it is saved") {
  MemoryMessage m = message(0.25, 79.35, 0.06, 78.9, 77.18, 0.79);
  m.moment = JobMoment::saving;
  const auto causes = memory_causes_of(m, nullptr);
  CHECK(causes.at(0).mend.find("SHARDED_STATE_DICT") != std::string::npos);
}

TEST_CASE("an error while a checkpoint is loaded is mended by how it is loaded") {
  MemoryMessage m = message(6.88, 79.33, 3.61, 75.71, 60.01, 14.2);
  m.moment = JobMoment::resuming;
  const DiagnosedCause first = memory_causes_of(m, nullptr).at(0);
  CHECK(first.mend.find("map_location") != std::string::npos);
  CHECK(first.outside_run);
}

TEST_CASE("an engine's own error gets the engine's settings and none of the trainer's") {
  MemoryMessage m;
  m.kind = MessageKind::device_out_of_memory;
  m.moment = JobMoment::generating;
  const RunReport r = seven_billion();
  for (const RunReport* run : {static_cast<const RunReport*>(nullptr), &r}) {
    const auto causes = memory_causes_of(m, run);
    for (const char* key : {"gpu_memory_utilization", "max_num_seqs", "enforce_eager"}) {
      CHECK(causes.at(0).mend.find(key) != std::string::npos);
    }
    for (const DiagnosedCause& c : causes) {
      CHECK(c.mend.find("recompute") == std::string::npos);
      CHECK_FALSE(c.evidence.empty());
    }
  }
}

TEST_CASE("tensors that fill the device are no pieces, and recompute that nobody gave is a cause") {
  const RunReport r = testing::report_of(json_of(R"({"model": "llama-2-13b",
      "framework": "hf-trainer", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
      "training": {"sequence_length": 2048, "global_batch": 128,
                   "adapter": {"kind": "qlora", "rank": 64}}})"));
  REQUIRE(r.resolved.recompute_open);
  // 75.1 of 79.2 GiB allocated (allenai/open-instruct issue 65).
  MemoryMessage full = message(0.44, 79.2, 0.27, 78, 75.1, 2.78);
  full[Stated::process].reset();
  const DiagnosedCause first = memory_causes_of(full, &r).at(0);
  CHECK(first.change == "--recompute full");
  CHECK(first.mend.find("gradient_checkpointing") != std::string::npos);
  for (const DiagnosedCause& c : memory_causes_of(full, &r)) {
    if (c.what.find("fragmentation") != std::string::npos) CHECK(c.probability < 0.1);
  }
}

TEST_CASE("encoders that nobody gave are a cause of a diffusion model's error") {
  Json run = json_of(R"({"model": "flux.1-dev", "framework": "generic",
      "cluster": {"node": "l40s-pcie", "gpus": 1},
      "training": {"height": 512, "global_batch": 1, "adapter": {"kind": "lora", "rank": 8}}})");
  const MemoryMessage full = message(0.02, 44.53, 0.01, 44.51, 42.17, 1.83);
  const auto of_encoders = [&] {
    const RunReport r = testing::report_of(run);
    std::vector<Setting> found;
    for (const DiagnosedCause& c : memory_causes_of(full, &r)) {
      if (c.what.find("encoders") != std::string::npos) found = c.settings;
    }
    return found;
  };
  const std::vector<Setting> settings = of_encoders();
  REQUIRE(settings.size() == 1);
  CHECK(settings[0].path == "training.frozen_parameters");
  run["training"]["frozen_parameters"] = Json::parse(settings[0].value);
  const double allocated = testing::report_of(run).answer.memory.allocated.si();
  CHECK(allocated == about(42.19 * kGiB.si()).epsilon(0.03));
  CHECK(of_encoders().empty());
}

TEST_CASE("a maker's own commands stand in the causes") {
  MemoryMessage m = message(2, 191.98, 1.16, 78.06, 40, 36);
  m.maker = DeviceMaker::amd;
  for (const DiagnosedCause& c : memory_causes_of(m, nullptr)) {
    CHECK(c.check.find("nvidia-smi") == std::string::npos);
    CHECK(c.mend.find("PYTORCH_CUDA_ALLOC_CONF") == std::string::npos);
  }
}

TEST_CASE(
    "an optimizer on the host makes no temporary on the GPU, and whole weights ask for ZeRO 3") {
  const RunReport r =
      testing::report_of(json_of(R"({"model": "llama-3-8b", "framework": "deepspeed",
      "cluster": {"node": "dgx-a100-40gb", "gpus": 2}, "parallel": {"zero": 2, "offload":
      {"optimizer": "host"}}, "training": {"sequence_length": 1024, "global_batch": 16,
      "micro_batch": 2}})"));
  // 8.03 billion parameters: 14.96 GiB in 2 bytes, and half of them in 4.
  const auto causes = memory_causes_of(message(14.96, 39.39, 9.12, 30.26, 29.87, 0), &r);
  CHECK(causes.at(0).what.find("weights that every GPU holds whole") == 0);
  REQUIRE(causes[0].settings.size() == 1);
  CHECK(causes[0].settings[0].value == "3");
  for (const DiagnosedCause& c : causes) {
    if (c.what.find("a temporary of the optimizer") == 0) CHECK(c.probability < 0.2);
    CHECK(c.mend.find("FusedAdam") == std::string::npos);
  }
}

}  // namespace orrery
