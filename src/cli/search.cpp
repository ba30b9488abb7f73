// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"
#include "engine/answer.h"
#include "engine/command_engine.h"
#include "explore/search_team.h"
#include "io/ranks.h"

namespace orrery {
namespace {

// The ranks of an MPI job, where there are more than one.
const SearchTeam* team() {
  static const SearchTeam kLeader = {answer_ranks, {}};
  static const SearchTeam kOther = {{}, ask_leader};
  if (!is_led()) return nullptr;
  return is_leader() ? &kLeader : &kOther;
}

ExitCode search_and_give(Json request, const Session& s) {
  if (is_led() && request.contains("run") && request["run"].is_object()) {
    throw InputError("orrery search", "", "standard input under mpirun",
                     "a file that all ranks see");
  }
  read_inputs(request);
  dress(request, s);
  EngineHooks hooks = hooks_of(s);
  hooks.team = team();
  const CommandAnswer answer =
      CommandEngine(configs_of(s), std::move(hooks)).call("search", request, Asker::flags);
  if (is_led() && answer.code == ExitCode::wrong_input) throw UsageError(answer.error);
  return is_leader() ? give_answer(s, answer) : answer.code;
}

}  // namespace

// Whatever fails, the leader says so once, and nobody waits for anybody.
ExitCode run_search(Json request, const Session& s) {
  try {
    return search_and_give(std::move(request), s);
  } catch (const std::exception& e) {
    leave_ranks(e);
    throw;
  }
}

void declare_search(CLI::App& app, Json& request) {
  add_run_options(app, request);
  add_flag_of<std::size_t>(app, request, "--top", "number of strategies to show (5)")
      ->type_name("N");
  add_list(app, request, "--where", "a constraint: 'memory.peak_gib <= 72' or 'tp * cp <= 8'")
      ->type_name("EXPRESSION");
  add_list(app, request, "--pareto", "an aim of the Pareto front, to minimize; give two or more")
      ->type_name("EXPRESSION");
  auto* less = add_flag_of(app, request, "--minimize", "what to minimize (step_time_s)");
  less->type_name("EXPRESSION");
  add_flag_of(app, request, "--maximize", "what to maximize, in place of --minimize")
      ->type_name("EXPRESSION")
      ->excludes(less);
  add_print_option(app, request, "--print", "print the recommended strategy alone, in this format");
  add_flag_of<std::size_t>(app, request, "--refine", "simulate the best K strategies")
      ->type_name("K");
  add_switch(app, request, "--beside",
             "compare the run's own strategy with the best of all; frees the keys of `parallel`");
  add_switch(app, request, "--fewest", "search on the fewest GPUs on which the run fits");
  auto* html = add_flag_of(app, request, "--html", "write the answer as an HTML page");
  html->type_name("FILE");
  add_flag_of(app, request, "--heat", "the two axes of the map of --html (tp,pp)")
      ->type_name("X,Y")
      ->needs(html);
  add_jobs(app, request, "threads (all the machine has); the answer is the same");
}

}  // namespace orrery
