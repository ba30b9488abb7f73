// SPDX-License-Identifier: Apache-2.0
#include "insight/simulate_check.h"

#include "core/error.h"
#include "estimate/resolve.h"
#include "sim/simulate.h"

namespace orrery {

void check_playable(const ResolvedRun& r) {
  const std::int64_t n = passes_of(r.run);
  if (n > kMostPasses) {
    throw InputError(r.file, "training.global_batch",
                     std::to_string(n) + " passes of micro batches through stages",
                     "up to " + std::to_string(kMostPasses) + "; `orrery estimate` has no limit");
  }
  if (r.run.framework.stack_factor != 1) {
    throw InputError(r.file, "stack", "a level of a stack, which scales no step that is played",
                     "no stack and no --observed");
  }
}

}  // namespace orrery
