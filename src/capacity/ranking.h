// SPDX-License-Identifier: Apache-2.0
//
// The order of options: first those that meet the requirements, then by cost, time or energy; and
// the front of options that no other dominates.
//
// Among equal options the faster one is first. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

struct CapacityPlan;
struct OptionAnswer;

enum class RankBy : std::uint8_t { cost, time, energy, gpus };
constexpr EnumNames<RankBy> names_of(RankBy) { return {"cost", "time", "energy", "gpus"}; }

// By cost only if an option has one; else by GPUs if there is a deadline, or by time.
RankBy rank_of(const CapacityPlan& plan, const std::vector<OptionAnswer>& options);

// Those that fit.
std::vector<std::size_t> ranked(const CapacityPlan& plan, RankBy by,
                                const std::vector<OptionAnswer>& options);

// Options that fit and that no other dominates in time, cost (if all have one) and energy.
std::vector<std::size_t> pareto_front(const std::vector<OptionAnswer>& options);

}  // namespace orrery
