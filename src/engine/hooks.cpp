// SPDX-License-Identifier: Apache-2.0
#include "engine/hooks.h"

namespace orrery {

std::function<void(const std::function<void(unsigned)>&)> parallel_of(const EngineHooks& hooks,
                                                                      unsigned workers) {
  if (!hooks.run_pieces) {
    return [](const std::function<void(unsigned)>& work) { work(0); };
  }
  return [run = hooks.run_pieces, workers](const std::function<void(unsigned)>& work) {
    run(workers, work);
  };
}

}  // namespace orrery
