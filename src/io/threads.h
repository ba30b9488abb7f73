// SPDX-License-Identifier: Apache-2.0
//
// Workers that share a job. Modules without threads get run_on_threads as a function
// (explore/search.h).
#pragma once

#include <functional>

namespace orrery {

// Hardware threads that this process may use; at least 1.
unsigned available_threads();

// Calls work(0) … work(n − 1) at the same time and waits for all. Rethrows the exception of the
// lowest number.
void run_on_threads(unsigned n, const std::function<void(unsigned)>& work);

}  // namespace orrery
