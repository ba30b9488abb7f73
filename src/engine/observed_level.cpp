// SPDX-License-Identifier: Apache-2.0
#include "engine/observed_level.h"

#include <cmath>

#include "core/error.h"
#include "estimate/estimate.h"
#include "validate/observed.h"

namespace orrery {
namespace {

// The run of a step: the one at hand, an object of the file, or one by name or path.
RunSource run_of(const ObservedStep& step, const RunSource& at_hand, const std::string& file,
                 const ConfigSource& configs) {
  if (!step.run) return {at_hand.json, file, "", {}};
  const std::string beside = directory_of(file);
  if (step.run->is_object()) return {*step.run, file, beside, {}};
  const std::string name = step.run->get<std::string>();
  // Beside its file first: a path in a document is that document's own.
  const std::string own = beside.empty() ? name : beside + "/" + name;
  const bool there = is_path(name) && configs.open && configs.open(own);
  GivenRun given;
  given.name = there ? own : name;
  RunSource found;
  use_run(given, {configs, {}}, [&found](const RunSource& source) { found = source; });
  return found;
}

double log_of(const ObservedStep& step, RunSource run, const ConfigSource& configs) {
  run.json.erase("stack");
  const ResolvedRun resolved = resolve_run(run.json, run.file, config_lookup(configs, run.beside));
  return std::log(step.time / estimate(resolved.run).step_time);
}

}  // namespace

void set_observed_level(const NamedText& observed, const ConfigSource& configs, RunSource& run) {
  const auto found = run.lookup.accuracy();
  if (!found) {
    throw InputError("--observed", "", "no accuracy.json beside the configurations",
                     "the table of how far stacks lie apart");
  }
  std::vector<double> logs;
  for (const ObservedStep& step : read_observed(observed.text, observed.name)) {
    logs.push_back(log_of(step, run_of(step, run, observed.name, configs), configs));
  }
  const StackLevel level = stack_level(read_accuracy(found->text, found->file), logs);
  run.json["stack"] = {{"factor", level.factor}, {"spread", level.spread}, {"steps", level.steps}};
}

}  // namespace orrery
