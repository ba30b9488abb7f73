// SPDX-License-Identifier: Apache-2.0
//
// `validate` of claims: whether its files are claims, and the answer to them.
#pragma once

#include <vector>

#include "engine/config_source.h"
#include "engine/request.h"

namespace orrery {

// True if all files are claims. Errors: UsageError where only some are.
bool are_claims(const std::vector<NamedText>& files);

CommandAnswer answer_claims(const std::vector<NamedText>& files, const OutputForm& output,
                            const ConfigSource& configs);

}  // namespace orrery
