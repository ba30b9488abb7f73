// SPDX-License-Identifier: Apache-2.0
//
// Choices of a run on several kinds of node. Errors: none.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// A group of nodes holds whole stages of the pipeline, of all replicas, or whole replicas.
enum class GroupsHold : std::uint8_t { stages, replicas };
constexpr EnumNames<GroupsHold> names_of(GroupsHold) { return {"stages", "replicas"}; }

// How sharded states are shared out over GPUs of different kinds.
enum class StateShares : std::uint8_t { equal, by_memory };
constexpr EnumNames<StateShares> names_of(StateShares) { return {"equal", "by_memory"}; }

}  // namespace orrery
