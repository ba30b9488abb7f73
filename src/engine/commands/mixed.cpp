// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/mixed.h"

#include "engine/given_run.h"
#include "insight/mixed_report.h"
#include "report/explain.h"
#include "report/frame_json.h"
#include "report/mixed.h"

namespace orrery {
namespace {

std::optional<MixedReport> mixed_report(const RunSource& source) {
  if (!has_groups(source.json)) return {};
  return mixed_report_on(resolve_mixed(source.json, source.file, source.lookup, source.changes));
}

template <class OfDocument, class OfJson>
std::optional<CommandAnswer> answer(const RunSource& source, const OutputForm& output,
                                    OfDocument&& document, OfJson&& json) {
  const std::optional<MixedReport> r = mixed_report(source);
  if (!r) return {};
  return CommandAnswer{is_feasible(r->whole) ? ExitCode::answer : ExitCode::no,
                       output.json() ? AnswerText(json(*r)) : drawn(document(*r), output)};
}

}  // namespace

std::optional<CommandAnswer> mixed_estimate(const RunSource& source, const OutputForm& output,
                                            const TypedRun* brief) {
  const auto document = [brief](const MixedReport& r) {
    return brief != nullptr ? mixed_summary(r, *brief) : mixed_document(r);
  };
  return answer(source, output, document, mixed_json);
}

std::optional<CommandAnswer> mixed_memory(const RunSource& source, const OutputForm& output) {
  return answer(source, output, mixed_memory_document, mixed_memory_json);
}

std::optional<CommandAnswer> mixed_comm(const RunSource& source, const OutputForm& output) {
  return answer(source, output, mixed_comm_document, mixed_comm_json);
}

std::optional<CommandAnswer> mixed_explain(const RunSource& source, const Metric& metric,
                                           std::size_t depth, const OutputForm& output) {
  const std::optional<MixedReport> r = mixed_report(source);
  if (!r) return {};
  const Explanation e = explain(*r, metric);
  if (!output.json()) {
    return CommandAnswer{ExitCode::answer,
                         drawn(explain_document(r->whole.resolved, e, depth), output)};
  }
  Json j = explain_json(e);
  j["inputs"] = reported_inputs(r->whole.resolved);
  return CommandAnswer{ExitCode::answer, AnswerText(versioned(std::move(j)))};
}

}  // namespace orrery
