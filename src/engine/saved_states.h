// SPDX-License-Identifier: Apache-2.0
//
// `checkpoint` and `storage` of `simulate`: a checkpoint written beside the step that is played.
// Its size and times are capacity's (capacity/checkpoint.h), the storage a document of
// configs/storage. Errors: InputError for one without the other, a name that is not known, a
// storage without a rate of its own.
#pragma once

#include <optional>
#include <string>

#include "engine/config_source.h"
#include "estimate/run.h"
#include "insight/simulation_report.h"

namespace orrery {

struct CheckpointChoice {
  std::string mode;
  std::string storage;
};

std::optional<SavedStates> saved_states(const CheckpointChoice& choice, const Run& run,
                                        const ConfigSource& configs);

}  // namespace orrery
