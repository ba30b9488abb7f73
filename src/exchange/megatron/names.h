// SPDX-License-Identifier: Apache-2.0
//
// Words of Megatron-LM's arguments that are also written; their names stand in
// configs/tools/megatron.json.
#pragma once

#include <array>
#include <string_view>

namespace orrery::megatron {

// Model states (memory/recipe.h) with gradients kept in fp32, and in the fp16 of the computation:
// 18 and 20 bytes a parameter, docs/source/api-guide/dist_optimizer.md.
inline constexpr std::string_view kFp32Gradients = "adam-fp32-gradients-18";
inline constexpr std::string_view kFp16Gradients = "adam-fp16-gradients-20";

inline constexpr std::array<std::string_view, 3> kContextTypes = {"p2p", "all_gather", "a2a"};
inline constexpr std::array<std::string_view, 2> kSchedules = {"1f1b", "interleaved"};
inline constexpr std::array<std::string_view, 3> kDispatchers = {"alltoall", "flex", "allgather"};
inline constexpr std::array<std::string_view, 4> kSharding = {"no_shard", "optim", "optim_grads",
                                                              "optim_grads_params"};

}  // namespace orrery::megatron
