// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate`, `memory`, `comm` and `explain` of a run with cluster.groups. Errors:
// InputError.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/answer.h"
#include "engine/request.h"

namespace orrery {

struct Metric;
struct RunSource;
struct TypedRun;

// Nothing where the run has no groups.
// `brief`: the run as it is typed, for an answer on one screen; null: every table.
std::optional<CommandAnswer> mixed_estimate(const RunSource& source, const OutputForm& output,
                                            const TypedRun* brief);
std::optional<CommandAnswer> mixed_memory(const RunSource& source, const OutputForm& output);
std::optional<CommandAnswer> mixed_comm(const RunSource& source, const OutputForm& output);
std::optional<CommandAnswer> mixed_explain(const RunSource& source, const Metric& metric,
                                           std::size_t depth, const OutputForm& output);

// The step played.
std::optional<CommandAnswer> mixed_simulate(const RunSource& source, const OutputForm& output);

}  // namespace orrery
