// SPDX-License-Identifier: Apache-2.0
//
// Played steps of reinforcement learning: a document with a lane for each group of GPUs, JSON, and
// Chrome trace events (ui.perfetto.dev), one process a group. Errors: none.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RlSimulation;
struct StepSpread;

AnswerDocument rl_simulation_document(const RlSimulation& s, std::size_t width);
// The same with the chart, for a page.
AnswerDocument rl_timeline_page(const RlSimulation& s);
// Quantiles of the time of a step.
Json spread_json(const StepSpread& s);
Json rl_simulation_json(const RlSimulation& s);
std::string rl_trace(const RlSimulation& s);

}  // namespace orrery
