// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/rl.h"

#include <algorithm>

#include "core/error.h"
#include "document/html.h"
#include "engine/given_run.h"
#include "engine/printed_run.h"
#include "insight/rl_compare.h"
#include "insight/rl_report.h"
#include "insight/rl_simulation.h"
#include "report/frame_json.h"
#include "report/rl.h"
#include "report/rl_compare.h"
#include "report/rl_explain.h"
#include "report/rl_simulate.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

CommandAnswer answered(const RlReport& r, AnswerText text) {
  return {r.step.fits ? ExitCode::answer : ExitCode::no, std::move(text)};
}

}  // namespace

std::optional<CommandAnswer> rl_estimate(const RunSource& source, const OutputForm& output,
                                         const TypedRun* brief) {
  if (!has_rl(source.json)) return {};
  const RlReport r =
      rl_report_with_alternatives(source.json, source.file, source.lookup, source.changes);
  if (output.json()) return answered(r, AnswerText(rl_json(r)));
  return answered(r, drawn(brief != nullptr ? rl_summary(r, *brief) : rl_document(r), output));
}

std::optional<CommandAnswer> rl_memory(const RunSource& source, const OutputForm& output) {
  if (!has_rl(source.json)) return {};
  const RlReport r =
      rl_report_on(resolve_learner(source.json, source.file, source.lookup, source.changes));
  return answered(
      r, output.json() ? AnswerText(rl_memory_json(r)) : drawn(rl_memory_document(r), output));
}

std::optional<CommandAnswer> rl_explain(const RunSource& source, const OutputForm& output,
                                        const std::string& metric, std::size_t depth) {
  if (!has_rl(source.json)) return {};
  const ResolvedRun learner =
      resolve_learner(source.json, source.file, source.lookup, source.changes);
  const Explanation e = explain_rl(learner, rl_step_alone(learner), metric);
  if (!output.json())
    return CommandAnswer{ExitCode::answer, drawn(explain_document(learner, e, depth), output)};
  Json j = explain_json(e);
  j["rests_on"] = rests_on_json(learner);
  j["inputs"] = reported_inputs(learner);
  return CommandAnswer{ExitCode::answer, AnswerText(versioned(std::move(j)))};
}

std::optional<CommandAnswer> rl_compare(const std::vector<GivenRun>& runs, const OutputForm& output,
                                        const CommandContext& context) {
  std::vector<NamedRlRun> all;
  std::size_t without = 0;
  for (const GivenRun& one : runs) {
    use_run(one, context, [&](const RunSource& source) {
      if (!has_rl(source.json)) {
        ++without;
        return;
      }
      all.push_back(
          {one.document ? one.document->file : one.name, source.json,
           rl_report_on(resolve_learner(source.json, source.file, source.lookup, source.changes))});
    });
  }
  if (all.empty()) return {};
  if (without > 0) {
    throw InputError("orrery compare", "", "runs with and without training.rl",
                     "steps of one kind: all with training.rl or none");
  }
  const bool fit =
      std::all_of(all.begin(), all.end(), [](const NamedRlRun& r) { return r.report.step.fits; });
  const RlComparison c = compare_rl(std::move(all), config_lookup(context.configs));
  return CommandAnswer{
      fit ? ExitCode::answer : ExitCode::no,
      output.json() ? AnswerText(rl_comparison_json(c)) : drawn(rl_comparison_document(c), output)};
}

std::optional<CommandAnswer> rl_simulate(const RunSource& source, const OutputForm& output,
                                         const RlSimulateCommand& command) {
  if (!has_rl(source.json)) return {};
  const std::int64_t steps = command.steps == 0 ? kStepsPlayed : command.steps;
  if (steps < 1 || steps > kMostStepsPlayed) {
    throw InputError("command line", "--steps", std::to_string(steps),
                     "1 to " + std::to_string(kMostStepsPlayed));
  }
  const RlSimulation s = rl_simulation(
      rl_report_on(resolve_learner(source.json, source.file, source.lookup, source.changes)), steps,
      command.seed);
  CommandAnswer answer = answered(
      s.report, output.json() ? AnswerText(rl_simulation_json(s))
                              : drawn(rl_simulation_document(s, output.style.width), output));
  if (!command.trace.empty()) answer.files.push_back({command.trace, rl_trace(s)});
  if (!command.html.empty()) {
    answer.files.push_back({command.html, html_of(rl_timeline_page(s))});
  }
  return answer;
}

}  // namespace orrery
