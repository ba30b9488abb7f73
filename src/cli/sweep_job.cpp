// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_job.h"

#include <atomic>
#include <filesystem>

#include "core/error.h"
#include "engine/overrides.h"
#include "io/files.h"
#include "io/interrupt.h"
#include "io/threads.h"
#include "orrery/version.h"
#include "report/estimate_json.h"
#include "report/sweep_calibration.h"

namespace orrery {
namespace {

struct SweepText {
  std::string text;
  std::string file;
  std::string beside;  // where its runs and configs may lie
};

// By name, by path, or from standard input.
SweepText sweep_text(const std::string& name, const ConfigDirs& dirs) {
  if (name == "-") return {read_text(name), "standard input", ""};
  if (const auto found = find_config(dirs, ConfigKind::sweep, name)) {
    return {found->text, found->file, std::filesystem::path(found->file).parent_path().string()};
  }
  if (is_path(name) || std::filesystem::exists(name)) {
    return {read_text(name), name, std::filesystem::path(name).parent_path().string()};
  }
  throw InputError(name, "", "no such sweep", "a file, - or a name of `orrery list sweeps`",
                   nearest_name(name, config_names(dirs, ConfigKind::sweep)));
}

Json run_at(const SweepJob& job, const ConfigLookup& lookup, std::int64_t point) {
  Json run = job.sweep.run;
  for (const SweepSetting& s : settings_of(job.sweep, point)) {
    apply_override({job.sweep_file, s.path, s.value}, lookup, run);
  }
  return run;
}

}  // namespace

SweepJob read_sweep_job(const SweepRequest& request, const Session& s) {
  const std::string& file = request.file;
  const ConfigDirs dirs = dirs_of(s);
  SweepJob job;
  const SweepText given = sweep_text(file, dirs);
  job.sweep_file = given.file;
  std::string beside = given.beside;
  const Json document = parse_json(given.text, job.sweep_file);
  job.sweep = read_sweep(document, job.sweep_file);
  job.run_file = job.sweep_file;
  if (job.sweep.run.is_string()) {
    const std::string name = job.sweep.run.get<std::string>();
    const auto found = find_config(dirs, ConfigKind::run, name, beside);
    if (!found) {
      throw InputError(job.sweep_file, "run", "\"" + name + "\"",
                       "a run by name (see `orrery list runs`), a path or an object",
                       nearest_name(name, config_names(dirs, ConfigKind::run)));
    }
    job.sweep.run = parse_json(found->text, found->file);
    job.run_file = found->file;
    beside = std::filesystem::path(found->file).parent_path().string();
  }
  job.lookup = config_lookup(dirs, beside);
  if (!request.calibration.empty()) {
    apply_override(make_override("--calibration", "cluster.calibration", request.calibration),
                   job.lookup, job.sweep.run);
  }
  job.id = fingerprint(std::string(kVersion) + " " + std::to_string(kSchemaVersion) + " " +
                       document.dump() + job.sweep.run.dump() +
                       calibration_documents(job.sweep.run, job.run_file, job.lookup));
  job.shard = read_shard(request.shard);
  job.mine = (job.sweep.points - job.shard.index + job.shard.count - 1) / job.shard.count;
  return job;
}

SweepCrew::SweepCrew(const SweepJob& job, const SweepRows& rows, unsigned jobs)
    : job_(job), rows_(rows), memories_(jobs, ConfigMemory(job.lookup)) {
  for (ConfigMemory& m : memories_) lookups_.push_back(m.remembering());
}

std::vector<std::string> SweepCrew::rows(std::int64_t first, std::int64_t count) {
  std::vector<std::string> batch(static_cast<std::size_t>(count));
  std::atomic<std::int64_t> next{0};
  run_on_threads(static_cast<unsigned>(lookups_.size()), [&](unsigned worker) {
    const ConfigLookup& lookup = lookups_[worker];
    for (std::int64_t i = next++; i < count && !is_interrupted(); i = next++) {
      const std::int64_t point = job_.point(first + i);
      batch[static_cast<std::size_t>(i)] =
          rows_.row(point, run_at(job_, lookup, point), job_.run_file, lookup);
    }
  });
  std::size_t whole = 0;
  while (whole < batch.size() && !batch[whole].empty()) ++whole;
  batch.resize(whole);
  return batch;
}

}  // namespace orrery
