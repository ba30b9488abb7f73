// SPDX-License-Identifier: Apache-2.0
//
// The files of a simulated step, each by the name that was asked for: a Chrome trace, a page,
// Chakra execution traces (PREFIX.RANK.et) with their groups (PREFIX.json), a SimAI workload.
#pragma once

#include <string>
#include <vector>

#include "engine/answer.h"
#include "insight/simulation_report.h"

namespace orrery {

// "": not asked for.
struct SimulateFiles {
  std::string trace;
  std::string trace_ranks;
  std::string html;
  std::string chakra;
  std::string simai;
};

// Errors: InputError where a format has no word for something in the run.
std::vector<NamedText> simulate_files(const SimulateFiles& asked, const SimulationReport& r);

}  // namespace orrery
