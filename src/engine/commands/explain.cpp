// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include "core/error.h"
#include "document/text.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

constexpr std::int64_t kDepth = 3;

// The key, or the last part of one.
const Metric& metric_named(const std::string& name) {
  if (const Metric* m = find_metric(name)) return *m;
  for (const Metric& m : metrics()) {
    const std::size_t dot = m.key.rfind('.');
    if (dot != std::string_view::npos && m.key.substr(dot + 1) == name) return m;
  }
  throw InputError("orrery explain", "", name.empty() ? "no metric" : "the metric \"" + name + "\"",
                   "a key of `orrery list metrics`", nearest_name(name, metric_keys()));
}

Json document_of(const ResolvedRun& r, const Explanation& e) {
  Json j = explain_json(e);
  j["rests_on"] = rests_on_json(r);
  j["inputs"] = reported_inputs(r);
  return j;
}

}  // namespace

CommandAnswer answer_explain(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const std::string name = request.text("metric");
  const auto depth = static_cast<std::size_t>(request.count("depth", kDepth, 0));
  const Look look = request.look();
  request.done();
  const Metric& metric = metric_named(name);
  const ResolvedRun r = resolved_run(given, context);
  const Explanation e = explain(r, metric);
  if (look.json()) return {ExitCode::answer, dump(document_of(r, e))};
  return {ExitCode::answer, text_of(explain_document(r, e, depth), look.style)};
}

}  // namespace orrery
