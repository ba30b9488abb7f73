// SPDX-License-Identifier: Apache-2.0
//
// A framework's profile with what it inherits.
//
// `"inherits": NAME` takes every key of another profile that this one does not state; groups of
// keys, `sources` and `options` are joined key by key. A release inherits from its framework, a
// framework from a class: eager, compiled or fused. Errors: InputError where the name is not known
// or a profile inherits from itself.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "estimate/config_lookup.h"

namespace orrery {

// `notes` gets a line for each profile that has keys of an earlier version (framework_former.h).
Json with_inherited(const Json& profile, const std::string& file, const ConfigLookup& lookup,
                    std::vector<std::string>& notes);

// The same without notes.
Json with_inherited(const Json& profile, const std::string& file, const ConfigLookup& lookup);

}  // namespace orrery
