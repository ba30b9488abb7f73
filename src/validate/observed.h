// SPDX-License-Identifier: Apache-2.0
//
// Step times of a user's own, to set the level of a stack by: a JSON array of {"run": name, path or
// object, "step_time": "12.3 s"}; rows of a validation file, with "measured": {"step_time_s":
// 12.3}, do too; of a site, also its rate or the memory of its device. Logs of a training are
// exchange/logs/training_log.h's. Errors: InputError with file and path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "orrery/quantity.h"
#include "validate/rows.h"

namespace orrery {

struct ObservedStep {
  std::optional<Json> run;  // none: the run at hand
  Seconds time{};           // 0: `measured` alone
  Measured measured;        // of a row
};

// All keys of an entry of such a file, for the catalog of documents.
struct KeyTable;
extern const KeyTable kObservedDocument;

std::vector<ObservedStep> read_observed(std::string_view text, const std::string& file);

}  // namespace orrery
