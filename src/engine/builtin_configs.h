// SPDX-License-Identifier: Apache-2.0
//
// The configs and published runs that are built into the binary, so that one file works alone.
// Their names are those of the source tree: "configs/models/llama-3-8b.json".
#pragma once

#include "engine/config_source.h"

namespace orrery {

// Opens no user's files.
ConfigSource builtin_configs();

// `first`, and where it has no such document, the ones built in. Files are those of `first`.
ConfigSource with_builtin_configs(ConfigSource first);

}  // namespace orrery
