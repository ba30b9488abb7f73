// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/overrides.h"
#include "core/error.h"
#include "explore/sweep_rows.h"
#include "io/append.h"
#include "io/files.h"
#include "io/interrupt.h"
#include "io/progress.h"
#include "io/threads.h"
#include "orrery/version.h"
#include "report/estimate_json.h"
#include "report/sweep_row.h"

namespace orrery {
namespace {

constexpr int kMostJobs = 1024;
// Points a worker does between two writes.
constexpr std::int64_t kBatch = 64;

struct Arguments {
  std::string file;
  std::string shard = "0/1";
  unsigned jobs = 0;
};

// A sweep asks for the same few documents again and again.
class Memory {
 public:
  explicit Memory(ConfigLookup lookup) : lookup_(std::move(lookup)) {}

  ConfigLookup remembering() {
    ConfigLookup l = lookup_;
    l.model = once(models_, lookup_.model);
    l.framework = once(frameworks_, lookup_.framework);
    const auto find = lookup_.hardware.find;
    l.hardware.find = [this, find](HardwareKind kind, const std::string& name) {
      const auto key = std::make_pair(kind, name);
      const auto known = hardware_.find(key);
      if (known != hardware_.end()) return known->second;
      return hardware_[key] = find(kind, name);
    };
    return l;
  }

 private:
  using Found = std::optional<ConfigText>;
  using Find = std::function<Found(const std::string&)>;

  static Find once(std::map<std::string, Found>& seen, const Find& find) {
    return [&seen, find](const std::string& name) {
      const auto known = seen.find(name);
      if (known != seen.end()) return known->second;
      return seen[name] = find(name);
    };
  }

  ConfigLookup lookup_;
  std::map<std::string, Found> models_;
  std::map<std::string, Found> frameworks_;
  std::map<std::pair<HardwareKind, std::string>, std::optional<HardwareText>> hardware_;
};

struct Job {
  SweepPlan sweep;
  std::string sweep_file;
  std::string run_file;
  ConfigLookup lookup;
  std::string id;
};

// Whatever a row depends on is in the fingerprint; documents by name are part of the version.
Job read_job(const Arguments& arguments, const Session& s) {
  const ConfigDirs dirs = dirs_of(s);
  Job job;
  job.sweep_file = arguments.file == "-" ? "standard input" : arguments.file;
  std::string beside = std::filesystem::path(arguments.file).parent_path().string();
  const Json document = parse_json(read_text(arguments.file), job.sweep_file);
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
  job.id = fingerprint(std::string(kVersion) + " " + std::to_string(kSchemaVersion) + " " +
                       document.dump() + job.sweep.run.dump());
  return job;
}

Json run_at(const Job& job, const ConfigLookup& lookup, std::int64_t point) {
  Json run = job.sweep.run;
  for (const SweepSetting& s : settings_of(job.sweep, point)) {
    apply_override({job.sweep_file, s.path, s.value}, lookup, run);
  }
  return run;
}

// Where the rows go: a file that only grows, or standard output.
class Sink {
 public:
  Sink(const Session& s, const std::string& header) : header_(header) {
    if (!s.output.empty() && s.output != "-") file_.emplace(s.output);
  }

  // SweepLines that are there already, of this sweep and shard, in order.
  std::int64_t resume(const Session& s, const Job& job, const Shard& shard) {
    if (!file_) return 0;
    const SweepLines rows = read_sweep_rows(file_->text(), s.output);
    for (std::size_t i = 0; i < rows.heads.size(); ++i) {
      check(rows.heads[i], static_cast<std::int64_t>(i), s, job, shard);
    }
    const bool has_header = rows.whole > 0;
    if (has_header && rows.header != header_) {
      throw InputError(s.output, "line 1", "other columns", "rows of this sweep, or a new file");
    }
    file_->cut(rows.whole);
    if (has_header) header_.clear();
    return static_cast<std::int64_t>(rows.heads.size());
  }

  void write(const std::string& rows) {
    const std::string text = std::exchange(header_, "") + rows;
    if (file_) {
      file_->append(text);
    } else {
      write_text("-", text);
    }
  }

 private:
  static void check(const SweepRowHead& head, std::int64_t i, const Session& s, const Job& job,
                    const Shard& shard) {
    const std::string line = "row " + std::to_string(i + 1);
    if (head.sweep != job.id || head.points != job.sweep.points) {
      throw InputError(s.output, line, "the sweep " + head.sweep + ", this one is " + job.id,
                       "rows of this sweep by this version of orrery, or a new file");
    }
    if (head.point != shard.index + i * shard.count) {
      throw InputError(s.output, line, "point " + std::to_string(head.point),
                       "rows of this shard in order, or a new file");
    }
  }

  std::string header_;
  std::optional<AppendFile> file_;
};

ExitCode run_sweep(const Arguments& arguments, const Session& s) {
  const Job job = read_job(arguments, s);
  const Shard shard = read_shard(arguments.shard);
  const SweepRows rows(job.sweep, job.sweep_file, job.id, s.csv ? RowFormat::csv : RowFormat::json);
  const std::int64_t mine = (job.sweep.points - shard.index + shard.count - 1) / shard.count;
  const unsigned jobs = arguments.jobs > 0 ? arguments.jobs : available_threads();
  std::vector<Memory> memories(jobs, Memory(job.lookup));
  std::vector<ConfigLookup> lookups;
  for (Memory& m : memories) lookups.push_back(m.remembering());

  Sink sink(s, rows.header());
  std::int64_t done = sink.resume(s, job, shard);
  Progress progress(mine, done, s.quiet);
  watch_interrupt();
  if (done == 0 && mine == 0) sink.write("");
  while (done < mine) {
    const std::int64_t n = std::min(mine - done, kBatch * static_cast<std::int64_t>(jobs));
    std::vector<std::string> batch(static_cast<std::size_t>(n));
    std::atomic<std::int64_t> next{0};
    run_on_threads(jobs, [&](unsigned worker) {
      for (std::int64_t i = next++; i < n && !is_interrupted(); i = next++) {
        const std::int64_t point = shard.index + (done + i) * shard.count;
        batch[static_cast<std::size_t>(i)] =
            rows.row(point, run_at(job, lookups[worker], point), job.run_file, lookups[worker]);
      }
    });
    std::string text;
    for (const std::string& row : batch) {
      if (row.empty()) break;
      text += row;
      ++done;
    }
    sink.write(text);
    if (is_interrupted()) return ExitCode::interrupted;
    progress.at(done);
  }
  return ExitCode::answer;
}

}  // namespace

Action declare_sweep(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->file, "sweep file: path or -")->required();
  app.add_option("--shard", arguments->shard,
                 "of the points only I, I+N, I+2N, …; I counts from 0 (join with `orrery merge`)")
      ->type_name("I/N");
  app.add_option("--jobs", arguments->jobs, "threads (all the machine has); the rows are the same")
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs));
  return [arguments](const Session& s) { return run_sweep(*arguments, s); };
}

}  // namespace orrery
