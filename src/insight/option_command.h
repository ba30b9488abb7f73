// SPDX-License-Identifier: Apache-2.0
//
// The command line that gives the step and the memory of an option of a capacity plan again.
//
// It names the run that the option was made from and sets each key in which the option's own run
// differs, so that `orrery estimate` resolves the same document. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "capacity/capacity.h"
#include "core/json_fwd.h"
#include "insight/advice.h"

namespace orrery {

// Each key of `to` that `from` has otherwise or not at all, and each that only `from` has.
std::vector<Setting> settings_between(const Json& from, const Json& to);

// The command of the first phase, at its full batch; "" where the rate is given and no estimate has
// it.
std::string command_of(const OptionAnswer& o);

}  // namespace orrery
