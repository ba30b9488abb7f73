// SPDX-License-Identifier: Apache-2.0
#include "report/rl_search.h"

#include "engine/commands/rl.h"
#include "engine/given_run.h"
#include "engine/printed_run.h"
#include "insight/rl_search_report.h"

namespace orrery {

std::optional<CommandAnswer> rl_search_answer(const RunSource& source, const OutputForm& output,
                                              const RlSearchQuestion& question,
                                              const std::string& print, const TypedRun& run) {
  if (!has_rl(source.json)) return {};
  const RlSearchReport r =
      report_on_rl_search(source.json, source.file, source.lookup, source.changes, question);
  if (!print.empty() && !r.best.empty()) {
    return printed_run(print, r.best[0].learner, source.json, source.lookup, output.json());
  }
  return CommandAnswer{
      r.best.empty() ? ExitCode::no : ExitCode::answer,
      output.json() ? AnswerText(rl_search_json(r)) : drawn(rl_search_document(r, run), output)};
}

}  // namespace orrery
