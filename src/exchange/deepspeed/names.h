// SPDX-License-Identifier: Apache-2.0
//
// Words of DeepSpeed's JSON (deepspeedai/DeepSpeed@edaa722, runtime/config.py) that its writer and
// the hooks of configs/tools/deepspeed.json, which reads it, share.
#pragma once

#include <array>

#include "core/enum_names.h"
#include "parallel/strategy_choices.h"

namespace orrery::deepspeed {

// "cpu" is a node's memory.
inline constexpr EnumArray<OffloadTarget, std::string_view> kDevices = {"none", "cpu", "nvme"};

// The schedules of its pipeline engine: one.
inline constexpr std::array<std::string_view, 2> kSchedules = {"1f1b", "deepspeed"};

// Types of gradients, which are the computation's by default.
inline constexpr std::array<std::string_view, 3> kTypes = {"fp32", "fp16", "bf16"};
// DeepSpeed's other words of them, and the place in kTypes.
struct TypeWord {
  std::string_view word;
  std::size_t type;
};
inline constexpr std::array kTypeWords = {
    TypeWord{"float32", 0}, TypeWord{"torch.float32", 0}, TypeWord{"float", 0},
    TypeWord{"float16", 1}, TypeWord{"torch.float16", 1}, TypeWord{"half", 1},
    TypeWord{"bfp16", 2},   TypeWord{"bfloat16", 2},      TypeWord{"torch.bfloat16", 2},
};

}  // namespace orrery::deepspeed
