// SPDX-License-Identifier: Apache-2.0
#include "insight/mixed_simulation.h"

#include <string>
#include <utility>

#include "core/error.h"
#include "document/words.h"
#include "estimate/run_keys.h"

namespace orrery {

PlayedMixed played_mixed(MixedReport report) {
  const std::int64_t passes = passes_of(report.resolved.run);
  if (passes > kMostPasses) {
    throw InputError(report.resolved.whole.file, key_path<&Training::global_batch>,
                     grouped(passes) + " passes of the replicas that differ",
                     "at most " + grouped(kMostPasses));
  }
  PlayedMixed p;
  p.simulation = simulate_mixed(report.resolved.run);
  p.report = std::move(report);
  return p;
}

}  // namespace orrery
