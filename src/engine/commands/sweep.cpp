// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/commands.h"
#include "engine/sweep_job.h"
#include "explore/sweep_rows.h"

namespace orrery {
namespace {

// Points between two looks at whether to stop.
constexpr std::int64_t kBatch = 64;

}  // namespace

CommandAnswer answer_sweep(Request& request, const CommandContext& context) {
  const SweepChoice choice = sweep_choice(request);
  const auto jobs = static_cast<unsigned>(request.count("jobs", 0, 1, kMostWorkers));
  const AnswerFormat format =
      request.format({AnswerFormat::json, AnswerFormat::csv, AnswerFormat::text});
  request.done();
  const SweepJob job = read_sweep_job(choice, context.configs);
  const SweepRows rows(job.sweep, job.sweep_file, job.id,
                       format == AnswerFormat::csv ? RowFormat::csv : RowFormat::json);
  SweepCrew crew(job, rows, context.hooks, jobs);
  CommandAnswer answer{ExitCode::answer, rows.header()};
  answer.is_rows = true;
  for (std::int64_t done = 0; done < job.mine;) {
    const std::vector<std::string> batch = crew.rows(done, std::min(job.mine - done, kBatch));
    for (const std::string& row : batch) answer.text += row;
    done += static_cast<std::int64_t>(batch.size());
    if (crew.stopped()) {
      answer.code = ExitCode::interrupted;
      break;
    }
    if (context.hooks.progress) context.hooks.progress(done, job.mine);
  }
  return answer;
}

CommandAnswer answer_merge(Request& request, const CommandContext& /*context*/) {
  const std::vector<NamedText> shards = request.files("files");
  request.done();
  CommandAnswer answer{ExitCode::answer, merged_shards(shards)};
  answer.is_rows = true;
  return answer;
}

}  // namespace orrery
