// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "core/error.h"
#include "report/estimate_json.h"
#include "report/simulate_report.h"

namespace orrery {
namespace {

struct Arguments {
  RunArguments run;
  std::vector<std::string> with;
  std::vector<std::string> without;
};

struct Switch {
  const char* name;
  bool Effects::*effect;
};

constexpr std::array kSwitches = {
    Switch{"contention", &Effects::contention},
    Switch{"slowdown", &Effects::slowdown},
    Switch{"send-overlap", &Effects::sends_overlap},
};

void set_switch(Effects& e, const char* flag, const std::string& name, bool to) {
  for (const Switch& s : kSwitches) {
    if (name != s.name) continue;
    e.*s.effect = to;
    return;
  }
  std::vector<std::string> names;
  for (const Switch& s : kSwitches) names.emplace_back(s.name);
  throw InputError("command line", flag, "\"" + name + "\"", alternatives(names),
                   nearest_name(name, names));
}

Effects effects_of(const Arguments& arguments) {
  Effects e;
  for (const std::string& name : arguments.with) set_switch(e, "--with", name, true);
  for (const std::string& name : arguments.without) set_switch(e, "--without", name, false);
  return e;
}

void refuse_too_many(const ResolvedRun& r) {
  const std::int64_t n = passes_of(r.run);
  if (n <= kMostPasses) return;
  throw InputError(r.file, "training.global_batch",
                   std::to_string(n) + " passes of micro batches through stages",
                   "up to " + std::to_string(kMostPasses) + "; `orrery estimate` has no limit");
}

ExitCode run_simulate(const Arguments& arguments, const Session& s) {
  SimulationOptions options;
  options.effects = effects_of(arguments);
  ResolvedRun resolved = resolved_run(arguments.run, s);
  refuse_too_many(resolved);
  const SimulationReport r = report_on_simulation(std::move(resolved), options);
  give(s, s.json  ? dump(simulation_json(r))
          : s.csv ? simulation_csv(r)
                  : simulation_text(r, style_of(s)));
  return is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
}

}  // namespace

Action declare_simulate(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  add_run_options(app, arguments->run);
  const auto names = [&app](const char* flag, std::vector<std::string>& to, const char* help) {
    app.add_option(flag, to, help)->type_name("NAME")->delimiter(',')->allow_extra_args(false);
  };
  names("--without", arguments->without,
        "leave an effect out: contention (for links), send-overlap (a stage goes on while it "
        "sends); what collectives hide is parallel.overlap of the run file");
  names("--with", arguments->with,
        "take one in: slowdown (of kernels beside a reduction or gather)");
  return [arguments](const Session& s) { return run_simulate(*arguments, s); };
}

}  // namespace orrery
