// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_measure.h"

#include <spdlog/spdlog.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "cli/measuring_device.h"
#include "core/error.h"
#include "engine/answer.h"
#include "engine/calibration_machine.h"
#include "engine/config_source.h"
#include "exchange/measurements/measurements.h"
#include "exchange/measurements/readers.h"
#include "explore/sweep_rows.h"
#include "io/append.h"
#include "io/files.h"
#include "io/interrupt.h"
#include "io/progress.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

void check_same_as_rows(const std::string& file, const std::string& what, const std::string& rows,
                        const std::string& here) {
  if (rows == here) return;
  throw InputError(file, what, "rows of " + rows, "those of " + here + "; or no such file");
}

// FILE.rows beside the document that -o names: what was measured before, and what is as it comes.
class RowsFile {
 public:
  RowsFile(const std::string& document, const MeasurementSet& heading)
      : path_(document + ".rows"), file_(path_) {
    const std::string text = read_text(path_);
    before_ = read_measurement_rows(text, path_);
    if (!is_cut_off(text.substr(before_.whole), before_.whole == 0 ? heading_row(heading) : "{")) {
      throw InputError(path_, "end of the file", "no row of measurements that was cut off",
                       "rows of `orrery calibrate measure`, or no such file");
    }
    file_.cut(before_.whole);
    if (before_.whole == 0) {
      file_.append(heading_row(heading));
      before_.set = heading;
      return;
    }
    check_same_as_rows(path_, "device", before_.set.device, heading.device);
    check_same_as_rows(path_, "driver", before_.set.driver, heading.driver);
    check_same_as_rows(path_, "library", before_.set.library, heading.library);
    leave_out_disturbed(before_.set);  // measured again
    before_.set.left_out.clear();
  }

  const MeasurementRows& before() const { return before_; }
  void append(const std::string& row) { file_.append(row); }
  void note(const std::string& row) { file_.note(row); }
  void remove() const { std::filesystem::remove(path_); }

 private:
  std::string path_;
  AppendFile file_;
  MeasurementRows before_;
};

bool is_known(const Measurement& m, const MeasurementRows& rows,
              const std::set<std::string>& done) {
  const std::string name = name_of_work(m);
  return rows.left_out.count(name) > 0 || done.count(name) > 0;
}

// The designed work that the device's document has constants for, without what the rows have.
std::vector<Measurement> work_to_do(const DeviceFacts& facts, const Device& d,
                                    const MeasurementRows& rows) {
  std::set<std::string> done;
  for (const Measurement& m : rows.set.points) done.insert(name_of_work(m));
  std::vector<Measurement> work;
  for (const Measurement& m : designed_work(facts)) {
    if (not_computed(m, d).empty() && !is_known(m, rows, done)) work.push_back(m);
  }
  return work;
}

BenchWatch watch_of(RowsFile* rows, Progress& progress, std::int64_t& seen) {
  BenchWatch w;
  const auto add = [rows, &progress, &seen](const std::string& row) {
    if (rows != nullptr) rows->append(row);
    progress.at(++seen);
  };
  w.stop = is_interrupted;
  if (rows != nullptr) w.begun = [rows](const Measurement& m) { rows->note(begun_row(m)); };
  w.measured = [add](const Measurement& m) { add(measured_row(m)); };
  w.left_out = [add](const Measurement& m, const std::string& why) { add(left_out_row(m, why)); };
  return w;
}

// Puts the points of earlier sessions before those of this one.
void join(const MeasurementRows& before, MeasurementSet& set) {
  set.points.insert(set.points.begin(), before.set.points.begin(), before.set.points.end());
  if (set.clocks.empty()) set.clocks = before.set.clocks;
  std::map<std::string, std::size_t> why;
  for (const auto& [name, reason] : before.left_out) ++why[reason];
  for (const auto& [reason, count] : why) {
    set.left_out.push_back(std::to_string(count) + " left out earlier: " + reason);
  }
  leave_out_disturbed(set);
}

ExitCode code_of(BenchEnd end) {
  switch (end) {
    case BenchEnd::stopped:
      return ExitCode::interrupted;
    case BenchEnd::lost:
      return ExitCode::no;
    case BenchEnd::done:
    case BenchEnd::out_of_time:
      break;
  }
  return ExitCode::answer;
}

MeasurementSet heading_of(const std::string& device, const DeviceFacts& facts) {
  MeasurementSet set;
  set.device = device;
  set.driver = facts.driver;
  set.library = facts.library;
  set.date = today();
  set.source = "measured by orrery calibrate on one " + facts.name;
  return set;
}

// One line of what is not whole yet.
void report_end(const Bench& b, const MeasurementSet& set, bool goes_on) {
  if (b.end == BenchEnd::done) return;
  spdlog::warn("{} measured, {}{}", set.points.size(), b.set.left_out.back(),
               goes_on ? "; the same command goes on" : "");
}

// Into `set`, which has its heading; the rows are none without -o.
Bench measure_into(MeasurementSet& set, MeasuringDevice& device, const Device& document,
                   std::optional<RowsFile>& rows, const CalibrateChoice& a, bool quiet) {
  const MeasurementRows before = rows ? rows->before() : MeasurementRows{};
  const std::vector<Measurement> work = work_to_do(device.facts(), document, before);
  Progress progress(static_cast<std::int64_t>(work.size()), 0, quiet);
  std::int64_t seen = 0;
  Bench bench = measure(work, device, {a.time, watch_of(rows ? &*rows : nullptr, progress, seen)});
  if (rows) rows->append(ended_row(bench));
  set.points = bench.set.points;
  set.clocks = bench.set.clocks;
  set.left_out = bench.set.left_out;
  join(before, set);
  return bench;
}

}  // namespace

// Never into the file that -o names: there is nothing for it.
ExitCode no_device(const std::string& why_not, const Session& s) {
  write_text("-", s.json ? dump({{"measurements", Json::array()}, {"reason", why_not}})
                         : "no GPU to measure: " + why_not + "\n");
  return ExitCode::no;
}

ExitCode run_calibrate_measure(const CalibrateChoice& a, const Session& s) {
  if (a.device.empty() || !a.files.empty() || !a.node.empty()) {
    throw UsageError("orrery calibrate measure: give --device NAME, and no files");
  }
  const Machine m = machine_of(a, {}, configs_of(s));
  std::string why_not;
  const auto device = open_measuring_device(why_not);
  if (!device) return no_device(why_not, s);
  MeasurementSet set = heading_of(m.device, device->facts());
  std::optional<RowsFile> rows;
  if (!s.output.empty() && s.output != "-") rows.emplace(s.output, set);
  watch_interrupt();
  const Bench bench = measure_into(set, *device, m.cluster.device, rows, a, s.quiet);
  give(s, dump(measurements_json(set)));
  if (rows && bench.end == BenchEnd::done) rows->remove();
  report_end(bench, set, rows.has_value());
  return code_of(bench.end);
}

}  // namespace orrery
