// SPDX-License-Identifier: Apache-2.0
//
// Refuses to write a run in the words of a tool that would then train another one: a schedule the
// tool does not have; and, for Megatron-LM, whose words are a whole launch, any key of `model`,
// `training` or `parallel` that its words do not say and without which the predicted step or memory
// is another.
//
// A framework's own switches are no part of it (they say how the software runs, and are listed),
// nor the states of another framework's profile, nor what DeepSpeed and torchtitan leave to a
// script. Errors: InputError with the run's file, the key, what it is and what the tool has.
#pragma once

#include "exchange/foreign.h"

namespace orrery {

void refuse_other_schedule(ForeignFormat format, const ResolvedRun& resolved);

// `run` is the run file that `resolved` came from.
void refuse_lost_keys(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                      const std::vector<NotSaid>& not_said, const ConfigLookup& lookup);

}  // namespace orrery
