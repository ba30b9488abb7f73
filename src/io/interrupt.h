// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C as a wish: the first one is noted, for who can stop between two pieces of work; the second
// ends the program as ever.
#pragma once

namespace orrery {

void watch_interrupt();
bool is_interrupted();

}  // namespace orrery
