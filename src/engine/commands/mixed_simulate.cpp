// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/mixed.h"
#include "engine/given_run.h"
#include "insight/mixed_simulation.h"
#include "report/mixed_simulation.h"

namespace orrery {

std::optional<CommandAnswer> mixed_simulate(const RunSource& source, const OutputForm& output) {
  if (!has_groups(source.json)) return {};
  const PlayedMixed r = played_mixed(
      mixed_report_on(resolve_mixed(source.json, source.file, source.lookup, source.changes)));
  return CommandAnswer{is_feasible(r.report.whole) ? ExitCode::answer : ExitCode::no,
                       output.json() ? AnswerText(mixed_simulation_json(r))
                                     : drawn(mixed_simulation_document(r), output)};
}

}  // namespace orrery
