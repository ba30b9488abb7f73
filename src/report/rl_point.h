// SPDX-License-Identifier: Apache-2.0
//
// The answer at a point of a sweep over runs with training.rl. Errors: InputError.
#pragma once

#include <string>

#include "core/json_fwd.h"

namespace orrery {

struct ConfigLookup;
struct PointAnswer;

void play_point(const Json& run, const std::string& file, const ConfigLookup& lookup,
                PointAnswer& out);

}  // namespace orrery
