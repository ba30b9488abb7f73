// SPDX-License-Identifier: Apache-2.0
#include "engine/sweep_job.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "core/divide.h"
#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/config_source.h"
#include "engine/given_names.h"
#include "engine/typed_run.h"
#include "engine/varied_keys.h"
#include "estimate/run.h"
#include "estimate/run_keys.h"
#include "estimate/workspace.h"
#include "explore/sweep_merge.h"
#include "explore/sweep_rows.h"
#include "hardware/cluster_keys.h"
#include "orrery/version.h"
#include "report/frame_json.h"
#include "report/sweep_calibrations.h"
#include "report/sweep_row.h"
#include "report/sweep_table.h"

namespace orrery {
namespace {

// Puts the run that the sweep names in its place. Returns its directory.
std::string find_run(SweepJob& job, const std::string& beside, const ConfigSource& configs) {
  job.run_file = job.sweep_file;
  if (!job.sweep.run.is_string()) return beside;
  const std::string name = job.sweep.run.get<std::string>();
  const auto found = find_config(configs, ConfigKind::run, name, beside);
  if (!found) {
    throw InputError(job.sweep_file, "run", "\"" + name + "\"",
                     "a run by name (see `orrery list runs`), a path or an object",
                     nearest_name(name, config_names(configs, ConfigKind::run)));
  }
  job.sweep.run = parse_json(found->text, found->file);
  job.run_file = found->file;
  return directory_of(found->file);
}

// True where values of an axis may be names that people type for ours, which may set more keys.
bool varies_names(const SweepPlan& sweep) {
  constexpr std::array kNamed = {key_path<&RunRequest::model>, key_path<&RunRequest::framework>,
                                 key_path<&ClusterRequest::node>,
                                 key_path<&TrainingRequest::optimizer>};
  const std::vector<std::string> paths = paths_of(sweep);
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return std::find(kNamed.begin(), kNamed.end(), path) != kNamed.end();
  });
}

// The runs of one point after another. Neighbours differ in the last axis alone: if that is one
// key, only this key is set anew.
class PointRun {
 public:
  explicit PointRun(const SweepJob& job) : job_(job), renames_(varies_names(job.sweep)) {}

  const Json& at(std::int64_t point) {
    const SweepAxis& last = job_.sweep.axes.back();
    const std::int64_t others = point / static_cast<std::int64_t>(last.size());
    std::vector<SweepSetting> settings = settings_of(job_.sweep, point);
    if (others == others_ && last.paths.size() == 1 && !renames_) {
      set(settings.back());
      return run_;
    }
    run_ = job_.sweep.run;
    for (const SweepSetting& s : settings) set(s);
    if (renames_) take_ours();
    others_ = others;
    return run_;
  }

 private:
  void set(const SweepSetting& s) {
    apply_override({job_.sweep_file, s.path, s.value}, job_.lookup, run_);
  }

  void take_ours() {
    std::vector<Fact> facts;  // a row has no place for them
    take_names(job_.lookup, job_.run_file, run_, facts);
    take_node(job_.lookup, job_.run_file, {}, run_, facts);
  }

  const SweepJob& job_;
  bool renames_;
  Json run_;
  std::int64_t others_ = -1;  // where the other axes stand
};

// Points between two looks at whether to stop.
constexpr std::int64_t kBatch = 64;

void read_sweep_option(Request& request, const Option& option, SweepChoice& choice) {
  const auto sweep = request.find(key_of(option));
  if (!sweep) return;
  if (sweep->json().is_string()) {
    choice.name = sweep->text();
  } else {
    choice.document = request_document(*sweep);
  }
}

constexpr std::array kSweepOptions = {
    Option{by<SweepChoice, read_sweep_option>(), "FILE", "", "sweep file: name, path or -",
           "sweep"},
    Option{
        into<&SweepChoice::vary>(), "--vary", "KEY=VALUES",
        "vary a key of a run (FILE is then the run, or flags describe it): tp=1,2,4; gpus=64..512 "
        "doubles; cluster.node=8xA100,8xH100"},
    Option{into<&SweepChoice::shard>(), "--shard", "I/N",
           "only the points I, I+N, I+2N, …, counted from 0; `orrery merge` joins the shards"},
    Option{into<&SweepChoice::jobs>(1, kMostWorkers), "--jobs", "N",
           "threads (all the machine has); the rows are the same"},
    Option{into<&SweepChoice::run>(OptionKind::run_flags)},
};

