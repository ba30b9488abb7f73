// SPDX-License-Identifier: Apache-2.0
//
// What the page never asks of its engine, in place of the sources that cmake/wasm leaves out.
#include "core/error.h"
#include "exchange/logs/training_log.h"
#include "exchange/snapshot/memory_snapshot.h"

namespace orrery {

TrainingLog read_training_log(std::string_view /*text*/, const std::string& file) {
  throw InputError(file, "", "a log of training", "`orrery --observed`, outside the page");
}

std::string memory_snapshot(const Simulation& /*s*/) {
  throw InputError("", "memory_snapshot", "a snapshot of PyTorch's allocator",
                   "`orrery simulate --memory-snapshot`, outside the page");
}

}  // namespace orrery
