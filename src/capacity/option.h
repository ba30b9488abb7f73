// SPDX-License-Identifier: Apache-2.0
//
// One option at one size: the strategy of every phase, its steps, and the results. Trying it tells
// what requirements are judged by: its status, its outcome and, where one must be met surely, the
// range. Completing it adds all else. Where a search finds nothing that fits, saying why takes a
// second one that judges every strategy: whoever tries many sizes may leave it out, and may search
// the layouts that most runs use (explore/narrow.h) in place of all. Where none of those fits, more
// are searched.
#pragma once

#include "capacity/capacity.h"

namespace orrery {

enum class Refusals : bool { brief, explained };

// Layouts that a search at one size goes over: as the plan has it, or within so many cells.
enum class Layouts : std::uint8_t { all, wide, common };
inline constexpr std::int64_t kWideCells = 1'000'000;
inline constexpr std::int64_t kCommonCells = 100'000;

struct TryOptions {
  Refusals refusals = Refusals::explained;
  Layouts layouts = Layouts::all;
};

OptionAnswer try_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                        const PlanContext& context, const TryOptions& how = {});
void complete_option(const CapacityPlan& plan, OptionAnswer& tried);
// The range of days, cost and energy alone.
void fill_range(const CapacityPlan& plan, OptionAnswer& tried);

// Both at once.
OptionAnswer answer_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                           const PlanContext& context);

}  // namespace orrery
