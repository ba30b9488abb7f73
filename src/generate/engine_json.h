// SPDX-License-Identifier: Apache-2.0
//
// A document of configs/engines to an EngineProfile. Errors: InputError.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "generate/engine.h"

namespace orrery {

EngineProfile read_engine(const Json& document, const std::string& file);

}  // namespace orrery
