// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "engine/usage_error.h"
#include "insight/training_against.h"
#include "io/files.h"
#include "report/estimate_json.h"
#include "report/training_against_text.h"

namespace orrery {
namespace {

struct EstimateArguments {
  RunArguments run;
  std::string log;
};

ExitCode run_estimate(const EstimateArguments& arguments, const Session& s) {
  if (!arguments.log.empty() && s.csv) throw UsageError("--against: give it without --csv");
  const RunReport r = report_on(resolved_run(arguments.run, s));
  if (!arguments.log.empty()) {
    const TrainingLog log = read_training_log(read_text(arguments.log), arguments.log);
    give(s, s.json ? dump(training_json(r, log)) : training_text(r, log, style_of(s)));
    return ExitCode::answer;
  }
  if (s.json) {
    give(s, dump(estimate_json(r)));
  } else {
    give(s, estimate_document(r));
  }
  return is_feasible(r) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_estimate(CLI::App& app) {
  auto arguments = std::make_shared<EstimateArguments>();
  add_run_options(app, arguments->run);
  app.add_option("--against", arguments->log,
                 "a training log of this run (Megatron-LM, DeepSpeed, torchtitan): where the step "
                 "differs, term by term")
      ->type_name("LOG");
  return [arguments](const Session& s) { return run_estimate(*arguments, s); };
}

}  // namespace orrery
