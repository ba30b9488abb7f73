// SPDX-License-Identifier: Apache-2.0
//
// The sources of a hardware document (core/provenance.h), where a run names its values and changes
// them.
#pragma once

#include <string>

#include "core/json_fwd.h"

namespace orrery {

// "cluster.tiers[0].bandwidth" and "tiers.nvswitch.bandwidth" as "tiers.0.bandwidth", given the
// node.
std::string canonical_path(const std::string& path, const Json& node);

// Notes in `document` that the run has set every value of `change`, which lies at `path` and may
// bring `sources` of its own.
void mark_set_by_run(Json& document, const std::string& path, const Json& change);

// Forgets what `document` says about values below `path`.
void forget_sources(Json& document, const std::string& path);

}  // namespace orrery
