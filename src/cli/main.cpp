// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

// One search after another asks for the same large blocks: what is freed is kept for the next.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kKept = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kKept);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  return static_cast<int>(orrery::run_program({argv, static_cast<std::size_t>(argc)}));
}
