// SPDX-License-Identifier: Apache-2.0
//
// Refuses to write settings that would train another run: a schedule that the tool lacks; and for
// Megatron-LM, whose settings are a whole launch, any key of `model`, `training` or `parallel` that
// it cannot express and that changes the predicted step or memory.
//
// Not refused: a framework's own switches (they say how the software runs, and are listed), the
// states of another framework's profile, and settings that DeepSpeed and torchtitan leave to a
// script. Errors: InputError with the run's file, the key, its value and the tool's values.
#pragma once

#include "exchange/foreign.h"

namespace orrery {

void refuse_other_schedule(ForeignFormat format, const ResolvedRun& resolved);

// `run` is the run file that `resolved` came from.
void refuse_lost_keys(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                      const std::vector<NotSaid>& not_said, const ConfigLookup& lookup);

}  // namespace orrery
