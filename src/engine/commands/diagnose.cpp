// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/logged_lengths.h"
#include "engine/typed_run.h"
#include "exchange/logs/rl_log.h"
#include "exchange/messages/nccl_rows.h"
#include "insight/diagnosis.h"
#include "insight/rl_report.h"
#include "report/diagnosis.h"
#include "report/rl_against.h"
#include "report/rl_diagnosis.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

struct DiagnoseChoice {
  std::optional<NamedText> log;
  GivenRun run;
};

constexpr std::array kDiagnoseOptions = {
    Option{into<&DiagnoseChoice::log>(), "FILE", "",
           "a training log, an out-of-memory message, memory_summary(), nccl-tests' output, "
           "nvidia-smi; or - for stdin",
           "log"},
    Option{{OptionKind::text},
           "--run",
           "RUN",
           "the run that it is of: name or path; or describe it by flags",
           "run"},
    Option{into<&DiagnoseChoice::run>(OptionKind::run_flags)},
};

bool says_run(const GivenRun& run) {
  return !run.name.empty() || run.document || !run.overrides.empty();
}

// nccl-tests' rows stand for themselves: a node alone beside them is no run that lacks a model.
bool needs_no_run(const DiagnoseChoice& c) {
  if (!c.run.name.empty() || c.run.document || read_nccl_rows(c.log->text).empty()) return false;
  return !sets_model(c.run);
}

std::optional<RunReport> report_of(const GivenRun& given, const CommandContext& context) {
  if (!says_run(given)) return {};
  RunReport r;
  use_run(given, context, [&r](const RunSource& source) {
    r = has_rl(source.json)
            ? report_on(resolve_learner(source.json, source.file, source.lookup, source.changes))
            : report_with_remedy(source.json, source.file, source.lookup, source.changes);
  });
  return r;
}

// A log of reinforcement learning, beside its run where one is given.
std::optional<CommandAnswer> of_rl(const DiagnoseChoice& choice, const OutputForm& output,
                                   const CommandContext& context) {
  const RlLog log = read_rl_log(choice.log->text);
  if (log.form.empty()) return {};
  std::optional<RlReport> report;
  if (says_run(choice.run)) {
    use_run(choice.run, context, [&](const RunSource& source) {
      if (!has_rl(source.json)) return;
      Json run = source.json;
      std::vector<Fact> changes = source.changes;
      take_lengths(log, run, changes);
      report = rl_report_on(resolve_learner(run, source.file, source.lookup, changes));
    });
    if (!report) {
      throw InputError("orrery diagnose", "", "a log of " + log.form + "'s reinforcement learning",
                       "a run with training.rl beside it");
    }
  }
  const RlReport* r = report ? &*report : nullptr;
  return CommandAnswer{
      ExitCode::answer,
      output.json()
          ? AnswerText(rl_against_json(log, r))
          : drawn(rl_against_document(log, choice.log->name, r, typed_run(choice.run)), output)};
}

// A message of memory of such a run.
std::optional<CommandAnswer> message_of_rl(const DiagnoseChoice& choice, const OutputForm& output,
                                           const CommandContext& context) {
  if (!says_run(choice.run)) return {};
  std::optional<RlReport> report;
  use_run(choice.run, context, [&](const RunSource& source) {
    if (!has_rl(source.json)) return;
    report = rl_report_with_alternatives(source.json, source.file, source.lookup, source.changes);
  });
  if (!report) return {};
  const Diagnosis d = diagnosis_of(choice.log->text, choice.log->name, {});
  if (d.messages.empty()) return {};
  return CommandAnswer{
      ExitCode::answer,
      output.json() ? AnswerText(rl_diagnosis_json(d, *report))
                    : drawn(rl_diagnosis_document(d, *report, typed_run(choice.run)), output)};
}

CommandAnswer answer_diagnose(Request& request, const CommandContext& context) {
  const auto choice = read_options<DiagnoseChoice>(kDiagnoseOptions, request);
  const OutputForm output = request.output();
  request.done();
  if (!choice.log)
    throw InputError("orrery diagnose", "", "no text", "FILE, or - for standard input");
  if (auto answer = of_rl(choice, output, context)) return *std::move(answer);
  if (!needs_no_run(choice)) {
    if (auto answer = message_of_rl(choice, output, context)) return *std::move(answer);
  }
  const Diagnosis d = diagnosis_of(
      choice.log->text, choice.log->name,
      needs_no_run(choice) ? std::optional<RunReport>() : report_of(choice.run, context));
  return {ExitCode::answer, output.json()
                                ? AnswerText(diagnosis_json(d))
                                : drawn(diagnosis_document(d, typed_run(choice.run)), output)};
}

}  // namespace

const CommandRow kDiagnoseCommand = {"diagnose", answer_diagnose, kDiagnoseOptions};

}  // namespace orrery
