// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/rl.h"

#include "engine/given_run.h"
#include "insight/rl_report.h"
#include "report/rl.h"

namespace orrery {
namespace {

CommandAnswer answered(const RlReport& r, AnswerText text) {
  return {r.step.fits ? ExitCode::answer : ExitCode::no, std::move(text)};
}

}  // namespace

std::optional<CommandAnswer> rl_estimate(const RunSource& source, const OutputForm& output) {
  if (!has_rl(source.json)) return {};
  const RlReport r =
      rl_report_with_alternatives(source.json, source.file, source.lookup, source.changes);
  return answered(r, output.json() ? AnswerText(rl_json(r)) : drawn(rl_document(r), output));
}

std::optional<CommandAnswer> rl_memory(const RunSource& source, const OutputForm& output) {
  if (!has_rl(source.json)) return {};
  const RlReport r =
      rl_report_on(resolve_with_rl(source.json, source.file, source.lookup, source.changes));
  return answered(
      r, output.json() ? AnswerText(rl_memory_json(r)) : drawn(rl_memory_document(r), output));
}

}  // namespace orrery
