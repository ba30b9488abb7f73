// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/usage_error.h"
#include "insight/training_against.h"
#include "report/comm.h"
#include "report/comm_against_text.h"
#include "report/estimate_json.h"
#include "report/memory.h"
#include "report/training_against_text.h"

namespace orrery {
namespace {

ExitCode code_of(const RunReport& r) { return is_feasible(r) ? ExitCode::answer : ExitCode::no; }

CommandAnswer answer_against(const CommReport& report, const NamedText& file, const Look& look) {
  CommAgainst a{report, read_comm_log(file.text, file.name), file.name, {}};
  a.comparison = compare(a.report.messages, a.log);
  return {code_of(a.report.run), look.json()  ? dump(comm_against_json(a))
                                 : look.csv() ? comm_against_csv(a)
                                              : comm_against_text(a, look.style)};
}

}  // namespace

CommandAnswer answer_estimate(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const auto log = request.file("against");
  const Look look = request.look();
  request.done();
  if (log && look.csv()) throw UsageError(request.named("against") + ": give it without --csv");
  const RunReport r = report_on(resolved_run(given, context));
  if (log) {
    const TrainingLog told = read_training_log(log->text, log->name);
    return {ExitCode::answer,
            look.json() ? dump(training_json(r, told)) : training_text(r, told, look.style)};
  }
  return {code_of(r), look.json() ? dump(estimate_json(r)) : drawn(estimate_document(r), look)};
}

CommandAnswer answer_memory(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const Look look = request.look();
  request.done();
  const RunReport r = report_on(resolved_run(given, context));
  return {code_of(r), look.json() ? dump(memory_json(r)) : drawn(memory_document(r), look)};
}

CommandAnswer answer_comm(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const auto log = request.file("against");
  const Look look = request.look();
  request.done();
  const CommReport r = comm_report_on(resolved_run(given, context));
  if (log) return answer_against(r, *log, look);
  return {code_of(r.run), look.json() ? dump(comm_json(r)) : drawn(comm_document(r), look)};
}

}  // namespace orrery
