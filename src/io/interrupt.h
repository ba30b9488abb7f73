// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C as a request: the first one is noted, so that a job can stop between two work items; the
// second one ends the program.
#pragma once

namespace orrery {

void watch_interrupt();
bool is_interrupted();

}  // namespace orrery
