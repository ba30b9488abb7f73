// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/print_run.h"
#include "cli/run_source.h"
#include "core/error.h"
#include "explore/search_team.h"
#include "io/files.h"
#include "io/ranks.h"
#include "io/threads.h"
#include "report/estimate_json.h"
#include "report/search_html.h"
#include "report/search_text.h"

namespace orrery {
namespace {

struct SearchArguments {
  RunArguments run;
  std::size_t top = 0;  // 0: as the file says
  unsigned jobs = 0;    // 0: as many as the machine has
  std::vector<std::string> where;
  std::vector<std::string> pareto;
  SearchExtras extras;
  std::string html;
  std::string minimize;
  std::string maximize;
  std::string print;  // a format; "": the answer
};

// The ranks of an MPI job, where there are more than one.
const SearchTeam* team() {
  static const SearchTeam kLeader = {answer_ranks, {}};
  static const SearchTeam kOther = {{}, ask_leader};
  if (!is_led()) return nullptr;
  return is_leader() ? &kLeader : &kOther;
}

void adjust(const SearchArguments& arguments, SearchOptions& o) {
  o.team = team();
  if (arguments.top > 0) o.top = arguments.top;
  o.workers = arguments.jobs > 0 ? arguments.jobs : available_threads();
  const unsigned n = o.workers;
  o.parallel = [n](const std::function<void(unsigned)>& work) { run_on_threads(n, work); };
}

// Flags go over the file's `search`: conditions are added, the objective is replaced.
Json with_flags(Json run, const SearchArguments& arguments) {
  if (!run.is_object()) return run;
  for (const std::string& text : arguments.where) run["search"]["constraints"].push_back(text);
  if (!arguments.pareto.empty()) run["search"]["pareto"] = arguments.pareto;
  if (!arguments.minimize.empty()) run["search"]["objective"] = {{"minimize", arguments.minimize}};
  if (!arguments.maximize.empty()) run["search"]["objective"] = {{"maximize", arguments.maximize}};
  return run;
}

// The winner in place of the answer, where there is one.
bool print_winner(const SearchArguments& arguments, const SearchReport& report,
                  const RunSource& source, const Session& s) {
  if (arguments.print.empty() || report.best.empty()) return false;
  print_run(arguments.print, report.best[0].resolved, source.json, source.lookup, s);
  return true;
}

ExitCode search_and_tell(const SearchArguments& arguments, const Session& s) {
  if (is_led() && arguments.run.run == "-") {
    throw InputError("orrery search", "", "standard input under mpirun",
                     "a file that all ranks see");
  }
  if (s.csv && !arguments.print.empty()) {
    throw InputError("orrery search", "", "--print and --csv", "one of them");
  }
  std::optional<SearchReport> report;
  bool printed = false;
  SearchExtras extras = arguments.extras;
  extras.page = !arguments.html.empty();
  use_run(arguments.run, s, [&](const RunSource& source) {
    report = report_on_search(
        with_flags(source.json, arguments), source.file, source.lookup,
        [&](SearchOptions& o) { adjust(arguments, o); }, extras);
    if (!is_leader()) return;
    printed = print_winner(arguments, *report, source, s);
  });
  if (!is_leader()) return ExitCode::answer;
  if (extras.page) write_text(arguments.html, search_html(*report));
  if (printed) return ExitCode::answer;
  give(s, s.json  ? dump(search_json(*report))
          : s.csv ? search_csv(*report)
                  : search_text(*report, style_of(s)));
  return report->best.empty() ? ExitCode::no : ExitCode::answer;
}

// Whatever fails, the leader says so once, and nobody waits for anybody.
ExitCode run_search(const SearchArguments& arguments, const Session& s) {
  try {
    return search_and_tell(arguments, s);
  } catch (const std::exception& e) {
    leave_ranks(e);
    throw;
  }
}

}  // namespace

Action declare_search(CLI::App& app) {
  auto arguments = std::make_shared<SearchArguments>();
  add_run_options(app, arguments->run);
  app.add_option("--top", arguments->top, "how many of the best to show (5)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--where", arguments->where,
                 "a constraint, as in 'memory.peak_gib <= 72' or 'tp * cp <= 8'")
      ->type_name("EXPRESSION")
      ->allow_extra_args(false);
  app.add_option("--pareto", arguments->pareto,
                 "an aim of the Pareto front, to be as small as can be; give two or more")
      ->type_name("EXPRESSION")
      ->allow_extra_args(false);
  auto* less = app.add_option("--minimize", arguments->minimize, "the objective (step_time_s)");
  less->type_name("EXPRESSION");
  app.add_option("--maximize", arguments->maximize, "an objective of which more is better")
      ->type_name("EXPRESSION")
      ->excludes(less);
  add_print_option(app, "--print", arguments->print, "the winner alone, in whose words");
  app.add_option("--refine", arguments->extras.refine, "simulate the best K")
      ->type_name("K")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--beside", arguments->extras.beside,
               "free what `parallel` says, and set the run's own strategy beside the best");
  auto* html = app.add_option("--html", arguments->html, "write the answer as a page of its own");
  html->type_name("FILE");
  app.add_option("--heat", arguments->extras.heat, "the two axes of the page's map (tp,pp)")
      ->type_name("X,Y")
      ->needs(html);
  app.add_option("--jobs", arguments->jobs, "threads (all the machine has); the answer is the same")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  return [arguments](const Session& s) { return run_search(*arguments, s); };
}

}  // namespace orrery
