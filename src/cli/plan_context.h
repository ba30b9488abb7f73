// SPDX-License-Identifier: Apache-2.0
//
// What a capacity plan needs of files, threads and the rooms that report.
#pragma once

#include <string>

#include "capacity/plan.h"
#include "io/config_dirs.h"

namespace orrery {

// `beside` is the directory of the plan, "" for none; `jobs` threads, 0: all the machine has.
PlanContext plan_context(const ConfigDirs& dirs, const std::string& beside, unsigned jobs);

}  // namespace orrery
