// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/mixed.h"

#include "engine/given_run.h"
#include "insight/mixed_report.h"
#include "insight/mixed_simulation.h"
#include "report/mixed.h"
#include "report/mixed_simulation.h"

namespace orrery {
namespace {

template <class OfDocument, class OfJson>
std::optional<CommandAnswer> answer(const RunSource& source, const OutputForm& output,
                                    OfDocument&& document, OfJson&& json) {
  const std::optional<MixedReport> r = mixed_report(source);
  if (!r) return {};
  return CommandAnswer{is_feasible(r->whole) ? ExitCode::answer : ExitCode::no,
                       output.json() ? AnswerText(json(*r)) : drawn(document(*r), output)};
}

}  // namespace

std::optional<MixedReport> mixed_report(const RunSource& source) {
  if (!has_groups(source.json)) return {};
  return mixed_report_on(resolve_mixed(source.json, source.file, source.lookup, source.changes));
}

std::optional<CommandAnswer> mixed_simulate(const RunSource& source, const OutputForm& output) {
  if (!has_groups(source.json)) return {};
  const PlayedMixed r = played_mixed(*mixed_report(source));
  return CommandAnswer{is_feasible(r.report.whole) ? ExitCode::answer : ExitCode::no,
                       output.json() ? AnswerText(mixed_simulation_json(r))
                                     : drawn(mixed_simulation_document(r), output)};
}

std::optional<CommandAnswer> mixed_estimate(const RunSource& source, const OutputForm& output) {
  return answer(source, output, mixed_document, mixed_json);
}

std::optional<CommandAnswer> mixed_memory(const RunSource& source, const OutputForm& output) {
  return answer(source, output, mixed_memory_document, mixed_memory_json);
}

std::optional<CommandAnswer> mixed_comm(const RunSource& source, const OutputForm& output) {
  return answer(source, output, mixed_comm_document, mixed_comm_json);
}

}  // namespace orrery
