// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "engine/answer.h"
#include "engine/plan_context.h"

namespace orrery {

void declare_capacity(CLI::App& app, Json& request) {
  add_run_options(app, request);
  for (const PlanFlag& flag : kPlanFlags) {
    add_flag_of(app, request, flag.name, flag.help)->type_name(flag.type)->group("The plan");
  }
  add_switch(app, request, "--search",
             "search the best strategy at each size, also for a run that has its own")
      ->group("The plan");
  add_list(app, request, "--models",
           "models in place of the run's: which of them the limits allow, a strategy searched for "
           "each, on 20 tokens a parameter unless --tokens is given")
      ->type_name("NAME")
      ->delimiter(',')
      ->group("The plan");
  add_switch(app, request, "--sure",
             "meet the limits at the upper end of the ranges of days and cost, not in the middle")
      ->group("The plan");
  add_switch(app, request, "--html", "answer as an HTML page with charts; give -o FILE");
  add_jobs(app, request, "threads of a search (all the machine has)");
}

ExitCode run_capacity(Json request, const Session& s) {
  if (request.erase("html") > 0) {
    if (s.json || s.csv) throw UsageError("--html: give it without --json and --csv");
    request["format"] = "html";
  }
  return ask("capacity", std::move(request), s);
}

}  // namespace orrery
