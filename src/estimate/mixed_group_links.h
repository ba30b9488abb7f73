// SPDX-License-Identifier: Apache-2.0
//
// The links between the groups of a run: those of `cluster.links`, and for the others what is taken
// and what else may be.
//
// A link that the run does not give is taken as the slower of the networks of both nodes. That is a
// fabric without a taper between the groups; large ones have one, so that the key stays open, with
// the tapers of published fabrics as alternatives. Leaves out: other latencies, a taper for each
// link of its own. Errors: InputError for an unknown name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"
#include "estimate/mixed_estimate.h"
#include "estimate/open_keys.h"

namespace orrery {

class Reader;

// By kind · kinds + kind. Facts and warnings get the links that nobody gave.
std::vector<GroupLink> group_links(const Reader& root, const std::vector<std::string>& names,
                                   const std::vector<Run>& kinds, std::vector<Fact>& facts,
                                   std::vector<std::string>& warnings);

// The step over that of this run where links that nobody gave are tapered; nothing where all are
// given. The layout stays. The workspace holds the last of them afterwards.
std::optional<OpenKey> open_links(const MixedRun& run, MixedWorkspace& workspace);

}  // namespace orrery
