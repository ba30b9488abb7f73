// SPDX-License-Identifier: Apache-2.0
#include "io/threads.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace orrery {

unsigned available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void run_on_threads(unsigned n, const std::function<void(unsigned)>& work) {
  std::vector<std::exception_ptr> errors(n);
  std::vector<std::thread> threads;
  const auto guarded = [&](unsigned i) {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  for (unsigned i = 1; i < n; ++i) threads.emplace_back(guarded, i);
  if (n > 0) guarded(0);
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : errors) {
    if (e) std::rethrow_exception(e);
  }
}

}  // namespace orrery
