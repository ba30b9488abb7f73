// SPDX-License-Identifier: Apache-2.0
//
// Where an input of the chain comes from, by the path it carries: the run file, an assumed default,
// or a document and the source it gives.
#pragma once

#include <string>

#include "core/traced.h"
#include "estimate/resolve.h"

namespace orrery {

std::string input_source(const ResolvedRun& r, const Label& label);

}  // namespace orrery
