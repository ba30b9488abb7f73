// SPDX-License-Identifier: Apache-2.0
//
// Where an input of the chain comes from, by the path it carries: the run file, an assumed default,
// or a document and the source it gives.
#pragma once

#include <string>

#include "core/traced.h"

namespace orrery {

struct ResolvedRun;

std::string input_source(const ResolvedRun& r, const Label& label);

}  // namespace orrery
