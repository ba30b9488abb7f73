// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate`, `memory`, `search`, `compare` and `simulate` of a run with
// training.rl. Errors: InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/answer.h"
#include "engine/request.h"

namespace orrery {

struct CommandContext;
struct GivenRun;
struct RunSource;
struct TypedRun;
struct RlSearchQuestion;

// Nothing where the run has no training.rl.
// `brief`: the run as it is typed, for an answer on one screen; null: every table.
std::optional<CommandAnswer> rl_estimate(const RunSource& source, const OutputForm& output,
                                         const TypedRun* brief);
std::optional<CommandAnswer> rl_memory(const RunSource& source, const OutputForm& output);

// Nothing where none of the runs has training.rl.
std::optional<CommandAnswer> rl_compare(const std::vector<GivenRun>& runs, const OutputForm& output,
                                        const CommandContext& context);

// A metric by its name, expanded.
std::optional<CommandAnswer> rl_explain(const RunSource& source, const OutputForm& output,
                                        const std::string& metric, std::size_t depth);

// Options of `simulate` beside the run; "" for no file.
struct RlSimulateCommand {
  std::int64_t steps = 0;  // 0: as many as usual
  std::uint64_t seed = 1;
  std::string trace;
  std::string html;
};
std::optional<CommandAnswer> rl_simulate(const RunSource& source, const OutputForm& output,
                                         const RlSimulateCommand& command);

// `print`: a format, or "" for the answer.
std::optional<CommandAnswer> rl_search_answer(const RunSource& source, const OutputForm& output,
                                              const RlSearchQuestion& question,
                                              const std::string& print, const TypedRun& run);

}  // namespace orrery
