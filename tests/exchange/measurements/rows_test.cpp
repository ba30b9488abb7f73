// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "calibrate/bench.h"
#include "core/error.h"
#include "exchange/measurements/readers.h"
#include "support/about.h"

using namespace orrery;

namespace {

DeviceFacts every_kind() {
  return {"G", "1", "2", {Precision::bf16, Precision::fp8}, Bytes(140e9), 4};
}

MeasurementSet heading() {
  MeasurementSet set;
  set.device = "d";
  set.driver = "driver 1";
  return set;
}

}  // namespace

TEST_CASE("each piece of designed work comes back from its row under its own name") {
  std::string text = heading_row(heading());
  std::vector<Measurement> work = designed_work(every_kind());
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i].timed = {Seconds(1e-6 * static_cast<double>(i + 1)), 0.01};
    text += begun_row(work[i]) + measured_row(work[i]);
  }
  const MeasurementRows rows = read_measurement_rows(text, "rows");
  CHECK(rows.set.device == "d");
  CHECK(rows.set.driver == "driver 1");
  CHECK(rows.whole == text.size());
  CHECK(rows.left_out.empty());
  std::map<std::string, double> times;
  for (const Measurement& m : rows.set.points) times[name_of_work(m)] = m.timed.time.si();
  REQUIRE(times.size() == work.size());
  for (const Measurement& m : work) {
    CAPTURE(name_of_work(m));
    CHECK(times.at(name_of_work(m)) == testing::about(m.timed.time.si()));
  }
}

TEST_CASE("work that ended the program is left out, that of a session that ended is not") {
  const std::vector<Measurement> work = designed_work(every_kind());
  const std::string begun = heading_row(heading()) + begun_row(work[1]);
  const MeasurementRows killed = read_measurement_rows(begun, "rows");
  REQUIRE(killed.left_out.size() == 1);
  CHECK(killed.left_out.begin()->first == name_of_work(work[1]));
  Bench stopped;
  stopped.end = BenchEnd::stopped;
  stopped.set.clocks = "1980 MHz";
  const MeasurementRows ended = read_measurement_rows(begun + ended_row(stopped), "rows");
  CHECK(ended.left_out.empty());
  CHECK(ended.set.clocks == "1980 MHz");
}

TEST_CASE("a last line that was cut off is no row, and of two rows of one work the later holds") {
  Measurement launch;
  launch.work = MeasuredLaunch{};
  launch.timed.time = Seconds(1e-6);
  std::string text = heading_row(heading()) + measured_row(launch);
  launch.timed.time = Seconds(2e-6);
  text += measured_row(launch);
  const MeasurementRows rows = read_measurement_rows(text + R"({"launch": "em)", "rows");
  CHECK(rows.whole == text.size());
  REQUIRE(rows.set.points.size() == 1);
  CHECK(rows.set.points[0].timed.time.si() == testing::about(2e-6));
}

TEST_CASE("rows that are none are refused with their line") {
  const std::string head = heading_row(heading());
  for (const char* line : {"{\"launch\": \"empty\"}\n", "[]\n", "{\"us\": 1}\n", "{\"ended\": 3}\n",
                           "{\"left_out\": \"x\"}\n", "{\"begun\": \"x\", \"us\": 1}\n", "x\n"}) {
    CAPTURE(line);
    try {
      read_measurement_rows(head + line, "rows");
      CHECK(false);
    } catch (const InputError& e) {
      CHECK(std::string(e.what()).find("rows:2") == 0);
    }
  }
}
