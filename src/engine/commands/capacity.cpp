// SPDX-License-Identifier: Apache-2.0
#include "report/capacity.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "document/html.h"
#include "engine/answer.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/plan_context.h"
#include "report/frame.h"

namespace orrery {
namespace {

struct CapacityCommand {
  GivenRun run;                // or a plan
  bool is_plan = false;        // the request says so
  std::vector<Override> plan;  // in the order of kPlanFlags
  bool search = false;
  unsigned jobs = 0;
  AnswerFormat format = AnswerFormat::json;
  Style style;
  std::string html;
};

// `plan` in place of `run`, where an object that has a key `run` is a run with changes.
bool take_plan(Request& request, GivenRun& given) {
  const auto plan = request.find("plan");
  if (!plan) return false;
  if (!given.name.empty() || given.document) plan->fail("a plan beside `run`", "one of the two");
  given.document = request_document(*plan);
  return true;
}

// 60 of a deadline could be days as well as seconds: these two ask for the unit.
void refuse_bare_number(const std::string& name, const Override& o) {
  const bool deadline = o.path == "require.deadline";
  if (!o.value.is_number() || (!deadline && o.path != "require.power")) return;
  throw UsageError(name + ": found " + brief(o.value) + " without a unit; allowed: " +
                   (deadline ? "a time such as 60d or 36h" : "a power such as 10MW or 500kW"));
}

CapacityCommand read_capacity_options(Request& request) {
  CapacityCommand c;
  c.run = given_run(request);
  c.is_plan = take_plan(request, c.run);
  for (const PlanFlag& flag : kPlanFlags) {
    const std::string key = key_of(flag.name);
    auto o = given_override(request, key, flag.path);
    if (!o) continue;
    refuse_bare_number(request.named(key), *o);
    c.plan.push_back(*std::move(o));
  }
  c.search = request.flag("search");
  c.jobs = static_cast<unsigned>(request.count("jobs", 0, 1, kMostWorkers));
  c.format = request.format(
      {AnswerFormat::json, AnswerFormat::text, AnswerFormat::csv, AnswerFormat::html});
  c.style = request.style();
  c.html = request.text("html");
  return c;
}

struct PlanSource {
  Json json;
  std::string file;
  std::string beside;
};

// Where the run of the request is a plan.
std::optional<PlanSource> plan_source(const CapacityCommand& c, const ConfigSource& configs) {
  const GivenRun& run = c.run;
  if (run.document) {
    if (!c.is_plan && !is_plan(run.document->json)) return {};
    return PlanSource{run.document->json, run.document->file, run.document->beside};
  }
  if (run.name.empty()) return {};
  const auto found = find_config(configs, ConfigKind::capacity, run.name);
  if (!found) return {};
  Json json = parse_json(found->text, found->file);
  if (!is_plan(json)) return {};
  return PlanSource{std::move(json), found->file, directory_of(found->file)};
}

void apply_options(const CapacityCommand& c, const ConfigLookup& lookup, Json& plan) {
  for (const Override& o : c.plan) apply_override(o, lookup, plan);
  if (c.search) plan["search"] = true;
}

AnswerText rendered(const CapacityReport& report, const CapacityCommand& c) {
  if (c.format == AnswerFormat::json) return AnswerText(capacity_json(report));
  const bool is_page = c.format == AnswerFormat::html;
  return drawn(is_page ? capacity_page(report) : capacity_document(report), {c.format, c.style});
}

CommandAnswer answer_plan(const CapacityCommand& c, const CommandContext& context,
                          const PlanSource& source) {
  const PlanContext plan = plan_context(context, source.beside, c.jobs);
  CapacityReport report;
  try {
    report.plan = read_plan(source.json, source.file, plan);
  } catch (const InputError& error) {
    throw named_after_flag(error, c.plan, source.file);
  }
  report.answer = answer(report.plan, plan);
  if (report.answer.is_stopped) return {ExitCode::interrupted};
  CommandAnswer a{is_answered(report) ? ExitCode::answer : ExitCode::no, rendered(report, c)};
  if (!c.html.empty()) a.files.push_back({c.html, html_of(capacity_page(report))});
  return a;
}

bool sets(const CapacityCommand& c, const std::string& path) {
  return std::any_of(c.plan.begin(), c.plan.end(),
                     [&](const Override& o) { return o.path == path; });
}

// The name of a file without directory and ending.
std::string stem_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  const std::string file = slash == std::string::npos ? name : name.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

// A run is a plan of one cluster, or of the smallest that meets what is required.
Json plan_of_run(const CapacityCommand& c, const Json& run) {
  const std::string& name = c.run.name;
  Json plan = {{"run", run}, {"name", name.empty() ? "run" : stem_of(name)}};
  const bool required =
      sets(c, "require.deadline") || sets(c, "require.budget") || sets(c, "require.power");
  if (required && !sets(c, "gpus")) plan["gpus"] = "smallest";
  return plan;
}

}  // namespace

CommandAnswer answer_capacity(Request& request, const CommandContext& context) {
  const CapacityCommand command = read_capacity_options(request);
  request.done();
  if (std::optional<PlanSource> source = plan_source(command, context.configs)) {
    const ConfigLookup lookup = config_lookup(context.configs, source->beside);
    for (const Override& o : command.run.overrides) apply_override(o, lookup, source->json);
    apply_options(command, lookup, source->json);
    return answer_plan(command, context, *source);
  }
  CommandAnswer answer;
  use_run(command.run, context, [&](const RunSource& run) {
    PlanSource source{plan_of_run(command, run.json), run.file, ""};
    apply_options(command, run.lookup, source.json);
    answer = answer_plan(command, context, source);
  });
  return answer;
}

}  // namespace orrery
