// SPDX-License-Identifier: Apache-2.0
// Sound values in any combination: the bytes choose a model, a node, a framework and settings, so
// that nearly every input gets past the reader to the chain.
#include <array>
#include <string>

#include "fuzz/configs.h"
#include "fuzz/harness.h"

namespace {

using orrery::Json;

struct Bytes {
  const std::uint8_t* next;
  const std::uint8_t* end;
  std::size_t take() { return next == end ? 0 : *next++; }
};

struct Setting {
  const char* path;
  const char* values;  // a JSON array; null leaves the key out
};

constexpr std::array kSettings = {
    Setting{"/model", R"(["gpt3-175b", "llama-3-8b", "llama-3-70b", "mixtral-8x7b", "deepseek-v3",
                          "bloom-176b", "gpt-oss-120b", "gpt-neox-20b"])"},
    Setting{"/cluster/node", R"(["dgx-a100-80gb", "dgx-h100", "frontier-mi250x", "gb200-nvl72",
                                 "dgx-1-v100-16gb", "alps-gh200", "h100-pcie", "mi300x-oam-8"])"},
    Setting{"/cluster/gpus", "[8, 1, 4, 64, 72, 96, 128, 1000, 1024, 16384]"},
    Setting{"/framework", R"(["generic", "megatron-lm", "megatron-core", "deepspeed", "fsdp",
                              "torchtitan", "megatron-deepspeed", "megatron-core-rocm"])"},
    Setting{"/training/sequence_length", "[2048, 1, 127, 8192, 131072]"},
    Setting{"/training/global_batch", "[64, 1, 3, 1000, 1536, 16384]"},
    Setting{"/training/micro_batch", "[null, 1, 2, 3, 16]"},
    Setting{"/training/precision", R"([null, "fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8",
                                       "nvfp4"])"},
    Setting{"/training/states", R"([null, "adam-mixed-16", "adam-fp32-gradients-18", "lecture-20",
                                    "frontier-14", "fp32-adam-16", "fsdp-amp", "pure-16bit",
                                    "bf16-moments", "adam-8bit", "sgd"])"},
    Setting{"/training/flash_attention", "[null, true, false]"},
    Setting{"/training/attention_kernel", R"([null, "flash-2", "triton", "cudnn"])"},
    Setting{"/parallel/tp", "[null, 1, 2, 3, 8, 64]"},
    Setting{"/parallel/pp", "[null, 1, 2, 3, 8, 64]"},
    Setting{"/parallel/vpp", "[null, 1, 2, 3, 12]"},
    Setting{"/parallel/cp", "[null, 1, 2, 8]"},
    Setting{"/parallel/ep", "[null, 1, 2, 8, 64]"},
    Setting{"/parallel/etp", "[null, 1, 2, 8]"},
    Setting{"/parallel/dp", R"([null, "auto", 1, 2, 16])"},
    Setting{"/parallel/cp_type", R"([null, "p2p", "all_gather", "a2a"])"},
    Setting{"/parallel/sequence_parallel", "[null, true, false]"},
    Setting{"/parallel/zero", "[null, 0, 1, 2, 3]"},
    Setting{"/parallel/zero_shard_group", "[null, 1, 2, 8]"},
    Setting{"/parallel/schedule", R"([null, "gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2",
                                      "zb-v", "v-half", "v-min", "dualpipe", "dualpipev",
                                      "breadth-first", "deepspeed"])"},
    Setting{"/parallel/recompute", R"([null, "none", "selective", "full"])"},
    Setting{"/parallel/recompute_layers", "[null, 0, 1, 5]"},
    Setting{"/parallel/recompute_method", R"([null, "uniform", "block"])"},
    Setting{"/parallel/order", R"([null, "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"])"},
};

Json run_of(Bytes bytes) {
  Json run = Json::object();
  for (const Setting& setting : kSettings) {
    const Json values = Json::parse(setting.values);
    const Json& value = values[bytes.take() % values.size()];
    if (!value.is_null()) run[Json::json_pointer(setting.path)] = value;
  }
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [&](std::string_view) {
    orrery::fuzz::answer_to(run_of({data, data + size}));
  });
}
