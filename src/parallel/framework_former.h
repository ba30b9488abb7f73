// SPDX-License-Identifier: Apache-2.0
//
// Profiles of version 0.2.0 and earlier, whose keys stood side by side: "fabric_share" is
// "network.fabric_share" now. Their values, overlays of switches and sources are moved to the
// groups; nothing is refused here (framework_json.h refuses). A profile that has no such key stays
// as it is.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"

namespace orrery {

// `profile` with its keys in their groups. `notes` gets one line that names what was moved, if
// anything was.
Json with_groups(const Json& profile, const std::string& file, std::vector<std::string>& notes);

}  // namespace orrery
