// SPDX-License-Identifier: Apache-2.0
//
// The storage that an option names. Errors: InputError for an unknown name.
#pragma once

#include <string>

#include "capacity/checkpoint.h"
#include "engine/config_source.h"

namespace orrery {

Storage storage_named(const std::string& name, const ConfigSource& configs);

// The same where times follow from it: with a rate of the whole storage.
Storage storage_with_rate(const std::string& name, const ConfigSource& configs);

}  // namespace orrery
