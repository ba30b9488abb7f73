// SPDX-License-Identifier: Apache-2.0
//
// The answer to `estimate --json` and the rows of `--csv`. Keys come from report/metrics.h. Every
// number is finite: another one is a fault of Orrery's own (std::logic_error), never printed.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "insight/run_report.h"

namespace orrery {

inline constexpr int kSchemaVersion = 1;

Json estimate_json(const RunReport& r);

// `communication` of an estimate.
Json communication_json(const RunReport& r);

// Adds what stands in every answer about a run: warnings, inputs, versions.
void add_frame(const RunReport& r, Json& j);

// The answer to `memory --json`: feasible, reasons and `memory` as in estimate_json, with inputs.
Json memory_json(const RunReport& r);

// The value of a key *_gib.
inline double gib(Bytes b) { return b / kGiB; }

// `inputs` with what was assumed, and one line for each warning.
Json reported_inputs(const ResolvedRun& r);

// Refuses NaN and infinities anywhere in the document.
void check_finite(const Json& j);

std::string dump(const Json& j);

}  // namespace orrery
