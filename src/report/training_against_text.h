// SPDX-License-Identifier: Apache-2.0
//
// A training log beside the estimate of its run: for a person and as JSON.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/words.h"
#include "insight/training_against.h"

namespace orrery {

std::string training_text(const RunReport& r, const TrainingLog& log, const Style& style);
Json training_json(const RunReport& r, const TrainingLog& log);

}  // namespace orrery
