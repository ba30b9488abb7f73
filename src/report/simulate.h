// SPDX-License-Identifier: Apache-2.0
//
// The answer to `simulate`: as a document, as JSON (the keys of `estimate --json`, with the times
// simulated, and `timeline`). CSV has a row a stage, or a GPU where all are played.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/document.h"
#include "insight/simulation_report.h"

namespace orrery {

AnswerDocument simulation_document(const SimulationReport& r);
Json simulation_json(const SimulationReport& r);

// Gains of a shorter part, for people and programs.
Table gains_table(const Simulation& s);

// "compute, stage 3": a link of the chain, and whom it belongs to.
std::string chain_item_text(const ChainItem& item);

}  // namespace orrery
