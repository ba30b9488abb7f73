// SPDX-License-Identifier: Apache-2.0
//
// Where a number of a hardware document comes from.
//
// A document carries `source` for all of it and `sources`, an object from a path or the beginning
// of one ("peak", "tiers.0.bandwidth") to the source of what lies below; the longest path wins.
#pragma once

#include <string>

#include "core/json.h"

namespace orrery {

inline constexpr const char* kSetByRun = "set by the run";

// "cluster.tiers[0].bandwidth" and "tiers.nvswitch.bandwidth" as "tiers.0.bandwidth", given the
// node.
std::string canonical_path(const std::string& path, const Json& node);

// The source of the longest path of `sources` that holds `path`; "" if none does.
std::string listed_source(const Json& document, const std::string& path);

// listed_source, else the document's own `source`, else "".
std::string document_source(const Json& document, const std::string& path);

// Notes in `document` that the run has set every value of `change`, which lies at `path` and may
// bring `sources` of its own.
void mark_set_by_run(Json& document, const std::string& path, const Json& change);

// Forgets what `document` says about values below `path`.
void forget_sources(Json& document, const std::string& path);

}  // namespace orrery
