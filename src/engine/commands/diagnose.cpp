// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/typed_run.h"
#include "insight/diagnosis.h"
#include "report/diagnosis.h"

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

std::optional<RunReport> report_of(const GivenRun& given, const CommandContext& context) {
  if (!says_run(given)) return {};
  RunReport r;
  use_run(given, context, [&r](const RunSource& source) {
    r = report_with_remedy(source.json, source.file, source.lookup, source.changes);
  });
  return r;
}

CommandAnswer answer_diagnose(Request& request, const CommandContext& context) {
  const auto choice = read_options<DiagnoseChoice>(kDiagnoseOptions, request);
  const OutputForm output = request.output();
  request.done();
  if (!choice.log)
    throw InputError("orrery diagnose", "", "no text", "FILE, or - for standard input");
  const Diagnosis d =
      diagnosis_of(choice.log->text, choice.log->name, report_of(choice.run, context));
  return {ExitCode::answer, output.json()
                                ? AnswerText(diagnosis_json(d))
                                : drawn(diagnosis_document(d, typed_run(choice.run)), output)};
}

}  // namespace

const CommandRow kDiagnoseCommand = {"diagnose", answer_diagnose, kDiagnoseOptions};

}  // namespace orrery
