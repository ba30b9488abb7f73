// SPDX-License-Identifier: Apache-2.0
//
// The commands that speak other tools' words (exchange/foreign.h).
#pragma once

#include "cli/command.h"

namespace orrery {

Action declare_import(CLI::App& app);
Action declare_export(CLI::App& app);

}  // namespace orrery
