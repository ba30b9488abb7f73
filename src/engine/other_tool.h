// SPDX-License-Identifier: Apache-2.0
//
// Names of files that another tool wrote: a training's settings, or a model's config.json. Errors:
// none.
#pragma once

#include <string>

namespace orrery {

struct ConfigSource;  // engine/config_source.h

// Why a run that flags describe has the GPUs of its node: no flag gave their number.
inline constexpr const char* kWholeNode = "all of one node";

bool is_of_other_tool(const std::string& name, const ConfigSource& configs);

}  // namespace orrery
