// SPDX-License-Identifier: Apache-2.0
//
// The level of a user's own software and site: measured over predicted step times, each predicted
// without a level of its own. It goes into `stack` of the run, where everything that reads a run
// finds it (estimate/accuracy.h). Errors: InputError.
#pragma once

#include "engine/given_run.h"

namespace orrery {

void set_observed_level(const NamedText& observed, const ConfigSource& configs, RunSource& run);

}  // namespace orrery
