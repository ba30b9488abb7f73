// SPDX-License-Identifier: Apache-2.0
// Settings that were once passed over, or taken for others, without a word.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

const std::string kPlainTrainer =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 2\n"
    "gradient_accumulation_steps: 4\nbf16: true\nmax_seq_length: 1024\npacking: true\n";

// Accelerate's file of this kind and these settings beside a trainer's.
ImportedRun by_accelerate(const std::string& type, const std::string& more) {
  return read({{"a.yaml", "distributed_type: " + type + "\nnum_processes: 8\n" + more},
               {"b.yaml", kPlainTrainer}});
}

bool is_named(const ImportedRun& r, const std::string& setting) {
  return std::any_of(r.not_understood.begin(), r.not_understood.end(), [&](const LeftOver& l) {
    return !l.stops && l.setting.find(setting) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("A model that FSDP does not cut into layers stops the import") {
  CHECK(stops_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_auto_wrap_policy: NO_WRAP\n"),
                 "fsdp_config.fsdp_auto_wrap_policy NO_WRAP"));
  CHECK(stops_at(read(kPlainTrainer + "fsdp: full_shard\n", kEight), "fsdp full_shard"));
  CHECK(!stops_at(read(kPlainTrainer + "fsdp: full_shard auto_wrap\n", kEight), "fsdp"));
  CHECK(!stops_at(read(kPlainTrainer + "fsdp: no_shard\n", kEight), "fsdp"));
  CHECK(stops_at(read(kAxolotl + "fsdp_config:\n  auto_wrap_policy: NO_WRAP\n", kEight),
                 "fsdp_config.auto_wrap_policy"));
  const ImportedRun by_size = by_accelerate(
      "FSDP",
      "fsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n  fsdp_min_num_params: 2000\n");
  CHECK(is_named(by_size, "SIZE_BASED_WRAP"));
}

TEST_CASE("FSDP 2 shards as it is told to reshard, whatever strategy a file keeps") {
  const std::string old =
      "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_reshard_after_forward: false\n";
  CHECK(at(by_accelerate("FSDP", old + "  fsdp_version: 2\n"), "parallel.zero") == 2);
  CHECK(is_open(by_accelerate("FSDP", old), "parallel.zero"));
  CHECK(at(by_accelerate("FSDP",
                         "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
                         "  fsdp_reshard_after_forward: true\n"),
           "parallel.zero") == 3);
}

TEST_CASE("Modules that FSDP leaves whole stop the import, and gathers in the open are named") {
  CHECK(stops_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_ignored_modules: lm_head\n"),
                 "fsdp_config.fsdp_ignored_modules"));
  CHECK(is_named(by_accelerate("FSDP", "fsdp_config:\n  fsdp_backward_prefetch: NO_PREFETCH\n"),
                 "fsdp_backward_prefetch"));
}

TEST_CASE("Accelerate's launches on other devices than GPUs stop the import") {
  for (const char* type : {"XLA", "TPU", "MULTI_XPU", "MULTI_NPU", "MULTI_HPU", "MULTI_CPU"}) {
    CHECK(stops_at(by_accelerate(type, ""), std::string("distributed_type ") + type));
  }
  CHECK(stops_at(by_accelerate("MULTI_GPU", "ipex_config:\n  use_xpu: true\n"),
                 "ipex_config.use_xpu"));
  CHECK(!stops_at(by_accelerate("MULTI_GPU", "use_cpu: false\n"), "use_cpu"));
}

TEST_CASE("Accelerate's eager backends compile nothing, and its unknown degrees stop") {
  const char* compile = "parallel.framework_options.compile";
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: EAGER\n"), compile)
            .is_null());
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: INDUCTOR\n"), compile) ==
        true);
  CHECK(stops_at(by_accelerate("FSDP", "parallelism_config:\n  parallelism_config_ep_size: 2\n"),
                 "parallelism_config.parallelism_config_ep_size"));
}

}  // namespace orrery
