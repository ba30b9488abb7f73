// SPDX-License-Identifier: Apache-2.0
//
// Workers that share a job. Rooms that may not know threads are handed run_on_threads as a function
// (explore/search.h).
#pragma once

#include <functional>

namespace orrery {

// Of this machine, as far as this process may use it; at least 1.
unsigned available_threads();

// Calls work(0) … work(n − 1) at once and waits for all. What one throws is thrown here, the first
// by number.
void run_on_threads(unsigned n, const std::function<void(unsigned)>& work);

}  // namespace orrery
