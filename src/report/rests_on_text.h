// SPDX-License-Identifier: Apache-2.0
//
// Sources of the constants an answer rests on: as JSON, and in one line for a header.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "insight/rests_on.h"

namespace orrery {

Json rests_on_json(const std::vector<RestsOnPart>& parts);
Json rests_on_json(const ResolvedRun& r);

// One line for a header; "" without a calibration.
std::string calibration_line(const ResolvedCluster& c, const std::vector<RestsOnPart>& parts);
std::string calibration_line(const ResolvedRun& r);

}  // namespace orrery
