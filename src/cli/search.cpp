// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"
#include "engine/answer.h"
#include "engine/command_engine.h"
#include "explore/search_team.h"
#include "io/interrupt.h"
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
  if (!is_led()) watch_interrupt();
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

// A failure of any rank is reported once, by the leader, and no rank waits for another.
ExitCode run_search(Json request, const Session& s) {
  try {
    return search_and_give(std::move(request), s);
  } catch (const std::exception& e) {
    leave_ranks(e);
    throw;
  }
}

void declare_search(CLI::App& app, Json& /*request*/) {
  app.get_option("--maximize")->excludes("--minimize");
  app.get_option("--heat")->needs("--html");
}

}  // namespace orrery
