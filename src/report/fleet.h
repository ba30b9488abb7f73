// SPDX-License-Identifier: Apache-2.0
//
// The schedule of a fleet's trainings for a person, for programs, for a spreadsheet. Errors: none.
#pragma once

#include "capacity/fleet.h"
#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

// True where every training is placed and none is late.
bool is_answered(const FleetAnswer& a);

AnswerDocument fleet_document(const FleetAnswer& a);
Json fleet_json(const FleetAnswer& a);

}  // namespace orrery
