// SPDX-License-Identifier: Apache-2.0
//
// `orrery validate` of claims: which of its files are claims, and the answer to them.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "engine/exit_code.h"

namespace orrery {

// Directories replaced by their .json files.
std::vector<std::string> expanded(const std::vector<std::string>& paths);

// Whether they are claims, all of them. Errors: UsageError where some are.
bool are_claims(const std::vector<std::string>& files);

ExitCode run_claims(const std::vector<std::string>& files, bool markdown, const Session& s);

}  // namespace orrery