struct MergeChoice {
  std::vector<NamedText> files;
};

constexpr std::array kMergeOptions = {
    Option{into<&MergeChoice::files>(), "FILE", "", "shards of one sweep", "files"},
};

}  // namespace

namespace {

RequestDocument given_sweep(const SweepChoice& choice, const ConfigSource& configs) {
  return choice.document ? *choice.document
                         : named_document(ConfigKind::sweep, choice.name, configs);
}

// FILE is the run here.
RequestDocument varied_sweep(const SweepChoice& choice, const CommandContext& context) {
  GivenRun run = choice.run;
  if (!choice.name.empty()) run.name = choice.name;
  if (choice.document) run.document = choice.document;
  RequestDocument sweep;
  use_run(run, context, [&](const RunSource& source) {
    sweep.json = {{"run", source.json}, {"axes", varied_axes(choice.vary)}};
    sweep.file = source.file;
    sweep.beside = source.beside;
  });
  return sweep;
}

}  // namespace

SweepChoice sweep_choice(Request& request) {
  auto choice = read_options<SweepChoice>(kSweepOptions, request);
  if (!choice.vary.empty()) return choice;
  if (choice.name.empty() && !choice.document) {
    throw InputError("orrery sweep", "", "no sweep", "a file, - or a name; --vary KEY=VALUES");
  }
  // A calibration alone of a run's flags goes under every point of a file.
  const bool is_calibrated = std::all_of(
      choice.run.overrides.begin(), choice.run.overrides.end(),
      [](const Override& o) { return o.path == key_path<&ClusterRequest::calibration>; });
  if (!is_calibrated || choice.run.observed || choice.run.nodes) {
    throw InputError("orrery sweep", "", "flags of a run beside a sweep's own run",
                     "--vary KEY=VALUES beside them, or keys in the file's `run`");
  }
  return choice;
}

SweepJob read_sweep_job(const SweepChoice& choice, const CommandContext& context) {
  const ConfigSource& configs = context.configs;
  SweepJob job;
  const RequestDocument given =
      choice.vary.empty() ? given_sweep(choice, configs) : varied_sweep(choice, context);
  job.sweep_file = given.file;
  job.sweep = read_sweep(given.json, job.sweep_file);
  const std::string beside = find_run(job, given.beside, configs);
  // A sweep asks for the same few documents again and again.
  job.lookup = config_lookup(kept(configs, KeptPaths::yes), beside);
  std::vector<Fact> names;  // a row has no place for them: the run of each point has ours
  take_names(job.lookup, job.run_file, job.sweep.run, names);
  take_node(job.lookup, job.run_file, {}, job.sweep.run, names);
  if (choice.vary.empty()) {
    for (const Override& o : choice.run.overrides) apply_override(o, job.lookup, job.sweep.run);
  }
  job.id = fingerprint(std::string(kVersion) + " " + std::to_string(kSchemaVersion) + " " +
                       given.json.dump() + job.sweep.run.dump() +
                       calibration_documents(job.sweep.run, job.run_file, job.lookup));
  job.shard = read_shard(choice.shard);
  job.mine = divided_up(job.sweep.points - job.shard.index, job.shard.count);
  return job;
}

SweepCrew::SweepCrew(const SweepJob& job, const SweepRows& rows, const EngineHooks& hooks,
                     unsigned jobs)
    : job_(job), rows_(rows), hooks_(hooks), workers_(workers_of(hooks, jobs)) {}

void SweepCrew::each(std::int64_t first, std::int64_t count, const Row& make) const {
  std::atomic<std::int64_t> next{0};
  parallel_of(hooks_, workers_)([&](unsigned /*worker*/) {
    PointRun run(job_);
    Workspace workspace;
    for (std::int64_t i = next++; i < count && !stopped(); i = next++) {
      const std::int64_t point = job_.point(first + i);
      make(static_cast<std::size_t>(i), point, run.at(point), workspace);
    }
  });
}

namespace {

// Rows up to the first that a stop left out.
template <class T>
std::vector<T> whole(std::vector<T> rows) {
  rows.erase(std::find_if(rows.begin(), rows.end(), [](const T& row) { return row.empty(); }),
             rows.end());
  return rows;
}

}  // namespace

