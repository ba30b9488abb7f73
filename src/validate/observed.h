// SPDX-License-Identifier: Apache-2.0
//
// Step times of a user's own, to set the level of a stack by: a file of runs, or a training log.
//
// A file of runs is a JSON array of {"run": name, path or object, "step_time": "12.3 s"}; rows of a
// validation file, with "measured": {"step_time_s": 12.3}, do too. A log is any other text with
// Megatron's "elapsed time per iteration (ms): 12345.6" (Megatron-LM, Megatron-DeepSpeed, NeMo) in
// its lines: the median of all but the first few iterations, for the run at hand. Leaves out logs
// that print tokens or TFLOP/s only. Errors: InputError with file and path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "orrery/quantity.h"

namespace orrery {

struct ObservedStep {
  std::optional<Json> run;  // none: the run at hand
  Seconds time{};
};

// All keys of an entry of such a file, for the catalog of documents.
struct KeyTable;
extern const KeyTable kObservedDocument;

std::vector<ObservedStep> read_observed(std::string_view text, const std::string& file);

}  // namespace orrery
