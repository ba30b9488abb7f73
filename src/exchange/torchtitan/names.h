// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's names of models and schedules (pytorch/torchtitan, TOML of 2024 and 2025; @b5bcd76
// of 2026), read by hooks.cpp and written by export.cpp. All else of it is in
// configs/tools/torchtitan.json.
#pragma once

#include <array>
#include <string_view>

namespace orrery::torchtitan {

// A model of both: torchtitan's module and flavor, its registered configuration ("": not known to
// us), our file and the name that file gives.
struct ModelName {
  std::string_view module;
  std::string_view flavor;
  std::string_view config;
  std::string_view ours;
  std::string_view full;
};
inline constexpr std::array kModels = {
    ModelName{"llama3", "8B", "llama3_8b", "llama-3-8b", "Llama 3 8B"},
    ModelName{"llama3", "70B", "llama3_70b", "llama-3-70b", "Llama 3 70B"},
    ModelName{"llama3", "405B", "llama3_405b", "llama-3-405b", "Llama 3.1 405B"},
    ModelName{"llama2", "7B", "", "llama-2-7b", "Llama 2 7B"},
    ModelName{"llama2", "13B", "", "llama-2-13b", "Llama 2 13B"},
    ModelName{"llama2", "70B", "", "llama-2-70b", "Llama 2 70B"},
    ModelName{"qwen3", "30B-A3B", "", "qwen3-30b-a3b", "Qwen3 30B-A3B"},
    ModelName{"qwen3", "235B-A22B", "", "qwen3-235b-a22b", "Qwen3 235B-A22B"},
    ModelName{"gpt_oss", "120B", "", "gpt-oss-120b", "gpt-oss-120b"},
    ModelName{"gpt_oss", "20B", "", "gpt-oss-20b", "gpt-oss-20b"},
    ModelName{"llama4", "17bx16e", "", "llama-4-scout", "Llama 4 Scout"},
    ModelName{"llama4", "17bx128e", "", "llama-4-maverick", "Llama 4 Maverick"},
    ModelName{"deepseek_v3", "671B", "", "deepseek-v3", "DeepSeek-V3"},
    ModelName{"deepseek_v3", "16B", "", "deepseek-v2-lite", "DeepSeek-V2-Lite"},
    ModelName{"qwen3", "0.6B", "", "qwen3-0.6b", "Qwen3 0.6B"},
    ModelName{"qwen3", "1.7B", "", "qwen3-1.7b", "Qwen3 1.7B"},
    ModelName{"qwen3", "4B", "", "qwen3-4b", "Qwen3 4B"},
    ModelName{"qwen3", "14B", "", "qwen3-14b", "Qwen3 14B"},
    ModelName{"qwen3", "8B", "", "qwen3-8b", "Qwen3 8B"},
    ModelName{"qwen3", "32B", "", "qwen3-32b", "Qwen3 32B"},
};

struct ScheduleName {
  std::string_view theirs;
  std::string_view ours;
};
inline constexpr std::array kSchedules = {
    ScheduleName{"1F1B", "1f1b"},           ScheduleName{"Interleaved1F1B", "interleaved"},
    ScheduleName{"GPipe", "gpipe"},         ScheduleName{"ZBVZeroBubble", "zb-v"},
    ScheduleName{"DualPipeV", "dualpipev"},
};
// Names in releases of 2024.
inline constexpr ScheduleName kOldInterleaved = {"interleaved_1f1b", "interleaved"};

// Beside float8's scales of whole tensors; its default is false [from memory, unverified].
inline constexpr const char* kGathersFloat8 = "enable_fsdp_float8_all_gather";

}  // namespace orrery::torchtitan
