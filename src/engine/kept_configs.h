// SPDX-License-Identifier: Apache-2.0
//
// A source of configs that reads each document once and keeps it. May be asked from several threads
// at once.
#pragma once

#include "engine/config_source.h"

namespace orrery {

// A user's own files may change between two questions, so that they are kept for the length of one
// question only.
enum class KeptPaths : std::uint8_t { no, yes };

ConfigSource kept(ConfigSource source, KeptPaths paths);

}  // namespace orrery
