// SPDX-License-Identifier: Apache-2.0
//
// The name of a JSON document, for headers that only pass one on.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace orrery {

using Json = nlohmann::ordered_json;

}  // namespace orrery
