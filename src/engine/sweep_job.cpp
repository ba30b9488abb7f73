// SPDX-License-Identifier: Apache-2.0
#include "engine/sweep_job.h"

#include <atomic>

#include "core/divide.h"
#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/config_source.h"
#include "engine/given_names.h"
#include "estimate/run.h"
#include "estimate/workspace.h"
#include "explore/sweep_merge.h"
#include "explore/sweep_rows.h"
#include "hardware/cluster_keys.h"
#include "orrery/version.h"
#include "report/frame_json.h"
#include "report/sweep_calibrations.h"
#include "report/sweep_row.h"

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

// The runs of one point after another. Neighbours differ in the last axis alone: if that is one
// key, only this key is set anew.
class PointRun {
 public:
  explicit PointRun(const SweepJob& job) : job_(job) {}

  const Json& at(std::int64_t point) {
    const SweepAxis& last = job_.sweep.axes.back();
    const std::int64_t others = point / static_cast<std::int64_t>(last.size());
    std::vector<SweepSetting> settings = settings_of(job_.sweep, point);
    if (others == others_ && last.paths.size() == 1) {
      set(settings.back());
      return run_;
    }
    run_ = job_.sweep.run;
    for (const SweepSetting& s : settings) set(s);
    others_ = others;
    return run_;
  }

 private:
  void set(const SweepSetting& s) {
    apply_override({job_.sweep_file, s.path, s.value}, job_.lookup, run_);
  }

  const SweepJob& job_;
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

void read_points_calibration(Request& request, const Option& option, SweepChoice& choice) {
  choice.calibration =
      given_override(request, key_of(option), key_path<&ClusterRequest::calibration>);
}

constexpr std::array kSweepOptions = {
    Option{by<SweepChoice, read_sweep_option>(), "FILE", "", "sweep file: name, path or -",
           "sweep"},
    Option{into<&SweepChoice::shard>(), "--shard", "I/N",
           "only the points I, I+N, I+2N, …, counted from 0; `orrery merge` joins the shards"},
    Option{into<&SweepChoice::jobs>(1, kMostWorkers), "--jobs", "N",
           "threads (all the machine has); the rows are the same"},
    Option{by<SweepChoice, read_points_calibration>(), "--calibration", "FILE",
           "cluster.calibration of every point: a calibration's name or path", "", "",
           "calibration"},
};

struct MergeChoice {
  std::vector<NamedText> files;
};

constexpr std::array kMergeOptions = {
    Option{into<&MergeChoice::files>(), "FILE", "", "shards of one sweep", "files"},
};

}  // namespace

SweepChoice sweep_choice(Request& request) {
  auto choice = read_options<SweepChoice>(kSweepOptions, request);
  if (choice.name.empty() && !choice.document) {
    throw InputError("orrery sweep", "", "no sweep", "a file, - or a name");
  }
  return choice;
}

SweepJob read_sweep_job(const SweepChoice& choice, const ConfigSource& configs) {
  const RequestDocument given =
      choice.document ? *choice.document : named_document(ConfigKind::sweep, choice.name, configs);
  SweepJob job;
  job.sweep_file = given.file;
  job.sweep = read_sweep(given.json, job.sweep_file);
  const std::string beside = find_run(job, given.beside, configs);
  // A sweep asks for the same few documents again and again.
  job.lookup = config_lookup(kept(configs, KeptPaths::yes), beside);
  std::vector<Fact> names;  // a row has no place for them: the run of each point has ours
  take_names(job.lookup, job.run_file, job.sweep.run, names);
  take_node(job.lookup, job.run_file, {}, job.sweep.run, names);
  if (choice.calibration) apply_override(*choice.calibration, job.lookup, job.sweep.run);
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

std::vector<std::string> SweepCrew::rows(std::int64_t first, std::int64_t count) const {
  std::vector<std::string> batch(static_cast<std::size_t>(count));
  std::atomic<std::int64_t> next{0};
  parallel_of(hooks_, workers_)([&](unsigned /*worker*/) {
    PointRun run(job_);
    Workspace workspace;
    for (std::int64_t i = next++; i < count && !stopped(); i = next++) {
      const std::int64_t point = job_.point(first + i);
      batch[static_cast<std::size_t>(i)] =
          rows_.row(point, run.at(point), job_.run_file, job_.lookup, workspace);
    }
  });
  std::size_t whole = 0;
  while (whole < batch.size() && !batch[whole].empty()) ++whole;
  batch.resize(whole);
  return batch;
}

namespace {

CommandAnswer answer_sweep(Request& request, const CommandContext& context) {
  const SweepChoice choice = sweep_choice(request);
  const AnswerFormat format =
      request.format({AnswerFormat::json, AnswerFormat::csv, AnswerFormat::text});
  request.done();
  const SweepJob job = read_sweep_job(choice, context.configs);
  const SweepRows rows(job.sweep, job.sweep_file, job.id,
                       format == AnswerFormat::csv ? RowFormat::csv : RowFormat::json);
  SweepCrew crew(job, rows, context.hooks, choice.jobs);
  CommandAnswer answer;
  answer.is_rows = true;
  std::string text = rows.header();
  for (std::int64_t done = 0; done < job.mine;) {
    const std::vector<std::string> batch = crew.rows(done, std::min(job.mine - done, kBatch));
    for (const std::string& row : batch) text += row;
    done += static_cast<std::int64_t>(batch.size());
    if (crew.stopped()) {
      answer.code = ExitCode::interrupted;
      break;
    }
    if (context.hooks.progress) context.hooks.progress(done, job.mine);
  }
  answer.text = std::move(text);
  return answer;
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