std::vector<std::string> SweepCrew::rows(std::int64_t first, std::int64_t count) const {
  std::vector<std::string> batch(static_cast<std::size_t>(count));
  each(first, count,
       [&](std::size_t at, std::int64_t point, const Json& run, Workspace& workspace) {
         batch[at] = rows_.row(point, run, job_.run_file, job_.lookup, workspace);
       });
  return whole(std::move(batch));
}

std::vector<Json> SweepCrew::values(std::int64_t first, std::int64_t count) const {
  std::vector<Json> batch(static_cast<std::size_t>(count));
  each(first, count,
       [&](std::size_t at, std::int64_t point, const Json& run, Workspace& workspace) {
         batch[at] = rows_.values(point, run, job_.run_file, job_.lookup, workspace);
       });
  return whole(std::move(batch));
}

namespace {

// Calls take(first, count), which says how many points it took, until none is left; false where it
// was stopped.
template <class Take>
bool work_through(const SweepJob& job, const SweepCrew& crew, const EngineHooks& hooks,
                  Take&& take) {
  for (std::int64_t done = 0; done < job.mine;) {
    done += static_cast<std::int64_t>(take(done, std::min(job.mine - done, kBatch)));
    if (crew.stopped()) return false;
    if (hooks.progress) hooks.progress(done, job.mine);
  }
  return true;
}

TypedRun typed_sweep(const SweepChoice& choice) {
  TypedRun run = typed_run(choice.run);
  if (!choice.name.empty()) run.name = choice.name;
  return run;
}

// The points of a small sweep as a table; of a part there is none.
CommandAnswer answer_as_table(const SweepJob& job, const SweepCrew& crew, const EngineHooks& hooks,
                              const SweepChoice& choice, const OutputForm& output) {
  std::vector<Json> points;
  const bool all = work_through(job, crew, hooks, [&](std::int64_t first, std::int64_t count) {
    std::vector<Json> batch = crew.values(first, count);
    std::move(batch.begin(), batch.end(), std::back_inserter(points));
    return batch.size();
  });
  if (!all) return {ExitCode::interrupted};
  return {ExitCode::answer, drawn(sweep_document(job.sweep, points, typed_sweep(choice)), output)};
}

CommandAnswer answer_as_rows(const SweepJob& job, const SweepCrew& crew, const EngineHooks& hooks,
                             std::string text) {
  const bool all = work_through(job, crew, hooks, [&](std::int64_t first, std::int64_t count) {
    const std::vector<std::string> batch = crew.rows(first, count);
    for (const std::string& row : batch) text += row;
    return batch.size();
  });
  CommandAnswer answer{all ? ExitCode::answer : ExitCode::interrupted, std::move(text)};
  answer.is_rows = true;
  return answer;
}

CommandAnswer answer_sweep(Request& request, const CommandContext& context) {
  const SweepChoice choice = sweep_choice(request);
  const OutputForm output =
      request.output({AnswerFormat::json, AnswerFormat::csv, AnswerFormat::text});
  request.done();
  const SweepJob job = read_sweep_job(choice, context);
  const SweepRows rows(job.sweep, job.sweep_file, job.id,
                       output.csv() ? RowFormat::csv : RowFormat::json);
  const SweepCrew crew(job, rows, context.hooks, choice.jobs);
  if (output.format == AnswerFormat::text && !choice.vary.empty()) {
    return answer_as_table(job, crew, context.hooks, choice, output);
  }
  return answer_as_rows(job, crew, context.hooks, rows.header());
}

CommandAnswer answer_merge(Request& request, const CommandContext& /*context*/) {
  std::vector<ShardText> shards;
  auto choice = read_options<MergeChoice>(kMergeOptions, request);
  for (NamedText& file : choice.files) {
    shards.push_back(shard_of(std::move(file.name), std::move(file.text)));
  }
  const std::string format = request.text("format", "text");
  request.done();
  if (shards.empty()) throw InputError(request.origin(), "files", "no shard", "one or more");
  std::string text;
  const SweepMerge merge(std::move(shards));
  if (format != "text") check_row_format(merge, request.origin(), format);
  merge.write([&text](const std::string& line) { text += line; });
  CommandAnswer answer{ExitCode::answer, std::move(text)};
  answer.is_rows = true;
  return answer;
}

}  // namespace

const CommandRow kSweepCommand = {"sweep", answer_sweep, kSweepOptions};
const CommandRow kMergeCommand = {"merge", answer_merge, kMergeOptions};

}  // namespace orrery
