// SPDX-License-Identifier: Apache-2.0
//
// --checkpoint MODE and --storage NAME of `simulate`: a checkpoint written beside the step that is
// played. Its size and times are capacity's (capacity/checkpoint.h), the storage a document of
// configs/storage. Errors: InputError for one flag without the other, a name that is not known, a
// storage without a rate of its own.
#pragma once

#include <optional>
#include <string>

#include "cli/session.h"
#include "estimate/run.h"
#include "insight/simulation_report.h"

namespace CLI {
class App;
}

namespace orrery {

struct CheckpointArguments {
  std::string mode;
  std::string storage;
};

void add_checkpoint_flags(CLI::App& app, CheckpointArguments& arguments);

std::optional<SavedStates> saved_states(const CheckpointArguments& arguments, const Run& run,
                                        const Session& session);

}  // namespace orrery
