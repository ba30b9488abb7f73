// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

constexpr std::size_t kMostRuns = 8;

std::vector<GivenRun> given_runs(Request& request) {
  const GivenRun changes = given_run(request);
  std::vector<GivenRun> all;
  if (const auto list = request.find("runs")) {
    for (const Reader& item : list->items()) {
      all.push_back(changes);
      take_run(item, all.back());
    }
  }
  if (all.size() < 2 || all.size() > kMostRuns) {
    throw InputError("orrery compare", "", std::to_string(all.size()) + " runs",
                     "two to eight runs");
  }
  return all;
}

}  // namespace

CommandAnswer answer_compare(Request& request, const CommandContext& context) {
  const std::vector<GivenRun> all = given_runs(request);
  const Look look = request.look();
  request.done();
  std::vector<NamedRun> runs;
  bool feasible = true;
  for (const GivenRun& one : all) {
    runs.push_back(
        {one.document ? one.document->file : one.name, report_on(resolved_run(one, context))});
    feasible = feasible && is_feasible(runs.back().report);
  }
  const Comparison c = compare(std::move(runs), config_lookup(context.configs));
  return {feasible ? ExitCode::answer : ExitCode::no,
          look.json() ? dump(comparison_json(c)) : drawn(comparison_document(c), look)};
}

}  // namespace orrery
