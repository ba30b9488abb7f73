// SPDX-License-Identifier: Apache-2.0
//
// Names and overrides of a run's `cluster` to whole documents. Only documents found by name are
// read strictly here, each alone and under its own file name, so that a later failure is the run's
// fault. The rules are in hardware/cluster_reader.h.
#pragma once

#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "hardware/lookup.h"

namespace orrery {

// The node document with the changes of the run applied. Its `device` stays a name or an object.
Json merged_node(const Reader& given, const HardwareLookup& lookup);

// The device document of a node; `r` is at the node's `device`.
Json merged_device(const Reader& r, const HardwareLookup& lookup);

}  // namespace orrery
