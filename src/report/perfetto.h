// SPDX-License-Identifier: Apache-2.0
//
// A simulated step as Chrome trace events (the JSON that ui.perfetto.dev opens): one process a
// rank, one track a stream, arrows for sends, counters for memory and for the links of a rank's
// unit. Times in microseconds, `displayTimeUnit` ms.
//
// Ranks are the run's own, numbered by parallel.order; by default the first of every stage, as the
// others do the same. Errors: InputError for ranks that are not there, or too many events for a
// viewer (kMostTraceEvents).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/simulation_report.h"

namespace orrery {

inline constexpr std::int64_t kMostTraceEvents = 4'000'000;

// "0,8,16-23" or "all"; "": the first rank of every stage.
std::vector<std::int64_t> trace_ranks(const SimulationReport& r, const std::string& text);

std::string perfetto_trace(const SimulationReport& r, const std::vector<std::int64_t>& ranks);

// "F3", "B3": a pass and its micro batch, with the chunk where there are several.
std::string pass_name(const PassGraph& graph, std::size_t node);

}  // namespace orrery
