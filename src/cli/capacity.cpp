// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/plan_context.h"
#include "cli/run_source.h"
#include "core/error.h"
#include "engine/overrides.h"
#include "engine/usage_error.h"
#include "io/files.h"
#include "report/capacity_report.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

// A key of the plan that a flag gives.
struct PlanFlag {
  const char* name;
  const char* path;
  const char* type;
  const char* help;
};

constexpr std::array kPlanFlags = {
    PlanFlag{"--deadline", "require.deadline", "TIME", "how long it may take: 60d, 36h"},
    PlanFlag{"--budget", "require.budget", "MONEY", "what it may cost: 50e6, \"50e6 USD\""},
    PlanFlag{"--power", "require.power", "WATTS", "what it may draw at most: 10MW"},
    PlanFlag{"--sizes", "gpus", "LIST", "numbers of GPUs: [512,1024], or smallest"},
    PlanFlag{"--start", "start", "DATE", "first day, 2027-01-31, for the last one"},
    PlanFlag{"--failures", "failures", "NAME",
             "failure rates: a name of configs/failures or a path"},
    PlanFlag{"--storage", "storage", "NAME", "storage: a name of configs/storage or a path"},
    PlanFlag{"--checkpoint", "checkpoint.mode", "MODE", "synchronous, two-phase or asynchronous"},
    PlanFlag{"--prices", "prices", "NAME", "prices: a name of configs/prices or a path"},
    PlanFlag{"--energy", "energy", "NAME",
             "power by load, PUE: a name of configs/energy or a path"},
    PlanFlag{"--corpus", "data.corpus", "NAME",
             "whose bytes a token the data set has: a name of `orrery list corpora`"},
    PlanFlag{"--spares", "spares", "N", "spare nodes (as many as keep the wait under 0.1 %)"},
    PlanFlag{"--rank", "rank", "BY", "what is best: cost, time, energy or gpus"},
    PlanFlag{"--seed", "seed", "N", "of the played failures (1)"},
};

struct CapacityArguments {
  RunArguments run;
  std::vector<std::string> values;  // in the order of the table
  bool search = false;
  bool html = false;
  unsigned jobs = 0;
};

struct PlanSource {
  Json json;
  std::string file;
  std::string beside;
};

std::optional<PlanSource> plan_source(const CapacityArguments& arguments, const ConfigDirs& dirs) {
  if (arguments.run.run.empty() || arguments.run.run == "-") return {};
  const auto found = find_config(dirs, ConfigKind::capacity, arguments.run.run);
  if (!found) return {};
  Json json = parse_json(found->text, found->file);
  if (!is_plan(json)) return {};
  return PlanSource{std::move(json), found->file,
                    std::filesystem::path(found->file).parent_path().string()};
}

bool is_given(const CapacityArguments& a, const std::string& flag) {
  for (std::size_t i = 0; i < kPlanFlags.size(); ++i) {
    if (flag == kPlanFlags[i].name) return !a.values[i].empty();
  }
  return false;
}

// 60 of a deadline could be days as well as seconds: these two ask for the unit.
void refuse_bare_number(const PlanFlag& flag, const Json& value) {
  const std::string path = flag.path;
  const bool deadline = path == "require.deadline";
  if (!value.is_number() || (!deadline && path != "require.power")) return;
  throw UsageError(std::string(flag.name) + ": found " + brief(value) +
                   " without a unit; allowed: " +
                   (deadline ? "a time such as 60d or 36h" : "a power such as 10MW or 500kW"));
}

std::vector<Override> plan_overrides(const CapacityArguments& arguments) {
  std::vector<Override> all;
  for (std::size_t i = 0; i < kPlanFlags.size(); ++i) {
    if (arguments.values[i].empty()) continue;
    const PlanFlag& flag = kPlanFlags[i];
    all.push_back(make_override(flag.name, flag.path, arguments.values[i]));
    refuse_bare_number(flag, all.back().value);
  }
  return all;
}

void apply_plan_flags(const CapacityArguments& arguments, const ConfigLookup& lookup, Json& plan) {
  for (const Override& o : plan_overrides(arguments)) apply_override(o, lookup, plan);
  if (arguments.search) plan["search"] = true;
}

ExitCode give_answer(const CapacityArguments& arguments, const Session& s,
                     const PlanSource& source) {
  const PlanContext context = plan_context(dirs_of(s), source.beside, arguments.jobs);
  CapacityReport report;
  try {
    report.plan = read_plan(source.json, source.file, context);
  } catch (const InputError& error) {
    throw named_after_flag(error, plan_overrides(arguments), source.file);
  }
  report.answer = answer(report.plan, context);
  give(s, s.json           ? dump(capacity_json(report))
          : s.csv          ? capacity_csv(report)
          : arguments.html ? capacity_html(report)
                           : capacity_text(report, style_of(s)));
  return is_answered(report) ? ExitCode::answer : ExitCode::no;
}

// A run is a plan of one cluster, or of the smallest that meets what is required.
Json plan_of_run(const CapacityArguments& arguments, const Json& run) {
  const std::filesystem::path name(arguments.run.run);
  Json plan = {{"run", run}, {"name", name.empty() ? "run" : name.stem().string()}};
  const bool required = is_given(arguments, "--deadline") || is_given(arguments, "--budget") ||
                        is_given(arguments, "--power");
  if (required && !is_given(arguments, "--sizes")) plan["gpus"] = "smallest";
  return plan;
}

ExitCode run_capacity(const CapacityArguments& arguments, const Session& s) {
  if (arguments.html && (s.json || s.csv)) {
    throw UsageError("--html: give it without --json and --csv");
  }
  const ConfigDirs dirs = dirs_of(s);
  if (std::optional<PlanSource> source = plan_source(arguments, dirs)) {
    const ConfigLookup lookup = config_lookup(dirs, source->beside);
    for (const Override& o : overrides_of(arguments.run)) apply_override(o, lookup, source->json);
    apply_plan_flags(arguments, lookup, source->json);
    return give_answer(arguments, s, *source);
  }
  ExitCode code = ExitCode::answer;
  use_run(arguments.run, s, [&](const RunSource& run) {
    PlanSource source{plan_of_run(arguments, run.json), run.file, ""};
    apply_plan_flags(arguments, run.lookup, source.json);
    code = give_answer(arguments, s, source);
  });
  return code;
}

}  // namespace

Action declare_capacity(CLI::App& app) {
  auto arguments = std::make_shared<CapacityArguments>();
  add_run_options(app, arguments->run);
  arguments->values.resize(kPlanFlags.size());
  for (std::size_t i = 0; i < kPlanFlags.size(); ++i) {
    app.add_option(kPlanFlags[i].name, arguments->values[i], kPlanFlags[i].help)
        ->type_name(kPlanFlags[i].type)
        ->group("The plan");
  }
  app.add_flag("--search", arguments->search,
               "the best strategy at each size, also for a run that has its own")
      ->group("The plan");
  app.add_flag("--html", arguments->html, "one page with charts, for print too; give -o FILE");
  app.add_option("--jobs", arguments->jobs, "threads of a search (all the machine has)")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  return [arguments](const Session& s) { return run_capacity(*arguments, s); };
}

}  // namespace orrery
