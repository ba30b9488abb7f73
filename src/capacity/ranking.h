// SPDX-License-Identifier: Apache-2.0
//
// The order of options: those that meet what is required stand first, then the cheapest, fastest or
// thriftiest; and the front of those that no other beats.
//
// Ties go to the shorter one. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery {

struct CapacityPlan;
struct OptionAnswer;

enum class RankBy : std::uint8_t { cost, time, energy, gpus };
inline constexpr std::array<std::string_view, 4> kRankNames = {"cost", "time", "energy", "gpus"};

// By cost only where an option has one: else by GPUs where there is a deadline, or by time.
RankBy rank_of(const CapacityPlan& plan, const std::vector<OptionAnswer>& options);

// Those that fit.
std::vector<std::size_t> ranked(const CapacityPlan& plan, RankBy by,
                                const std::vector<OptionAnswer>& options);

// Options that fit and no other dominates in time, cost (where all have one) and energy.
std::vector<std::size_t> pareto_front(const std::vector<OptionAnswer>& options);

}  // namespace orrery
