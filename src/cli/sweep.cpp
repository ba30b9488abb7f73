// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/sweep_sink.h"
#include "core/error.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "engine/hooks.h"
#include "engine/other_tool.h"
#include "engine/sweep_job.h"
#include "io/interrupt.h"
#include "io/progress.h"
#include "io/ranks.h"

namespace orrery {
namespace {

// Points a worker does between two writes, or two questions to the leader.
constexpr std::int64_t kBatch = 64;
// Batches a rank may be ahead of what is written.
constexpr std::int64_t kMostAhead = 8;

constexpr std::chrono::milliseconds kNap{20};

ExitCode run_here(const SweepJob& job, const SweepCrew& crew, SweepSink& sink, bool quiet) {
  std::int64_t done = sink.resume(job);
  Progress progress(job.mine, done, quiet);
  if (done == 0 && job.mine == 0) sink.write({});
  while (done < job.mine) {
    const std::int64_t n =
        std::min(job.mine - done, kBatch * static_cast<std::int64_t>(crew.workers()));
    const std::vector<std::string> rows = crew.rows(done, n);
    done += static_cast<std::int64_t>(rows.size());
    sink.write(rows);
    if (is_interrupted()) return ExitCode::interrupted;
    progress.at(done);
  }
  return ExitCode::answer;
}

// A worker tells its leader {"first": …, "rows": […]} of what it was given, and is given {"first",
// "count"}, or "wait" where others are far behind.
class Leader {
 public:
  Leader(const SweepJob& job, SweepSink& sink, bool quiet)
      : job_(job),
        sink_(sink),
        done_(sink.resume(job)),
        next_(done_),
        progress_(job.mine, done_, quiet) {}

  ExitCode lead() {
    if (done_ == 0 && job_.mine == 0) sink_.write({});
    answer_ranks([this](const std::string& question) { return answer(question); });
    return done_ < job_.mine ? ExitCode::interrupted : ExitCode::answer;
  }

 private:
  std::optional<std::string> answer(const std::string& question) {
    take(parse_json(question, "a worker"));
    if (is_interrupted() || next_ >= job_.mine) return {};
    if (next_ - done_ >= kMostAhead * kBatch * rank_count()) return "\"wait\"";
    const std::int64_t n = std::min(kBatch, job_.mine - next_);
    const Json work = {{"first", next_}, {"count", n}};
    next_ += n;
    return work.dump();
  }

  void take(const Json& reported) {
    if (!reported.contains("rows")) return;
    waiting_[reported["first"].get<std::int64_t>()] =
        reported["rows"].get<std::vector<std::string>>();
    for (auto at = waiting_.find(done_); at != waiting_.end(); at = waiting_.find(done_)) {
      sink_.write(at->second);
      done_ += static_cast<std::int64_t>(at->second.size());
      waiting_.erase(at);
    }
    progress_.at(done_);
  }

  const SweepJob& job_;
  SweepSink& sink_;
  std::int64_t done_;  // rows that are written
  std::int64_t next_;  // the first point that nobody was given
  Progress progress_;
  std::map<std::int64_t, std::vector<std::string>> waiting_;
};

void follow(const SweepCrew& crew) {
  Json reported = Json::object();
  while (const auto work = ask_leader(reported.dump())) {
    const Json given = parse_json(*work, "the leader");
    reported = Json::object();
    if (!given.is_object()) {
      std::this_thread::sleep_for(kNap);
      continue;
    }
    const auto first = given["first"].get<std::int64_t>();
    reported = {{"first", first}, {"rows", crew.rows(first, given["count"].get<std::int64_t>())}};
  }
}

// The part of a leader, of a rank that it leads, or of a process alone.
ExitCode take_part(Request& request, bool sqlite, const Session& s) {
  const SweepChoice choice = sweep_choice(request);
  request.done();
  const SweepJob job = read_sweep_job(choice, {configs_of(s), {}});
  const SweepRows rows(job.sweep, job.sweep_file, job.id, s.csv ? RowFormat::csv : RowFormat::json);
  const EngineHooks hooks = hooks_of(s);
  const SweepCrew crew(job, rows, hooks, choice.jobs);
  watch_interrupt();
  if (!is_leader()) {
    follow(crew);
    return ExitCode::answer;
  }
  const auto sink = sweep_sink(s, rows.header(), sqlite);
  return is_led() ? Leader(job, *sink, s.quiet).lead() : run_here(job, crew, *sink, s.quiet);
}

// A file of any name is a sweep where no sweep has that name.
Json sweep_named(const std::string& name, const Session& s) {
  const bool is_file = name == "-" || (!is_path(name) && std::filesystem::exists(name) &&
                                       !find_config(configs_of(s), ConfigKind::sweep, name));
  return is_file ? Json{{"file", name}} : Json(name);
}

// Beside --vary the file is a run, of whichever tool.
Json run_named(const std::string& name, const Session& s) {
  const bool is_other = name != "-" && is_of_other_tool(name, configs_of(s));
  return is_other ? Json(name) : sweep_named(name, s);
}

void refuse_other_tool(const std::string& name, const Session& s) {
  if (name == "-" || !is_of_other_tool(name, configs_of(s))) return;
  throw InputError(name, "", "a training of another tool, in which nothing varies",
                   "--vary KEY=VALUES beside it, or a sweep file");
}

// A run and what is varied of it, without a file of rows, is a table on the screen.
bool is_table(const Json& request, const Session& s) {
  return request.contains("vary") && !s.to_file() && !s.csv && !s.json && !is_led();
}

}  // namespace

// A failure of any rank is reported once, by the leader, and no rank waits for another.
ExitCode run_sweep(Json request, const Session& s) {
  const std::string name = request.value("sweep", std::string());
  if (is_table(request, s)) {
    if (!name.empty()) request["sweep"] = run_named(name, s);
    dress(request, s);
    return give_answer(
        s, CommandEngine(configs_of(s), hooks_of(s)).call("sweep", request, Asker::flags));
  }
  if (is_led() && name == "-") {
    throw InputError("orrery sweep", "", "standard input under mpirun",
                     "a file that all ranks see");
  }
  try {
    if (!name.empty()) {
      const bool varies = request.contains("vary");
      if (!varies) refuse_other_tool(name, s);
      request["sweep"] = varies ? run_named(name, s) : sweep_named(name, s);
    }
    const bool sqlite = request.erase("sqlite") > 0;
    read_inputs(request);
    Request asked(request, Asker::flags);
    return take_part(asked, sqlite, s);
  } catch (const std::exception& e) {
    leave_ranks(e);
    throw;
  }
}

void declare_sweep(CLI::App& app, Json& request) {
  add_option(app, request,
             {{OptionKind::flag},
              "--sqlite",
              "",
              "write the rows into the SQLite database that -o names"});
}

}  // namespace orrery
