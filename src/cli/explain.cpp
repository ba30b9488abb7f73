// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "core/error.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

struct ExplainArguments {
  std::string first;
  std::string second;
  std::size_t depth = 3;
  RunArguments run;
};

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

ExitCode run_explain(ExplainArguments arguments, const Session& s) {
  // RUN METRIC, or METRIC alone where flags say the run.
  const bool alone = arguments.second.empty() && has_changes(arguments.run);
  const Metric& metric = metric_named(alone ? arguments.first : arguments.second);
  if (!alone) arguments.run.run = arguments.first;
  const ResolvedRun r = resolved_run(arguments.run, s);
  const Explanation e = explain(r, metric);
  if (s.json) {
    Json j = explain_json(e);
    j["rests_on"] = rests_on_json(r);
    j["inputs"] = reported_inputs(r);
    give(s, dump(j));
  } else {
    const std::string rests_on = calibration_line(r);
    give(s, (rests_on.empty() ? "" : rests_on + "\n\n") +
                explain_text(e, arguments.depth, style_of(s)));
  }
  return ExitCode::answer;
}

}  // namespace

Action declare_explain(CLI::App& app) {
  auto arguments = std::make_shared<ExplainArguments>();
  app.add_option("RUN", arguments->first, "run file: name, path or -");
  app.add_option("METRIC", arguments->second, "a key of `orrery list metrics`");
  app.add_option("--depth", arguments->depth, "levels below the metric")
      ->type_name("N")
      ->capture_default_str();
  add_run_flags(app, arguments->run);
  return [arguments](const Session& s) { return run_explain(*arguments, s); };
}

}  // namespace orrery
