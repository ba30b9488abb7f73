// SPDX-License-Identifier: Apache-2.0
#include "report/search.h"

#include <optional>

#include "core/error.h"
#include "document/html.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/printed_run.h"
#include "explore/search_team.h"
#include "report/frame.h"

namespace orrery {
namespace {

struct SearchCommand {
  GivenRun run;
  std::size_t top = 0;  // 0: as the run file says
  unsigned jobs = 0;
  std::vector<std::string> where;
  std::vector<std::string> pareto;
  SearchExtras extras;
  std::string html;
  std::string minimize;
  std::string maximize;
  std::string print;  // a format; "": the answer
};

constexpr std::int64_t kMostShown = 1000;

SearchCommand read_search_options(Request& request) {
  SearchCommand c;
  c.run = given_run(request);
  c.top = static_cast<std::size_t>(request.count("top", 0, 1, kMostShown));
  c.jobs = static_cast<unsigned>(request.count("jobs", 0, 1, kMostWorkers));
  c.where = request.texts("where");
  c.pareto = request.texts("pareto");
  c.extras.refine = static_cast<std::size_t>(request.count("refine", 0, 1, kMostShown));
  c.extras.beside = request.flag("beside");
  c.extras.fewest = request.flag("fewest");
  c.extras.heat = request.text("heat", c.extras.heat);
  c.html = request.text("html");
  c.extras.page = !c.html.empty();
  c.minimize = request.text("minimize");
  c.maximize = request.text("maximize");
  c.print = printed_format(request, "print", "");
  return c;
}

// Options go over the file's `search`: conditions are added, the objective is replaced.
Json with_options(Json run, const SearchCommand& c) {
  if (!run.is_object()) return run;
  for (const std::string& text : c.where) run["search"]["constraints"].push_back(text);
  if (!c.pareto.empty()) run["search"]["pareto"] = c.pareto;
  if (!c.minimize.empty()) run["search"]["objective"] = {{"minimize", c.minimize}};
  if (!c.maximize.empty()) run["search"]["objective"] = {{"maximize", c.maximize}};
  return run;
}

void adjust(const SearchCommand& c, const EngineHooks& hooks, SearchOptions& o) {
  o.team = hooks.team;
  o.stopped = hooks.stopped;
  o.progress = hooks.progress;
  if (c.top > 0) o.top = c.top;
  o.workers = workers_of(hooks, c.jobs);
  o.parallel = parallel_of(hooks, o.workers);
}

CommandAnswer answer_of(const SearchCommand& c, const Look& look, const SearchReport& report,
                        const RunSource& source) {
  const AnswerDocument document = search_document(report);
  CommandAnswer answer;
  if (!c.print.empty() && !report.best.empty()) {
    answer =
        printed_run(c.print, report.best[0].run.resolved, source.json, source.lookup, look.json());
  } else {
    answer.code = report.best.empty() ? ExitCode::no : ExitCode::answer;
    answer.text = look.json() ? AnswerText(search_json(report)) : drawn(document, look);
  }
  if (c.extras.page) answer.files.push_back({c.html, html_of(document)});
  return answer;
}

}  // namespace

CommandAnswer answer_search(Request& request, const CommandContext& context) {
  const SearchCommand command = read_search_options(request);
  const Look look = request.look();
  request.done();
  if (look.csv() && !command.print.empty()) {
    throw InputError("orrery search", "", "--print and --csv", "one of them");
  }
  CommandAnswer answer;
  use_run(command.run, context, [&](const RunSource& source) {
    const SearchReport report = report_on_search(
        with_options(source.json, command), source.file, source.lookup,
        [&](SearchOptions& o) { adjust(command, context.hooks, o); }, command.extras);
    if (context.hooks.stopped && context.hooks.stopped()) {
      answer.code = ExitCode::interrupted;
      return;
    }
    // The others of a team have no answer.
    if (context.hooks.team != nullptr && !context.hooks.team->leads()) return;
    answer = answer_of(command, look, report, source);
  });
  return answer;
}

}  // namespace orrery
